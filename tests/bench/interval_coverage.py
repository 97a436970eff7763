#!/usr/bin/env python3
"""How often the intervals that `hone best` prints cover the truth.

    interval_coverage.py [TABLE.csv...]     (tests/data/curves/*_20.csv and ga3c_cartpole_short.csv)
    interval_coverage.py --sets 3 --reps 40     small sweeps, as confirmations are

Prints the table of docs/measurements/intervals.md. A sweep over a real server evaluates every
recorded parameter set, or as many drawn ones as --sets says, with a few of its recorded seeds,
drawn with replacement. The truth is the
aggregate of all recorded seeds of the set. The last column is the percentile bootstrap of the same
values.
"""
import argparse
import csv
import pathlib
import random
import statistics
import sys
import tempfile
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
from conftest import Server  # noqa: E402

SEEDS = (2, 3, 5, 10)
BOOTSTRAP = 400
LEAST_SEEDS = 8  # recorded, for a truth


def recorded_sets(file):
    """The final values of each parameter set of a table, one for each recorded seed."""
    sets = {}
    for row in csv.DictReader(open(file, encoding="utf-8")):
        values = [name for name in row if name[0] == "v" and name[1:].isdigit()]
        key = tuple(row[name] for name in row
                    if name != "seed" and not (name[0] in "vs" and name[1:].isdigit()))
        last = row[max(values, key=lambda name: int(name[1:]))]
        if last:
            sets.setdefault(key, []).append(float(last))
    return [values for values in sets.values()
            if len(values) >= LEAST_SEEDS and statistics.pstdev(values) > 0]


def aggregate_of(name, values):
    if name == "mean":
        return statistics.fmean(values)
    ordered, cut = sorted(values), len(values) // 4
    return statistics.fmean(ordered[cut:len(ordered) - cut])


def bootstrap_covers(name, values, truth, draw):
    means = sorted(aggregate_of(name, draw.choices(values, k=len(values)))
                   for _ in range(BOOTSTRAP))
    return means[int(0.025 * BOOTSTRAP)] <= truth <= means[int(0.975 * BOOTSTRAP) - 1]


def printed_intervals(server, sets, seeds, name, draw):
    """(set, values, interval) for every recorded set of one sweep."""
    sweep = server.post("/v1/sweeps", {"request_id": str(uuid.uuid4()), "spec": {
        "name": "coverage", "objective": {"metric": "return", "goal": "maximize"},
        "trainer": {"name": "ask"}, "terminator": {"rule": "none"},
        "parameters": {"set": {"type": "int", "min": 0, "max": len(sets) - 1}},
        "search": {"method": "grid", "trials": len(sets)},
        "replicates": {"seeds": seeds, "aggregate": name}}})["sweep"]
    told = {}
    for _ in range(len(sets) * seeds):
        trial = server.post(f"/v1/sweeps/{sweep}/ask", {"asker": "coverage"})
        value = draw.choice(sets[trial["params"]["set"]])
        told.setdefault(trial["params"]["set"], []).append(value)
        server.post(f"/v1/trials/{trial['trial']}/tell", {"value": value})
    for item in server.get(f"/v1/sweeps/{sweep}/best?limit=1000")["items"]:
        number = item["params"]["set"]
        yield sets[number], told[number], item["interval"]


def coverage(server, file, seeds, name, options):
    recorded_all, draw = recorded_sets(file), random.Random(f"{file.stem}{seeds}{name}")
    covered = bootstrapped = total = 0
    for _ in range(options.reps):
        sets = draw.sample(recorded_all, options.sets) if options.sets else recorded_all
        for recorded, values, interval in printed_intervals(server, sets, seeds, name, draw):
            truth = aggregate_of(name, recorded)
            total += 1
            covered += interval[0] <= truth <= interval[1]
            bootstrapped += bootstrap_covers(name, values, truth, draw)
    return covered / total, bootstrapped / total, total


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", type=pathlib.Path)
    parser.add_argument("--reps", type=int, default=3, help="sweeps for each row")
    parser.add_argument("--sets", type=int, default=0, help="in each sweep (all recorded)")
    options = parser.parse_args()
    folder = ROOT / "tests/data/curves"
    tables = options.tables or [*sorted(folder.glob("*_20.csv")),
                                folder / "ga3c_cartpole_short.csv"]
    print("| table | aggregate | seeds | intervals | covered | percentile bootstrap |")
    print("|---|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as data:
        server = Server(pathlib.Path(data) / "data").start()
        try:
            for file in tables:
                if not recorded_sets(file):
                    continue
                for name in ("mean", "iqm"):
                    for seeds in SEEDS if name == "mean" else SEEDS[2:]:
                        own, other, total = coverage(server, file, seeds, name, options)
                        print(f"| {file.stem} | {name} | {seeds} | {total} | {100 * own:.0f} % |"
                              f" {100 * other:.0f} % |", flush=True)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
