#!/usr/bin/env python3
"""What a sweep gains from an earlier one on the same curves: the rule `hone` with what that one
showed about early ranks (its newest version, and version 4) and without it (prior=0).

warm_start_bench.py --hone build/test/bin/hone --seed 301 --first hone [CURVES.csv ...]

Every sweep follows one by --first, with the same workers and as much time, and learns from it
(hone simulate --after). Tables: one of each family of made-up curves, and those that are named.
Prints a row for each column (a table with one number of workers and one deadline), and for each
method the geometric mean of its regret, of none.
"""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import tempfile

from methods_page import COLUMNS, ROOT, geometric, ratio, regrets, write_sweep


def families(options, folder: pathlib.Path) -> list[pathlib.Path]:
    made = subprocess.run([options.bench, "curves", "--folder", str(folder), "--tables", "1",
                           "--seed", str(options.seed)], capture_output=True, text=True, check=True)
    return [pathlib.Path(line) for line in made.stdout.splitlines()]


def simulate(options, sweep: str, table: pathlib.Path, column) -> dict:
    """method -> (mean normalized regret, its standard error)"""
    command = [options.hone, "simulate", sweep, "--table", str(table), "--workers", str(column[0]),
               "--deadline", str(column[1]), "--reps", str(options.reps), "--seed", "5",
               "--after", options.first, "--format", "jsonl", "-q"]
    for method in options.against:
        command += ["--against", method]
    return regrets(command)


def row_text(name: str, column, cell: dict, methods: list[str]) -> str:
    none = cell["none"][0]
    values = [f"{cell[method][0]:.3f} ± {cell[method][1]:.3f} ({ratio(cell[method][0], none):.2f})"
              for method in methods]
    return f"| {name} | {column[0]} | {none:.3f} | " + " | ".join(values) + " |"


def summary(methods: list[str], cells: dict) -> list[str]:
    rows = ["", "| method | regret, of none | worst column | more than 15 % above none |",
            "|---|---:|---:|---:|"]
    for method in methods:
        ratios = {key: ratio(cell[method][0], cell["none"][0]) for key, cell in cells.items()}
        name, column = max(ratios, key=ratios.get)
        rows.append(f"| `{method}` | {geometric(ratios.values()):.2f} |"
                    f" {max(ratios.values()):.2f} ({name}, {column[0]}) |"
                    f" {sum(one > 1.15 for one in ratios.values())} of {len(cells)} |")
    return rows


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("curves", nargs="*", type=pathlib.Path, help="further curve tables")
    parser.add_argument("--hone", default=str(ROOT / "build/test/bin/hone"))
    parser.add_argument("--bench", help="hone-bench (default: next to hone)")
    parser.add_argument("--seed", type=int, default=301, help="of the families")
    parser.add_argument("--reps", type=int, default=100)
    parser.add_argument("--first", default="hone", help="the method of the first sweep")
    parser.add_argument("--against", action="append",
                        help="default: hone without the earlier sweep, version 4, newest")
    options = parser.parse_args()
    options.bench = options.bench or str(pathlib.Path(options.hone).with_name("hone-bench"))
    options.against = options.against or ["hone:prior=0", "hone:version=4", "hone"]
    return options


def main() -> None:
    options = read_options()
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        tables = families(options, folder) + options.curves
        jobs = {(table.stem, column): (write_sweep(table, folder), table, column)
                for table in tables for column in COLUMNS}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            cells = dict(zip(jobs, pool.map(lambda job: simulate(options, *job), jobs.values())))
    print("| table | workers | none | " + " | ".join(f"`{one}`" for one in options.against) + " |")
    print("|---|---:|---:|" + "---:|" * len(options.against))
    for (name, column), cell in cells.items():
        print(row_text(name, column, cell, options.against))
    print("\n".join(summary(options.against, cells)))


if __name__ == "__main__":
    main()
