#!/usr/bin/env python3
"""hone's search against other optimizers on twenty functions on which no setting was chosen.

run.py --keep FOLDER [--tools NAME ...] [--seeds N] [--bin build/release/bin]   searches, tables
run.py --keep FOLDER --tables                                                  tables alone

Each tool makes 200 trials one after the other, hone through its Python SDK on a server of this
program. FOLDER keeps what was found (TOOL.json), so that a stopped program continues, and tools can
be searched in different Pythons. The others come from `pip install optuna rustuna cma nevergrad
smac botorch 'numpy<2.3'`, for Nevergrad; one that is not installed is left out, with a line.

The value of a search after n trials is the true value of the trial with the best told one. Regrets
below 1e-8 count as equal.
"""
import argparse
import json
import math
import os
import pathlib
import random
import statistics
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "sdk" / "python"), str(ROOT / "tests" / "bench")]

import hone  # noqa: E402
from search_bench import brief, note, rank_sum_z, table  # noqa: E402
from problems import PROBLEMS  # noqa: E402
from tools import TOOLS, Hone  # noqa: E402

TRIALS = 200
LOOKS = (50, 100, 200)
RESAMPLES = 2000
FOUND = 1e-8  # smaller regrets count as equal
CLEAR = 2.58  # standard deviations of a rank sum: one in a hundred comparisons of equals


def searched(tool: str, problem, seed: int) -> list:
    """One search: [trial, true value] for each trial whose told value is the least so far."""
    noise = random.Random(f"{problem.name}/{seed}")
    made = TOOLS[tool](problem.space, TRIALS, seed)
    best, trace = math.inf, []
    for trial in range(1, TRIALS + 1):
        params = made.ask()
        true = problem.value(params)
        told = None if true is None else true + noise.gauss(0, problem.noise)
        if told is not None and told < best:
            best = told
            trace.append([trial, true])
        made.tell(params, told)
    return trace


def search(tool: str, options):
    """What is missing of a tool's searches, seed by seed, so that all problems are as far."""
    file = options.keep / f"{tool.replace(' ', '_')}.json"
    kept = json.loads(file.read_text()) if file.exists() else {}
    for seed in range(1, options.seeds + 1):
        for problem in PROBLEMS:
            key = f"{problem.name}/{seed}"
            if key in kept:
                continue
            try:
                kept[key] = searched(tool, problem, seed)
            except ImportError as error:
                note(f"{tool}: left out: {error}")
                return
        file.write_text(json.dumps(kept))
        note(f"{tool}: seed {seed} of {options.seeds}")


def search_all(options):
    with tempfile.TemporaryDirectory() as folder:
        server = None
        if any(tool.startswith("hone") for tool in options.tools):
            os.environ["HONE_BIN"] = str(options.bin.resolve())
            server = hone.LocalServer(os.path.join(folder, "data"))
            Hone.client = hone.Client(server.url)
        try:
            for tool in options.tools:
                search(tool, options)
        finally:
            if server:
                server.close()


def value_at(trace: list, look: int) -> float:
    values = [value for trial, value in trace if trial <= look]
    return values[-1] if values else math.inf


def ranks(values: list[float]) -> list[float]:
    return [sum(b < a for b in values) + (values.count(a) + 1) / 2 for a in values]


def regrets(found: dict, look: int) -> dict:
    """problem -> tool -> regrets of its seeds; the least value of all where none is known."""
    made = {}
    for problem in PROBLEMS:
        values = {tool: [value_at(one, look) for key, one in kept.items()
                         if key.split("/")[0] == problem.name] for tool, kept in found.items()}
        lowest = problem.lowest
        if lowest is None:
            lowest = min(value_at(one, TRIALS) for kept in found.values()
                         for key, one in kept.items() if key.split("/")[0] == problem.name)
        made[problem.name] = {tool: [max(v - lowest, FOUND) for v in all_of]
                              for tool, all_of in values.items()}
    return made


def mean_ranks(found: dict):
    """The mean over problems of the rank of a tool's median, by resampling of the problems."""
    rows = {tool: [tool] for tool in found}
    for look in LOOKS:
        by_problem = [ranks([statistics.median(values) for values in one.values()])
                      for one in regrets(found, look).values()]
        rng, drawn = random.Random(1), []
        for _ in range(RESAMPLES):
            some = rng.choices(by_problem, k=len(by_problem))
            drawn.append([statistics.fmean(column) for column in zip(*some)])
        for at, tool in enumerate(found):
            mean = statistics.fmean(row[at] for row in by_problem)
            low, high = statistics.quantiles((row[at] for row in drawn), n=40)[::38]
            rows[tool].append(f"{mean:.2f} ({low:.1f} to {high:.1f})")
    for tool, kept in found.items():
        rows[tool].append(str(len(kept)))
    print("### Mean rank of the median, with 95 % intervals\n")
    table(["after", *map(str, LOOKS), "searches"], list(rows.values()))


def comparisons(found: dict, ours: str):
    rows = []
    for tool in found:
        if tool == ours:
            continue
        cells = []
        for look in LOOKS:
            z = {name: rank_sum_z(one[ours], one[tool])
                 for name, one in regrets(found, look).items()}
            lost = [name for name, one in z.items() if one > CLEAR]
            cells.append(f"{sum(one < -CLEAR for one in z.values())} : {len(lost)}"
                         + (f" ({', '.join(lost)})" if lost else ""))
        rows.append([tool, *cells])
    print(f"### `{ours}`: problems clearly better : clearly worse (|z| > {CLEAR})\n")
    table(["against", *(f"after {look}" for look in LOOKS)], rows)


def print_tables(found: dict):
    mean_ranks(found)
    for ours in (tool for tool in found if tool.startswith("hone")):
        comparisons(found, ours)
    for look in LOOKS:
        print(f"### Median regret after {look} trials\n")
        table(["problem", *found],
              [[name, *(brief(statistics.median(values)) for values in one.values())]
               for name, one in regrets(found, look).items()])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=pathlib.Path, required=True, help="folder of the results")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--tools", nargs="+", choices=TOOLS, default=list(TOOLS))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--tables", action="store_true", help="only print what FOLDER has")
    options = parser.parse_args()
    options.keep.mkdir(parents=True, exist_ok=True)
    if not options.tables:
        search_all(options)
    found = {}
    for tool in TOOLS:
        file = options.keep / f"{tool.replace(' ', '_')}.json"
        if file.exists():
            found[tool] = json.loads(file.read_text())
    print_tables(found)
    sys.stdout.flush()
    os._exit(0)  # threads that Nevergrad leaves behind would keep the program from ending


if __name__ == "__main__":
    main()
