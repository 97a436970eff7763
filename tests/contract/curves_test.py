"""Holds the curve tables of tests/data/curves to their cards, and the cards to the sweeps that made
them."""

import csv
import json
import pathlib
import re
import sys

folder = pathlib.Path(__file__).resolve().parents[1] / "data" / "curves"
BYTES_MAX = 600_000
CONFIGURATIONS_MIN, SEEDS_MIN = 60, 3


def faults_of_space(row, parameters):
    for name, domain in parameters.items():
        if row[name] == "":
            if "when" not in domain:
                yield f"{name} is empty and has no condition"
        elif domain["type"] == "choice":
            if row[name] not in map(str, domain["values"]):
                yield f"{name} is {row[name]}"
        elif not domain["min"] <= float(row[name]) <= domain["max"]:
            yield f"{name} is {row[name]}"


def faults_of_curve(row, checkpoints):
    values = [row[f"v{k}"] for k in range(1, checkpoints + 1)]
    seconds = [float(row[f"s{k}"]) for k in range(1, checkpoints + 1) if row[f"v{k}"] != ""]
    if "" in values and any(values[values.index(""):]):
        yield "a value after a divergence"
    if seconds != sorted(set(seconds)) or (seconds and seconds[0] <= 0):
        yield "the seconds do not increase"


def faults_of(table):
    card = json.loads(table.with_suffix(".json").read_text())
    rows = list(csv.DictReader(table.open()))
    names, checkpoints = list(card["parameters"]), card["checkpoints"]
    series = [f"{letter}{k}" for letter in "vs" for k in range(1, checkpoints + 1)]
    if list(rows[0]) != [*names, "seed", *series]:
        yield "the columns are not those of the card"
        return
    for number, row in enumerate(rows, 2):
        for fault in (*faults_of_space(row, card["parameters"]),
                      *faults_of_curve(row, checkpoints)):
            yield f"line {number}: {fault}"
    seeds = {}
    for row in rows:
        seeds.setdefault(tuple(row[name] for name in names), set()).add(row["seed"])
    if len(seeds) < CONFIGURATIONS_MIN or any(len(of_one) < SEEDS_MIN for of_one in seeds.values()):
        yield f"fewer than {CONFIGURATIONS_MIN} configurations or {SEEDS_MIN} seeds each"
    if sum(map(len, seeds.values())) != len(rows):
        yield "two rows have the same parameters and seed"
    if table.stat().st_size > BYTES_MAX:
        yield f"is larger than {BYTES_MAX} bytes"
    sweep = table.with_suffix(".yaml").read_text()
    in_sweep = re.findall(r"^  (\w+): +\{type:", sweep, re.MULTILINE)
    said = (f"phases: {checkpoints}}}", f"goal: {card['goal']}}}")
    if in_sweep != names or any(text not in sweep for text in said):
        yield "does not belong to the sweep file of its name"


def main():
    tables = sorted(folder.glob("*.csv"))
    faults = [f"{table.name}: {fault}" for table in tables for fault in faults_of(table)]
    print("\n".join(faults) or f"{len(tables)} tables are sound")
    return 1 if faults or len(tables) < 2 else 0


sys.exit(main())
