#!/usr/bin/env python3
"""Graph x devices x method: step and search time, with the best known lower bound.

Usage: table.py BIN [--graphs NAME|FILE,...] [--devices 2,4,8] [--agents post,ce] [--seed 1]
                [--prove] [--set SETTING=VALUE ...]

BIN is the folder of `hone` and `hone-train`. Prints a Markdown table and, below it, on how many
rows the best learned placement is at least as good as every baseline, and better than m-etf; with
--prove also on how many of the other rows `hone graph --prove` shows that no placement is faster
(an asterisk in the table). Exits with 1 if a row has a better baseline.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

GRAPHS = "inception-v3,resnet-50,resnet-101,rnnlm,nmt,nmt-4,transformer"
EQUAL = 1 + 1e-9


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def settings_as_flags(settings):
    """What `hone graph` has to know of the trainer's settings."""
    known = {"device": "--device", "group": "--group", "links": "--links",
             "memory_gb": "--memory-gb"}
    pairs = (setting.split("=", 1) for setting in settings)
    return [word for name, value in pairs if name in known for word in (known[name], value)]


def row_of(args, graph, devices):
    place = [args.bin / "hone", "graph", graph, "--devices", devices,
             *settings_as_flags(args.settings)]
    baselines = run(*place, "--place", "all", "--format", "json")
    row = {"graph": pathlib.Path(graph).stem, "devices": devices,
           "bound": run(*place, "--format", "json")["lower_bound_ms"],
           "baselines": {b["method"]: b["step_ms"] for b in baselines}, "learned": {}}
    for agent in args.agents:
        words = [args.bin / "hone-train", "placement", "--graph", graph, "--devices", devices,
                 "--agent", agent,
                 "--seed", args.seed, "--format", "json"]
        for setting in args.settings:
            words += ["--set", setting]
        with tempfile.NamedTemporaryFile(suffix=".json") as found:
            started = time.monotonic()
            step_ms = run(*words, "--out", found.name)["step_ms"]
            seconds = time.monotonic() - started
            optimal = args.prove and run(*place, "--place", found.name, "--prove", "--format",
                                         "json").get("optimal", "").startswith("yes")
        row["learned"][agent] = (step_ms, seconds, optimal)
    return row


def text_of(ms):
    return "-" if ms is None else f"{ms:.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--graphs", type=lambda text: text.split(","), default=GRAPHS.split(","))
    parser.add_argument("--devices", type=lambda text: [int(n) for n in text.split(",")],
                        default=[2, 4, 8])
    parser.add_argument("--agents", type=lambda text: text.split(","), default=["post", "ce"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--prove", action="store_true")
    parser.add_argument("--set", dest="settings", action="append", default=[],
                        metavar="SETTING=VALUE")
    args = parser.parse_args()
    header, rows, as_good, better, proven = None, 0, 0, 0, 0
    for graph in args.graphs:
        for devices in args.devices:
            row = row_of(args, graph, devices)
            if header is None:
                header = ["graph", "devices", "bound", *row["baselines"]]
                header += [f"{agent} (s)" for agent in row["learned"]]
                print("| " + " | ".join(header) + " |\n|" + "---|" * len(header), flush=True)
            cells = [row["graph"], str(devices), text_of(row["bound"]),
                     *map(text_of, row["baselines"].values())]
            cells += [f"{ms:.1f}{'*' if optimal else ''} ({seconds:.1f})" for ms, seconds,
                      optimal in row["learned"].values()]
            print("| " + " | ".join(cells) + " |", flush=True)
            best, _, optimal = min(row["learned"].values())
            ran = [ms for ms in row["baselines"].values() if ms is not None]
            etf = row["baselines"]["m-etf"]
            rows += 1
            as_good += all(best <= ms * EQUAL for ms in ran)
            beaten = etf is None or best * EQUAL < etf
            better += beaten
            proven += optimal and not beaten
    print(
        f"\nlearned at least as good as every baseline: {as_good} of {rows} rows; better than m-etf: {better} of {rows}")
    if args.prove:
        print(f"of the {rows - better} others proven optimal: {proven}")
    return 0 if as_good == rows else 1


if __name__ == "__main__":
    sys.exit(main())
