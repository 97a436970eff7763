#!/usr/bin/env python3
"""Does early stopping find the result of a full search for less? A sweep of an agent's settings.

Usage: sweep.py BIN [--file sdk/examples/post-inception.yaml] [--rules hypertrick,sha]
                [--seeds 1,2,3] [--slots 2] [--set FIELD=VALUE ...]

BIN is the folder of the programs. Starts `hone up` on a free port with its own folder and submits
the file with `terminator: none` and with each rule, for each seed, so that the parameter sets are
the same. Prints a Markdown table of the best step time and the number of placements, next to the
full search and the best of as many complete runs as the rule's cost would pay for. Exits with 1
unless a rule's mean is within 1 % of the full search at 70 % of its cost or less.
"""
import argparse
import csv
import io
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
RULES = {"hypertrick": "{rule: hypertrick, eviction_rate: 0.25}"}


class Service:
    def __init__(self, programs, data, slots):
        self.hone = programs / "hone"
        self.process = subprocess.Popen([self.hone, "up", "--data", data, "--listen", "127.0.0.1:0",
                                         "--slots", str(slots)],
                                        stdout=subprocess.PIPE, text=True)
        found = None
        while found is None:
            line = self.process.stdout.readline()
            if not line:
                sys.exit("hone up did not start")
            found = re.search(r"http://127\.0\.0\.1:\d+", line)
        self.url = found[0]

    def run(self, *words):
        done = subprocess.run([self.hone, *map(str, words), "--server", self.url],
                              capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"hone {' '.join(map(str, words))}: {done.stderr.strip()}")
        return done.stdout

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()


def outcome(service, args, rule, seed):
    """The best value of each trial, and the number of reports, of a sweep that ran to its end."""
    terminator = RULES.get(rule, f"{{rule: {rule}}}")
    sweep = service.run("submit", args.file, "-q", "--set", f"terminator={terminator}", "--set",
                        f"seed={seed}",
                        *(word for setting in args.settings for word in ("--set", setting))).strip()
    service.run("watch", sweep, "-q")
    rows = list(csv.DictReader(io.StringIO(service.run("export", sweep, "--format", "csv"))))
    best = {}
    for row in rows:
        trial = int(row["run"].split(".")[0].split("_")[1])
        best[trial] = min(best.get(trial, float("inf")), float(row["value"]))
    return [best[trial] for trial in sorted(best)], len(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--file", type=pathlib.Path,
                        default=ROOT / "sdk/examples/post-inception.yaml")
    parser.add_argument("--rules", type=lambda text: text.split(","), default=["hypertrick"])
    parser.add_argument("--seeds", type=lambda text: [int(n) for n in text.split(",")],
                        default=[1, 2, 3])
    parser.add_argument("--slots", type=int, default=2)
    parser.add_argument("--set", dest="settings", action="append", default=[],
                        metavar="FIELD=VALUE")
    args = parser.parse_args()
    worst = {}
    with tempfile.TemporaryDirectory() as data:
        service = Service(args.bin, data, args.slots)
        try:
            print(
                "| seed | rule | trials | best ms | of the full search's | cost: of its phases | fewer complete runs: ms |\n|" + "---|" * 7)
            for seed in args.seeds:
                values, phases = outcome(service, args, "none", seed)
                full = min(values)
                print(
                    f"| {seed} | none | {len(values)} | {full:.2f} (median {statistics.median(values):.1f}) | 1 | 1 | |", flush=True)
                for rule in args.rules:
                    found, cost = outcome(service, args, rule, seed)
                    fewer = min(values[:max(1, round(len(values) * cost / phases))])
                    print(
                        f"| {seed} | {rule} | {len(found)} | {min(found):.2f} | {min(found) / full:.4f} | {cost / phases:.3f} | {fewer:.2f} |",
                          flush=True)
                    worst.setdefault(rule, []).append((min(found) / full, cost / phases))
        finally:
            service.stop()
    met = False
    for rule, pairs in worst.items():
        quality, cost = (sum(values) / len(pairs) for values in zip(*pairs))
        within = sum(q <= 1.01 and c <= 0.7 for q, c in pairs)
        print(
            f"\n{rule}: {quality:.4f} of the full search's best at {cost:.3f} of its cost (means of {len(pairs)} seeds); "
              f"within 1 % at 70 % or less: {within} of {len(pairs)}")
        met = met or (quality <= 1.01 and cost <= 0.7)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
