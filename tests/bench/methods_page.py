#!/usr/bin/env python3
"""Writes docs/methods.md, "Which method when": every search method and every rule, simulated on the
recorded curve tables and on the families of made-up ones.

methods_page.py --hone build/test/bin/hone --write docs/methods.md [--quick]

Each method gets the same workers and the same time. Every rule runs with the search method random,
every search method with the rule asha, and the pairs that belong together as such. --quick is small
enough for a test; its figures mean nothing.
"""

import argparse
import concurrent.futures
import datetime
import itertools
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from stopping_bench import by_trials

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS = [(4, 2), (8, 4)]  # (workers, deadline in complete runs)
DEFAULT = "hone"  # a sweep file that names neither method nor rule
PAIRS = ["hone:version=1", "hone:version=2", DEFAULT, "bohb/hyperband", "dehb/dehb"]
FLOOR = 0.05  # added to both regrets of a ratio: a set so near the best counts as found
# Nemenyi's q for 5 % and 2, 3, ... methods (Demsar, JMLR 2006, and its continuation: the quantile
# of the studentized range for infinite degrees of freedom divided by the square root of 2).
NEMENYI = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164, 3.219, 3.268, 3.313,
           3.354, 3.391, 3.426, 3.458, 3.489, 3.517, 3.544, 3.569, 3.593, 3.616, 3.637, 3.658]
LEFT_OUT = {
    "threshold": "its value is the user's",
    "external": "its proposals are the user's",
    "grid": "its number of trials follows from its points, not from the budget",
    "pbt": "a recorded curve cannot tell what a fork with other parameters would reach",
    "pb2": "as pbt",
}


def known(hone: str, sweep: str, table: str, bad: str) -> list[str]:
    """The rows of a table of methods: what the refusal of an unknown word names."""
    done = subprocess.run([hone, "simulate", sweep, "--table", table, "--reps", "1", "--against",
                           bad], capture_output=True, text=True)
    found = re.search(r"there is ([\w, ]+)", done.stderr)
    if not found:
        sys.exit(f"hone simulate --against {bad} named no methods: {done.stderr}")
    return found.group(1).split(", ")


def sweep_of(card: dict) -> dict:
    return {
        "name": "simulation", "objective": {"metric": "value", "goal": card["goal"]},
        "command": ["true"], "parameters": card["parameters"],
        "search": {"method": "random", "trials": 200}, "terminator": {"rule": "none"},
        "budget": {"unit": "checkpoints", "per_run": card["checkpoints"],
                   "phases": card["checkpoints"]},
    }


def write_sweep(table: pathlib.Path, folder: pathlib.Path) -> str:
    card = json.loads(table.with_suffix(".json").read_text())
    path = folder / f"{table.stem}.sweep.json"
    path.write_text(json.dumps(sweep_of(card)))
    return str(path)


def simulate(options, sweep: str, table: pathlib.Path, column, methods: list[str]) -> dict:
    """method -> (mean normalized regret, its standard error)"""
    command = [options.hone, "simulate", sweep, "--table", str(table), "--workers", str(column[0]),
               "--deadline", str(column[1]), "--reps", str(options.reps), "--seed",
               str(options.seed), "--format", "jsonl", "-q"]
    found = {}
    for trials, sized in by_trials(methods, column).items():
        against = [word for method in sized if method != "none"  # the sweep's own
                   for word in ("--against", method)]
        row = regrets([*command, "--set", f"search.trials={trials}", *against])
        found |= {method: row[method] for method in sized}
    return found


def regrets(command: list[str]) -> dict:
    """Of a `hone simulate --format jsonl`: method -> (mean normalized regret, its standard error)"""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    rows = map(json.loads, done.stdout.splitlines())
    return {row["method"]: (row["regret"]["mean"], row["regret"]["se"]) for row in rows}


def tables_of(options, folder: pathlib.Path) -> dict[str, list[pathlib.Path]]:
    """kind -> its tables"""
    made = subprocess.run([options.bench, "curves", "--folder", str(folder), "--tables",
                           str(options.tables), "--seed", str(options.seed)],
                          capture_output=True, text=True, check=True)
    kinds = {"recorded": [ROOT / "tests/data/curves" / f"{name}.csv" for name in (
        "ga3c_acrobot", "ga3c_cartpole", "ga3c_cartpole_short", "ga3c_cartpole_wide")]}
    if options.quick:
        kinds["recorded"] = kinds["recorded"][:1]
    for line in made.stdout.splitlines():
        path = pathlib.Path(line)
        kinds.setdefault(path.stem.rsplit("_", 1)[0], []).append(path)
    return kinds


def ranks(regrets: dict[str, float]) -> dict[str, float]:
    """1 for the lowest; equal ones share the mean of their ranks"""
    return {name: 1 + sum(other < own for other in regrets.values())
            + (sum(other == own for other in regrets.values()) - 1) / 2
            for name, own in regrets.items()}


def mean(values) -> float:
    values = list(values)
    return sum(values) / len(values)


def ratio(regret: float, none: float) -> float:
    return (regret + FLOOR) / (none + FLOOR)


def geometric(ratios) -> float:
    return math.exp(mean(math.log(one) for one in ratios))


class Results:
    def __init__(self, kinds: dict, cells: dict, methods: list[str]):
        self.kinds, self.cells, self.methods = kinds, cells, methods
        self.tables = [table.stem for table in itertools.chain(*kinds.values())]
        # One block for each table: the mean over its columns.
        self.regret = {table: {method: mean(cells[table, column][method][0]
                                            for column in self.columns(table))
                               for method in methods} for table in self.tables}
        by_table = [ranks(self.regret[table]) for table in self.tables]
        self.rank = {method: mean(one[method] for one in by_table) for method in methods}
        count = len(methods)
        self.critical = NEMENYI[count - 2] * math.sqrt(
            count * (count + 1) / (6 * len(self.tables)))

    def columns(self, table: str):
        return [column for of, column in self.cells if of == table]

    def of_none(self, method: str, tables) -> float:
        return geometric(ratio(self.regret[table][method], self.regret[table]["none"])
                         for table in tables)

    def kind_tables(self, kind: str) -> list[str]:
        return [table.stem for table in self.kinds[kind]]

    def ordered(self) -> list[str]:
        return sorted(self.methods, key=lambda method: self.rank[method])

    def group(self) -> list[str]:
        """Those whose mean rank is within the critical difference of the best one."""
        best = self.rank[self.ordered()[0]]
        return [method for method in self.ordered() if self.rank[method] <= best + self.critical]

    def best_of(self, kind: str) -> list[str]:
        return sorted(self.methods, key=lambda one: self.of_none(one, self.kind_tables(kind)))

    def lost(self, own: str = DEFAULT) -> list[tuple]:
        """Columns in which `own` is worse than complete runs by more than 15 % and their errors."""
        found = []
        for (table, column), cell in self.cells.items():
            regret, error = cell[own]
            none, of_none = cell["none"]
            if regret > 1.15 * none + math.hypot(error, of_none):
                found.append((table, column, regret, none))
        return found

    def lowest(self, own: str = DEFAULT) -> int:
        """Columns in which `own` is lowest or within one standard error of the lowest."""
        count = 0
        for cell in self.cells.values():
            name = min(cell, key=lambda method: cell[method][0])
            least, error = cell[name]
            count += cell[own][0] <= least + math.hypot(error, cell[own][1])
        return count


def listed(words: list[str]) -> str:
    quoted = [f"`{word}`" for word in words]
    return quoted[0] if len(quoted) == 1 else ", ".join(quoted[:-1]) + " and " + quoted[-1]


def wrapped(text: str, width: int = 138) -> str:
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = "  " + word if text.startswith("- ") else word
        else:
            line = f"{line} {word}" if line else word
    return "\n".join(lines + [line])


def as_yaml(method: str) -> str:
    """How a sweep file names a method of the tables."""
    if method == "hone":
        return "`terminator: {rule: hone}`"
    if method.startswith("hone:version="):
        return f"`terminator: {{rule: hone, version: {method.rpartition('=')[2]}}}`"
    return f"`{method}`"


def general_advice(results: Results) -> str:
    group = results.group()
    first = group[0]
    found = (f"{as_yaml(first)} has the lowest mean rank ({results.rank[first]:.1f}), and"
             f" {results.of_none(first, results.tables):.2f} times the regret of complete runs")
    if "none" in group:
        return (f"- **In general** no method can be told from complete runs (`none`) by these"
                f" tables alone; {found}. Nor can {listed(group[1:])} be told from it.")
    others = f" The data cannot tell it from {listed(group[1:])}." if group[1:] else ""
    return f"- **In general** {found}.{others}"


def advice(results: Results) -> list[str]:
    rows = [general_advice(results)]
    misled = [kind for kind in results.kinds
              if results.of_none(results.best_of(kind)[0], results.kind_tables(kind)) > 0.9]
    for kind in results.kinds:
        best = results.best_of(kind)[0]
        own = results.of_none(DEFAULT, results.kind_tables(kind))
        if best != DEFAULT and own > 1 and kind not in misled:
            rows.append(f"- **On curves like `{kind}`** ([the"
                        " families](termination.md#made-up-curves)) do not use the default,"
                        f" {as_yaml(DEFAULT)}:"
                        f" it has {own:.2f} times the regret of complete runs; {as_yaml(best)} has"
                        f" {results.of_none(best, results.kind_tables(kind)):.2f}.")
    if misled:
        worst = max(results.of_none(DEFAULT, results.kind_tables(kind)) for kind in misled)
        rows.append(f"- **Where early reports say little** ([{listed(misled)}]"
                    "(termination.md#made-up-curves)) no method is more than a tenth better than"
                    f" complete runs, and the default has up to {worst:.2f} times their regret: use"
                    " `none`.")
    rows.append("- **If you do not know your curves**, record some (`hone export SW --format"
                " curves`) and compare on them: `hone simulate FILE --table CURVES.csv --against"
                " asha`.")
    rows.append("- **If a schedule of parameters may matter** and your trainer resumes checkpoints,"
                " try `pbt` or `pb2`. No figure here is about them: only training can compare them.")
    return rows


def figures(results: Results) -> list[str]:
    rows = ["| method | mean rank | regret, of none | best kinds | worst kind |",
            "|---|---:|---:|---|---|"]
    bests = {kind: results.best_of(kind)[0] for kind in results.kinds}
    for method in results.ordered():
        kinds = sorted(results.kinds,
                       key=lambda kind: results.of_none(method, results.kind_tables(kind)))
        worst = results.of_none(method, results.kind_tables(kinds[-1]))
        won = ", ".join(kind for kind, best in bests.items() if best == method)
        rows.append(f"| `{method}` | {results.rank[method]:.2f} |"
                    f" {results.of_none(method, results.tables):.2f} | {won} |"
                    f" {kinds[-1]} ({worst:.2f}) |" if method != "none" else
                    f"| `none` | {results.rank[method]:.2f} | 1 | {won} | |")
    return rows


def by_kind(results: Results) -> list[str]:
    rows = [f"| curves | tables | best three, of none | `{DEFAULT}` | `asha` | `hyperband` |",
            "|---|---:|---|---:|---:|---:|"]
    for kind in results.kinds:
        tables = results.kind_tables(kind)
        best = ", ".join(f"`{one}` {results.of_none(one, tables):.2f}"
                         for one in results.best_of(kind)[:3])
        own = " | ".join(f"{results.of_none(one, tables):.2f}"
                         for one in (DEFAULT, "asha", "hyperband"))
        rows.append(f"| {kind} | {len(tables)} | {best} | {own} |")
    return rows


def losses(results: Results, own: str) -> list[str]:
    lost = results.lost(own)
    rows = [wrapped(f"`{own}` is lowest, or within one standard error of the lowest, in"
                    f" {results.lowest(own)} of {len(results.cells)} columns (a table with one"
                    f" number of workers and one deadline). In {len(lost)} it is worse than complete"
                    " runs by more than 15 % and one standard error:"), ""]
    if not lost:
        return rows[:-1] + ["none.", ""]
    rows += [f"| table | workers | deadline | `{own}` | `none` |", "|---|---:|---:|---:|---:|"]
    rows += [f"| {table} | {workers} | {deadline} | {regret:.3f} | {none:.3f} |"
             for table, (workers, deadline), regret, none in lost]
    return rows + [""]


def page(options, results: Results, left_out: list[str]) -> str:
    command = "tests/bench/methods_page.py --write docs/methods.md" + (
        " --quick" if options.quick else f" --reps {options.reps}")
    columns = " and ".join(f"{workers} workers for {deadline} complete runs' time"
                           for workers, deadline in options.columns)
    skipped = "; ".join(f"`{name}` ({LEFT_OUT[name]})" for name in left_out)
    owns = dict.fromkeys([DEFAULT, results.group()[0]])
    return "\n".join([
        "# Which method when", "",
        wrapped(f"Printed by `{command}` on {options.date}, with {options.reps} repetitions of each"
                f" cell. Do not edit: run it again."), "",
        *map(wrapped, advice(results)), "",
        "## How it was measured", "",
        wrapped(f"`hone simulate` replays learning curves under the server's own rules:"
                f" {len(results.tables)} tables, which are {len(results.kinds['recorded'])} of hone's"
                f" trainers (`recorded`) and {options.tables} of each family of made-up ones"
                f" ([termination.md](termination.md#made-up-curves)). Every method gets the same"
                f" budget: {columns}, and as many phases as the table has. They have 200 trials;"
                " `hypertrick`, which expects all of its trials to start, as many as fit the time."
                " Every rule proposes at random; `X/asha` is the search method X with the rule asha; `hone` is"
                " `search: {method: hone}` with its rule. The regret of the set that a method names"
                " is 0 for the best set and 1 for the median one, whatever diverges. `of none` is"
                f" (regret + {FLOOR}) / (regret of none + {FLOOR}), its geometric mean over tables."), "",
        wrapped(f"Ranks count the {len(results.methods)} methods of a table from the lowest regret;"
                f" two mean ranks that differ by less than {results.critical:.2f} could differ by"
                " chance (Nemenyi's test, 5 %, tables taken as independent; those of one family are"
                " less so). All versions of `hone` were developed on the recorded tables and on"
                " other tables of these families: expect less of them elsewhere"
                " ([hone.md](hone.md#versions))."), "",
        wrapped("The page says little about search in continuous spaces: a made-up table has 80"
                " parameter sets, and a proposal takes the nearest one. [search.md](search.md) is"
                " about that."), "",
        wrapped(f"Left out: {skipped}."), "",
        "## All methods", "", *figures(results), "",
        "## By kind of curve", "", *by_kind(results), "",
        "## Where hone loses", "",
        *itertools.chain.from_iterable(losses(results, own) for own in owns)])


def measure(options, folder: pathlib.Path) -> tuple[Results, list[str]]:
    kinds = tables_of(options, folder)
    first = kinds["recorded"][0]
    sweeps = {table.stem: write_sweep(table, folder) for table in itertools.chain(*kinds.values())}
    rules = known(options.hone, sweeps[first.stem], str(first), "no-such-rule")
    samplers = known(options.hone, sweeps[first.stem], str(first), "no-such-method/none")
    methods = [rule for rule in rules if rule not in LEFT_OUT and rule not in ("hone", "dehb")]
    methods += [f"{one}/asha" for one in samplers
                if one not in LEFT_OUT and one not in ("random", "dehb", "bohb")]
    methods += PAIRS
    left_out = [name for name in LEFT_OUT if name in rules or name in samplers]
    jobs = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for table in itertools.chain(*kinds.values()):
            for column in options.columns:
                jobs[table.stem, column] = pool.submit(simulate, options, sweeps[table.stem],
                                                       table, column, methods)
        cells = {key: job.result() for key, job in jobs.items()}
    return Results(kinds, cells, methods), left_out


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hone", default="build/test/bin/hone")
    parser.add_argument("--write", help="the page; without it, print it")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--reps", type=int, default=40)
    parser.add_argument("--tables", type=int, default=2, help="of each family")
    parser.add_argument("--seed", type=int, default=101)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--date", default=datetime.date.today().isoformat())
    options = parser.parse_args()
    options.hone = os.path.abspath(options.hone)
    options.bench = os.path.join(os.path.dirname(options.hone), "hone-bench")
    options.columns = COLUMNS
    if options.quick:
        options.reps, options.tables, options.columns = 2, 1, COLUMNS[:1]
    with tempfile.TemporaryDirectory() as folder:
        results, left_out = measure(options, pathlib.Path(folder))
    text = page(options, results, left_out)
    if options.write:
        pathlib.Path(options.write).write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
