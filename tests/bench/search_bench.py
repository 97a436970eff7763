#!/usr/bin/env python3
"""hone's search against other optimizers: time of an ask, memory, and quality on eight problems.

  search_bench.py --hone build/bin/hone                      hone alone
  search_bench.py --hone build/bin/hone --peers FOLDER       ... and every driver in FOLDER
  search_bench.py --only quality --keep traces --peers FOLDER

A driver is an executable file that speaks the protocol of `hone bench driver`: COMMAND TASK
key=value ..., answered in JSON lines.

  version                                 {"version": text}
  memory n=N d=D                          {"rss_kb": peak after N trials and one ask of tpe}
  latency mode=uni|multi d=D ns=.. reps=..
                                          {"n": N, "ask_ms": [CPU ms of each ask]} for each N
  quality problem=P algo=A seeds=0-39 n=200 workers=W
                                          {"seed": S, "trace": [[trial, best so far], ...]} for each

An algorithm that a driver refuses is left out for it. With --keep, what peers answered about
quality is kept in that folder and read from there the next time: it only depends on seeds, not on
the machine. Times do: compare within one run, on a quiet machine. Standard library only.
"""
import argparse
import json
import math
import os
import pathlib
import shlex
import statistics
import subprocess
import sys

LOWEST = {"branin": 0.39788735772973816, "hartmann3": -3.8627821478207554,
          "hartmann6": -3.322368011415515, "ackley5": 0.0, "levy4": 0.0, "rosenbrock4": 0.0,
          "mixed6": 0.0, "cond": 0.0}
TWO_MODES = ("mixed6", "cond")  # runs end well or get stuck: more seeds, and the share stuck
STUCK = 0.05
LOOKS = (50, 100, 200)


def note(text):
    print("# " + text, file=sys.stderr, flush=True)


def ask_driver(command, task, **words):
    """The JSON lines that a driver answers; None where it refuses."""
    argv = command + [task] + ["%s=%s" % pair for pair in words.items()]
    done = subprocess.run(argv, capture_output=True, text=True)
    if done.returncode:
        note("left out: %s: %s" % (" ".join(argv), done.stderr.strip().split("\n")[-1][:160]))
        return None
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "|".join(["---"] + ["---:"] * (len(head) - 1)) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print(flush=True)


def brief(value):
    return "-" if value is None else "%.2g" % value if abs(value) < 1000 else "%.0f" % value


# ---------------------------------------------------------------- time and memory
def latency(drivers, args):
    """Peers and we in turn for each number of dimensions, so that drift hits all alike."""
    took = {}
    for d in args.dimensions:
        for name, command in drivers.items():
            for mode in ("multi", "uni"):
                note("latency %s %s d=%d (load %.1f)" % (name, mode, d, os.getloadavg()[0]))
                slow = name != "hone" and "rustuna" not in name
                reps = "9,5" if slow else "31,31"
                lines = ask_driver(command, "latency", mode=mode, d=d, ns="1000,10000", reps=reps)
                for line in lines or []:
                    if "n" in line:
                        took[name, mode, d, line["n"]] = line["ask_ms"]
    rows = []
    for d in args.dimensions:
        for n in (1000, 10000):
            ours = took["hone", "multi", d, n]
            row = ["d=%d n=%d" % (d, n), "%.3f" % statistics.median(ours),
                   "%.3f" % statistics.mean(ours),
                   "%.3f" % statistics.median(took["hone", "uni", d, n])]
            for name in drivers:
                best = min((statistics.median(took[name, mode, d, n]) for mode in ("multi", "uni")
                            if (name, mode, d, n) in took), default=None)
                if name != "hone":
                    row.append("-" if best is None else "%.2f (%.0fx)" %
                               (best, best / statistics.median(ours)))
            rows.append(row)
    print("### CPU ms of one ask, median; peers in their faster mode, (how many times ours)\n")
    table(["", "hone", "mean", "hone uni"] + [n for n in drivers if n != "hone"], rows)


def memory(drivers, _):
    rows = []
    for name, command in drivers.items():
        empty = ask_driver(command, "memory", n=0, d=10)
        full = ask_driver(command, "memory", n=10000, d=10)
        if empty and full:
            rows.append([name, "%.1f" % (empty[-1]["rss_kb"] / 1024),
                         "%.1f" % (full[-1]["rss_kb"] / 1024),
                         "%.1f" % ((full[-1]["rss_kb"] - empty[-1]["rss_kb"]) / 1024),
                         "%.3f" % full[-1]["fill_cpu_s"]])
    print("### Peak memory in MB, d = 10, study in memory\n")
    table(["", "no trials", "10000 trials", "difference", "CPU s to fill"], rows)


# ---------------------------------------------------------------- quality
def traces(name, command, algo, workers, problem, args):
    seeds = args.seeds_two_modes if problem in TWO_MODES else args.seeds
    kept = args.keep and pathlib.Path(args.keep) / (
        "quality_%s_%s_%d_%s.jsonl" % (name, algo, workers, problem))
    if name != "hone" and kept and kept.exists():
        lines = [json.loads(line) for line in kept.read_text().splitlines()]
        if len(lines) >= seeds:
            return [line["trace"] for line in lines[:seeds]]
    note("quality %s %s workers=%d %s" % (name, algo, workers, problem))
    lines = ask_driver(command, "quality", problem=problem, algo=algo, seeds="0-%d" % (seeds - 1),
                       n=max(LOOKS), workers=workers)
    if lines is not None and kept:
        kept.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return lines and [line["trace"] for line in lines]


def regret_at(trace, problem, look):
    best = math.inf
    for trial, value in trace:
        if trial > look:
            break
        best = value
    return max(best - LOWEST[problem], 0.0)


def rank_sum_z(ours, theirs):
    """Mann-Whitney with ties, in standard deviations: below 0, ours tend to be smaller."""
    above = sum((a > b) + 0.5 * (a == b) for a in ours for b in theirs)
    both = ours + theirs
    n, m, size = len(ours), len(theirs), len(both)
    ties = sum(both.count(value) ** 3 - both.count(value) for value in set(both))
    variance = n * m / 12 * (size + 1 - ties / (size * (size - 1)))
    return (above - n * m / 2) / math.sqrt(variance) if variance > 0 else 0.0


def quality(drivers, args):
    for workers, algos in ((1, args.algos), (8, args.algos_pending)):
        got = {}  # method -> problem -> traces
        for name, command in drivers.items():
            for algo in args.hone_algos if name == "hone" else algos:
                one = {p: traces(name, command, algo, workers, p, args) for p in args.problems}
                if all(one.values()):
                    got["%s %s" % (name, algo)] = one
        if "hone" in drivers:  # plain random search of hone's driver: the floor for every method
            got["random"] = {p: traces("hone", drivers["hone"], "random", workers, p, args)
                             for p in args.problems}
        quality_tables(got, workers, args)


def quality_tables(got, workers, args):
    print("### Median regret, %s\n" % ("sequential" if workers == 1 else "%d pending" % workers))
    ours = [m for m in got if m.startswith("hone ")]
    peers = [m for m in got if m not in ours and m != "random"]
    for look in LOOKS:
        rows, tally = [], dict.fromkeys(("not worse", "better", "worse than random"), 0)
        for p in args.problems:
            regrets = {m: [regret_at(t, p, look) for t in got[m][p]] for m in got}
            medians = {m: statistics.median(r) for m, r in regrets.items()}
            row = [p] + [brief(medians[m]) for m in got]
            if ours:
                mine = ours[0]
                tally["worse than random"] += medians[mine] > medians["random"]
                best = min(peers, key=medians.get) if peers else "random"
                tally["not worse"] += medians[mine] <= medians[best]
                tally["better"] += medians[mine] < medians[best]
                row += [best, brief(medians[mine] / medians[best] if medians[best] else None),
                        "%+.1f" % rank_sum_z(regrets[mine], regrets[best])]
            rows.append(row)
        print("after %d trials\n" % look)
        table(["problem"] + list(got) + ["best peer", "ours / its", "z"] * bool(ours), rows)
        if ours:
            print("%s: %s (of %d)\n" % (ours[0], ", ".join("%s %d" % i for i in tally.items()),
                                       len(args.problems)))
    stuck = [p for p in TWO_MODES if p in args.problems]
    print("share of seeds with regret above %g after %d trials\n" % (STUCK, LOOKS[-1]))
    table(["problem"] + list(got),
          [[p] + ["%.2f" % statistics.mean(regret_at(t, p, LOOKS[-1]) > STUCK for t in got[m][p])
                  for m in got] for p in stuck])


def words(text):
    return [word for word in text.split(",") if word]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hone", default="build/bin/hone", help="the command, with its folder")
    parser.add_argument("--peers", help="a folder of drivers: its executable files, by their names")
    parser.add_argument("--keep", help="a folder for what peers answered about quality")
    parser.add_argument("--only", default="latency,memory,quality")
    parser.add_argument("--problems", type=words, default=list(LOWEST))
    parser.add_argument("--dimensions", type=lambda t: [int(w) for w in words(t)],
                        default=[3, 10, 30])
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--seeds-two-modes", type=int, default=100, help="of mixed6 and cond")
    parser.add_argument("--hone-algos", type=words, default=["tpe"])
    parser.add_argument("--algos", type=words, default=["tpe", "tpe-uni", "tpe-group"],
                        help="of peers, sequential")
    parser.add_argument("--algos-pending", type=words, default=["tpe", "tpe-nocl"],
                        help="of peers, with 8 trials pending")
    args = parser.parse_args()
    drivers = {"hone": shlex.split(args.hone) + ["bench", "driver"]}
    for file in sorted(pathlib.Path(args.peers).iterdir()) if args.peers else []:
        if file.is_file() and os.access(file, os.X_OK):
            drivers[file.name] = [str(file.resolve())]
    versions = {name: ask_driver(command, "version") for name, command in drivers.items()}
    if versions["hone"] is None:
        return 1
    drivers = {name: command for name, command in drivers.items() if versions[name]}
    for name in drivers:
        print("%s: %s" % (name, versions[name][-1]["version"]))
    print()
    for section in words(args.only):
        {"latency": latency, "memory": memory, "quality": quality}[section](drivers, args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
