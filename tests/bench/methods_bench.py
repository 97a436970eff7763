#!/usr/bin/env python3
"""Compares hone's default method with its rivals by `hone simulate` on curve tables.

methods_bench.py [--hone build/release/bin/hone] [--reps 400] [--phases 10] TABLE.csv ...

For each table and each of (workers, deadline) = (4, 2), (8, 2), (8, 4) it prints the mean
normalized regret of every method with its standard error, under the incumbent that the method
names, and whether `hone` is lowest or within one standard error of the lowest. A summary follows.
--json keeps everything.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

from stopping_bench import by_trials

COLUMNS = [(4, 2), (8, 2), (8, 4)]
RIVALS = ["none", "hypertrick", "asha", "asha:eta=4", "asha_stopping", "sha", "hyperband", "median",
          "percentile",
          "tpe/asha"]


def sweep_of(card: dict, options) -> dict:
    return {
        "name": "simulation", "objective": {"metric": "value", "goal": card["goal"]},
        "command": ["true"],
        "parameters": card["parameters"],
        "search": {"method": "hone", "trials": options.trials}, "terminator": {"rule": "hone"},
        "budget": {"unit": "checkpoints", "per_run": card["checkpoints"], "phases": options.phases},
    }


def simulate(table: str, options, workers: int, deadline: int) -> dict:
    """method -> the JSON object that hone simulate prints for it"""
    card = json.load(open(os.path.splitext(table)[0] + ".json"))
    with tempfile.NamedTemporaryFile("w", suffix=".json") as sweep:
        json.dump(sweep_of(card, options), sweep)
        sweep.flush()
        command = [options.hone, "simulate", sweep.name, "--table", table, "--workers",
                   str(workers), "--deadline",
                   str(deadline), "--reps", str(options.reps), "--seed", str(options.seed),
                   "--format", "jsonl", "-q"]
        rows = {}
        methods = ["hone", *options.against]  # the sweep's own comes first
        for trials, sized in by_trials(methods, (workers, deadline), options.trials).items():
            against = [word for one in sized if one != "hone" for word in ("--against", one)]
            done = subprocess.run([*command, "--set", f"search.trials={trials}", *against],
                                  capture_output=True, text=True)
            if done.returncode:
                sys.exit(done.stderr)
            found = {row["method"]: row for row in map(json.loads, done.stdout.splitlines())}
            rows |= {method: found[method] for method in sized}
    return rows


def anytime(row: dict, share: float) -> float:
    points = row["anytime"]
    return points[round(share * len(points)) - 1]["regret"]["mean"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="+")
    parser.add_argument("--hone", default="build/release/bin/hone")
    parser.add_argument("--reps", type=int, default=400)
    parser.add_argument("--phases", type=int, default=10)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--against", action="append",
                        help="instead of the usual rivals; may be repeated")
    parser.add_argument("--json", help="write all results here")
    options = parser.parse_args()
    options.against = options.against or RIVALS
    kept, lowest, tied, columns = [], 0, 0, 0
    for table in options.tables:
        for workers, deadline in COLUMNS:
            rows = simulate(table, options, workers, deadline)
            kept += rows.values()
            columns += 1
            own, best_rival = rows["hone"]["regret"], min(
                (row["regret"] for name, row in rows.items() if name != "hone"),
                key=lambda regret: regret["mean"])
            least = min(own["mean"], best_rival["mean"])
            noise = math.hypot(own["se"], best_rival["se"])
            strictly = own["mean"] < best_rival["mean"]
            within = own["mean"] <= least + noise
            lowest += strictly
            tied += within
            name = os.path.basename(table)[:-4]
            print(f"\n{name}  {workers} workers, deadline {deadline}: "
                  + ("lowest" if strictly else "within one standard error" if within else "BEHIND"))
            print(
                f"  {'method':32} {'regret':>17}  {'best report':>11}  {'25%':>6} {'50%':>6} {'75%':>6}  trials")
            for method, row in sorted(rows.items(), key=lambda item: item[1]["regret"]["mean"]):
                regret = row["regret"]
                print(f"  {method:32} {regret['mean']:8.4f} ± {regret['se']:6.4f}  "
                      f"{row['regret_of_best_report']['mean']:11.4f}  {anytime(row, .25):6.3f} "
                      f"{anytime(row, .5):6.3f} {anytime(row, .75):6.3f}  {row['trials']['mean']:6.1f}")
    print(
        f"\nhone: lowest in {lowest} of {columns} columns, lowest or within one standard error in {tied}")
    if options.json:
        json.dump(kept, open(options.json, "w"), indent=1)


if __name__ == "__main__":
    main()
