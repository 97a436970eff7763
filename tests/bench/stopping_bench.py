#!/usr/bin/env python3
"""Compares stopping rules with ten rivals on curve tables, for 4 to 64 complete runs' time.

stopping_bench.py [--hone build/release/bin/hone] [--rule hone:version=2] [--reps 16] TABLE.csv ...

A column is a table with a number of workers and a deadline: 2 x 2, 4 x 2, 8 x 4 and 8 x 8 of
`hone simulate`. Each rule is compared with the best rival of each column and with complete runs;
0.01 is added to both regrets of a ratio. `near`: lowest or within one standard error of the best
rival. `over`: above 1.15 times complete runs by more than one standard error. HyperTrick gets as
many trials as fit the time, all others 200. --cache keeps cells for the next call; use one for each
build of hone. --split SEED prints two halves of the tables, one to choose on and one to look at
once, and ends.
"""

import argparse
import concurrent.futures
import hashlib
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

COLUMNS = [(2, 2), (4, 2), (8, 4), (8, 8)]  # (workers, deadline in complete runs)
RIVALS = ["none", "asha", "asha:eta=4", "sha", "hyperband", "median", "hypertrick", "tpe/asha",
          "bohb/hyperband", "dehb/dehb"]
FLOOR = 0.01  # added to both regrets of a ratio
TRIALS = 200
HYPERTRICK_SHARE = 0.52  # of a complete run, that it spends on each of its trials


def sweep_of(card: dict, trials: int, phases: int) -> dict:
    return {
        "name": "simulation", "objective": {"metric": "value", "goal": card["goal"]},
        "command": ["true"], "parameters": card["parameters"],
        "search": {"method": "random", "trials": trials}, "terminator": {"rule": "none"},
        "budget": {"unit": "checkpoints", "per_run": card["checkpoints"],
                   "phases": min(phases, card["checkpoints"])},
    }


def trials_of(method: str, column: tuple, most: int = TRIALS) -> int:
    """Of HyperTrick, which expects all of its trials to start, as many as fit the time."""
    workers, deadline = column
    if not method.startswith("hypertrick"):
        return most
    return min(most, max(2, round(workers * deadline / HYPERTRICK_SHARE)))


def by_trials(methods: list[str], column: tuple, most: int = TRIALS) -> dict[int, list[str]]:
    """The methods, by the number of trials that each gets."""
    groups = {}
    for method in methods:
        groups.setdefault(trials_of(method, column, most), []).append(method)
    return groups


def simulate(options, table: str, column: tuple, method: str) -> list[float]:
    """The mean normalized regret of a method in a column, and its standard error."""
    workers, deadline = column
    trials = trials_of(method, column)
    card = json.loads(pathlib.Path(table).with_suffix(".json").read_text())
    with tempfile.NamedTemporaryFile("w", suffix=".json") as sweep:
        json.dump(sweep_of(card, trials, options.phases), sweep)
        sweep.flush()
        command = [options.hone, "simulate", sweep.name, "--table", table, "--workers",
                   str(workers), "--deadline", str(deadline), "--reps", str(options.reps),
                   "--seed", str(options.seed), "--format", "jsonl", "-q"]
        if method != "none":  # the sweep's own
            command += ["--against", method]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{method} on {table}: {done.stderr}")
    row = json.loads(done.stdout.splitlines()[-1])
    return [row["regret"]["mean"], row["regret"]["se"]]


def cell(options, table: str, column: tuple, method: str) -> list[float]:
    if not options.cache:
        return simulate(options, table, column, method)
    words = [os.path.abspath(table), column, method, options.reps, options.seed, options.phases]
    name = hashlib.sha256(json.dumps(words).encode()).hexdigest()[:24]
    kept = pathlib.Path(options.cache) / f"{name}.json"
    if kept.exists():
        return json.loads(kept.read_text())
    found = simulate(options, table, column, method)
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(found))
    return found


def ratio(left: list[float], right: list[float]) -> float:
    return (left[0] + FLOOR) / (right[0] + FLOOR)


def exceeds(left: list[float], right: list[float], factor: float = 1) -> bool:
    """Whether left is above `factor` times right by more than one standard error."""
    return left[0] > factor * right[0] + math.hypot(left[1], right[1])


def geometric(ratios: list[float]) -> float:
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def line_of(name: str, rule: str, columns: list, cells: dict) -> str:
    best = {one: min((cells[one][rival] for rival in RIVALS), key=lambda found: found[0])
            for one in columns}
    near = sum(not exceeds(cells[one][rule], best[one]) for one in columns)
    over = sum(exceeds(cells[one][rule], cells[one]["none"], 1.15) for one in columns)
    return (f"{name:9} {len(columns):3} {100 * near / len(columns):4.0f} % "
            f"{geometric([ratio(best[one], cells[one][rule]) for one in columns]):10.2f} "
            f"{geometric([ratio(cells[one][rule], cells[one]['none']) for one in columns]):8.2f} "
            f"{over:5} {max(ratio(cells[one][rule], cells[one]['none']) for one in columns):6.1f}")


def report(options, cells: dict):
    tables = {name.split("/")[-1]: name for name in options.tables}
    for rule in options.rule:
        print(f"\n{rule}\n{'columns':9}   n  near  best rival  of none  over  worst")
        print(line_of("all", rule, list(cells), cells))
        for word in options.kind:
            chosen = {table for name, table in tables.items() if name.startswith(word)}
            if columns := [one for one in cells if one[0] in chosen]:
                print(line_of(word, rule, columns, cells))
        for workers, deadline in COLUMNS:
            columns = [one for one in cells if one[1] == (workers, deadline)]
            print(line_of(f"{workers * deadline} runs", rule, columns, cells))


def halves(tables: list[str], seed: int):
    shuffled = sorted(tables)
    random.Random(seed).shuffle(shuffled)
    middle = len(shuffled) // 2
    print("develop", *shuffled[:middle], sep="\n")
    print("validate", *shuffled[middle:], sep="\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="+")
    parser.add_argument("--rule", action="append", default=[])
    parser.add_argument("--hone", default="build/release/bin/hone")
    parser.add_argument("--reps", type=int, default=16)
    parser.add_argument("--phases", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--cache", help="folder of cells that are known")
    parser.add_argument("--split", type=int, metavar="SEED")
    parser.add_argument("--kind", action="append", default=[],
                        help="also sum up the tables whose names begin so; may be repeated")
    parser.add_argument("--json", help="write all cells here")
    options = parser.parse_args()
    if options.split is not None:
        return halves(options.tables, options.split)
    options.rule = options.rule or ["hone:version=2"]
    methods = RIVALS + [rule for rule in options.rule if rule not in RIVALS]
    wanted = [((table, column), method) for table in options.tables for column in COLUMNS
              for method in methods]
    cells = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = pool.map(lambda one: cell(options, *one[0], one[1]), wanted)
        for count, ((key, method), regret) in enumerate(zip(wanted, found), 1):
            cells.setdefault(key, {})[method] = regret
            if sys.stderr.isatty():
                print(f"\r{count} of {len(wanted)} cells", end="", file=sys.stderr)
    report(options, cells)
    if options.json:
        rows = [{"table": table, "column": column, "regrets": regrets}
                for (table, column), regrets in cells.items()]
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
