#!/usr/bin/env python3
"""A campaign of hours over what the tests sample: mutated imports and requests, damaged folders,
kills of a primary with a synchronous standby, floods, fuzz targets.

tests/campaign/run.py [--hours H] [--bin DIR] [--state FILE] [--only NAME ...]

Works in pieces, each with its own seed, and next on the part of which the smallest share is done.
After each piece the state file holds what was done, so that the campaign can be ended at any time
and continued by the same command. Prints the table of what was done, for
docs/measurements/campaign.md. A piece that ends with a failure counts what it did; its output is
kept next to the state file, and the campaign exits with 1. Run it with nice: it uses one core.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
TARGETS = sorted(re.findall(r"(?m)^\| `(\w+)` \|", (TESTS / "fuzz" / "README.md").read_text()))
PIECE_SECONDS_MAX = 3600


class Part:
    """`goal` units, in pieces of `piece`. command(seed, piece, bin) does a piece; the numbers that
    `pattern` finds in its output are how many it did. Without a group it did the whole piece."""

    def __init__(self, what, goal, piece, pattern, command, environment=None):
        self.what, self.goal, self.piece, self.pattern = what, goal, piece, pattern
        self.command, self.environment = command, environment or (lambda seed, piece: {})

    def done_in(self, output, piece):
        found = re.findall(self.pattern, output)
        if not re.compile(self.pattern).groups:
            return piece if found else 0
        return sum(int(number) for number in found)


def python(*words):
    def command(seed, piece, programs):
        named = {"tests": TESTS, "seed": seed, "piece": piece, "bin": programs}
        return [sys.executable, *(word.format(**named) for word in words)]
    return command


def fuzz(target):
    return Part(f"seconds of the fuzz target `{target}`", 3_600, 600, rf"(?m)^{target} +\d",
                lambda seed, piece, programs: [
                    str(TESTS / "fuzz" / "run"), "--seconds", str(piece), target])


PARTS = {
    "imports": Part(
        "mutated imports; routes and commands on what was accepted", 100_000, 400,
        r"(?m)^(\d+) imports of",
        python("{tests}/fuzz/imports.py", "--bin", "{bin}", "--count", "{piece}",
               "--seed", "{seed}")),
    "requests": Part(
        "mutated requests, on all routes", 100_000, 2_000, r"(?m)^(\d+) requests on",
        python("{tests}/campaign/mutated_requests.py", "--bin", "{bin}", "--count", "{piece}",
               "--seed", "{seed}")),
    "damages": Part(
        "damaged folders, started", 1_000, 20, r"(\d+) (?:refused|started with)",
        python("-m", "pytest", "-q", "-s", "-p", "no:cacheprovider",
               "{tests}/e2e/test_damage.py", "-k", "never_starts"),
        lambda seed, piece: {"HONE_DAMAGES": str(piece), "HONE_SEED": str(seed)}),
    "kills": Part(
        "kills of a primary with a synchronous standby, and promotions", 200, 5,
        r"(?m)^(\d+) rounds in",
        python("{tests}/soak/standby.py", "--rounds", "{piece}", "--seed", "{seed}",
               "--together", "1")),
    "floods": Part(
        "floods of reads by one token, while another user works", 20, 1, r"(?m)^phases ",
        python("{tests}/bench/fairness_bench.py", "--bin", "{bin}", "--trials", "1000",
               "--seconds", "1", "--connections", "100")),
    **{f"fuzz {target}": fuzz(target) for target in TARGETS},
}


class Campaign:
    def __init__(self, options):
        self.options, self.file = options, options.state
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.state = json.loads(self.file.read_text()) if self.file.exists() else {}

    def of(self, name):
        return self.state.setdefault(name, {"done": 0, "seeds": 0, "seconds": 0.0, "failed": []})

    def save(self):
        fresh = self.file.with_suffix(".new")
        fresh.write_text(json.dumps(self.state, indent=1))
        fresh.replace(self.file)

    def next(self):
        """The part that is furthest behind; one that failed at once comes after the others."""
        def order(name):
            row = self.of(name)
            return row.get("idle", 0), row["done"] / PARTS[name].goal
        left = [name for name in self.options.only or PARTS
                if self.of(name)["done"] < PARTS[name].goal and self.of(name).get("idle", 0) < 3]
        return min(left, key=order, default=None)

    def piece(self, name, seconds_left):
        part, row = PARTS[name], self.of(name)
        seed, size = row["seeds"] + 1, min(part.piece, part.goal - row["done"])
        begin = time.monotonic()
        environment = {**os.environ, "HONE_BIN": self.options.bin, **part.environment(seed, size)}
        try:
            result = subprocess.run(part.command(seed, size, self.options.bin), cwd=ROOT, text=True,
                                    capture_output=True, env=environment,
                                    timeout=min(PIECE_SECONDS_MAX, max(seconds_left, 1)))
        except subprocess.TimeoutExpired:
            return print(f"{name}: no time left for the piece of seed {seed}", flush=True)
        output = result.stdout + result.stderr
        done = part.done_in(output, size)
        row["done"], row["seeds"] = row["done"] + done, seed
        row["seconds"] = round(row["seconds"] + time.monotonic() - begin, 1)
        row["idle"] = row.get("idle", 0) + 1 if done == 0 else 0
        if result.returncode != 0:
            kept = self.file.parent / f"{name.replace(' ', '-')}-{seed}.txt"
            kept.write_text(output)
            row["failed"].append(kept.name)
        self.save()
        print(f"{name}: seed {seed}, {done} done"
              + (f", FAILED: {row['failed'][-1]}" if result.returncode != 0 else ""), flush=True)

    def table(self):
        rows = ["| part | done | goal | seeds | hours | failed |", "|---|---:|---:|---|---:|---:|"]
        for name, part in PARTS.items():
            row = self.of(name)
            seeds = f"1 to {row['seeds']}" if row["seeds"] else "none"
            rows.append(f"| {part.what} | {row['done']:,} | {part.goal:,} | {seeds} |"
                        f" {row['seconds'] / 3600:.2f} | {len(row['failed'])} |")
        return "\n".join(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=float, default=4)
    parser.add_argument("--bin", default=str(ROOT / "build" / "release" / "bin"))
    parser.add_argument("--state", type=pathlib.Path,
                        default=ROOT / "build" / "campaign" / "state.json")
    parser.add_argument("--only", nargs="+", choices=PARTS, metavar="NAME",
                        help="imports, requests, damages, kills, floods, 'fuzz NAME'")
    options = parser.parse_args()
    options.bin = str(pathlib.Path(options.bin).resolve())
    campaign = Campaign(options)
    end = time.monotonic() + options.hours * 3600
    while (left := end - time.monotonic()) > 0 and (name := campaign.next()) is not None:
        campaign.piece(name, left)
    print(campaign.table())
    return 1 if any(row["failed"] for row in campaign.state.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
