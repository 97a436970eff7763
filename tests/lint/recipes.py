#!/usr/bin/env python3
"""Checks ARCHITECTURE.md's table "Adding things": how many places a real example of each recipe
touches.

Usage: recipes.py [ROOT] [--show]. For each recipe, counts the files that mention an existing
example, outside tests and documents; a header and its source count once. Exits 1 if an example
touches more places than the table allows, if ARCHITECTURE.md states another number, or if
CONTRIBUTING.md sends a reader to a table in which the example has no row. --show lists the places.
"""

import argparse
import pathlib
import re
import sys

# Recipe -> (most places, pattern that only the example matches, folders to search).
RECIPES = {
    "sampler": (2, r'\bmake_grid\b|"grid"', ["server", "schemas/types"]),
    "terminator": (2, r'\bmake_median\b|"median"', ["server", "schemas/types"]),
    "environment": (2, r"\bacrobot(::|, builtin)|/acrobot\.hpp", ["worker", "schemas", "server"]),
    "scheduling policy": (1, r'"las", "las"', ["server", "sdk/cli"]),
    "trainer": (3, r'\bcem_(info|row|settings)\b|\(cem\b', ["worker", "schemas", "server"]),
    "setting": (1, r'"priority_beta_end"', ["schemas", "server", "sdk", "dashboard"]),
    "write route": (9, r"\bPin(Request)?\b|\w+_pin(_request)?\b|\{trial\}/pin\b",
                    ["server", "schemas", "db"]),
    "command": (4, r"\bPin\b|\bdecide_pin\b", ["server/sweep"]),
    "event": (9, r"\bTrialPinned\b|\w*trial_pinned\b", ["server", "schemas", "db"]),
    "row member": (2, r'"code_differs_in"| code_differs_in: ', ["server", "schemas", "db"]),
    "read route": (3, r"page<list_tokens>|> list_tokens\(| /v1/tokens:\n", ["server/api", "schemas", "db"]),
    "filter field": (1, r'\{trial, "pinned"', ["db", "server", "sdk/cli"]),
    "lineage relation": (2, r'"resubmitted_from"', ["db", "server", "sdk/cli"]),
    "table column": (6, r"\bdropped_at\b", ["db"]),
}
SUFFIXES = (".cpp", ".hpp", ".sql", ".json", ".yaml", ".txt")


def places(root: pathlib.Path, pattern: str, folders: list[str]) -> list[str]:
    """The files that mention the example, without their endings."""
    found = set()
    for folder in folders:
        for file in (root / folder).rglob("*"):
            path = file.relative_to(root)
            skipped = "cases" in path.parts or path.parts[:3] == ("sdk", "cpp", "import")
            if file.suffix not in SUFFIXES or skipped:
                continue
            if re.search(pattern, file.read_text(encoding="utf-8")):
                found.add(path.with_suffix("").as_posix())
    return sorted(found)


def stated(root: pathlib.Path) -> dict[str, int]:
    """Recipe -> the number in the second column of the table."""
    text = (root / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([a-z ]+?) \| (\d+) \|", text, re.MULTILINE)
    return {name: int(number) for name, number in rows}


def rows_named(root: pathlib.Path) -> dict[str, list[str]]:
    """Recipe -> the tables to which CONTRIBUTING.md says that a row is added."""
    text = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    recipes = re.findall(r"^\*\*An? ([^*]+)\.\*\*(.*?)(?=^\*\*|^## )", text, re.M | re.S)
    names = {"field of the filter language": "filter field"}
    return {names.get(name, name): re.findall(r"\brow[^.;`]*?(?:in|to)\s+`([^`]+)\.\w+`", steps)
            for name, steps in recipes}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", default=".", type=pathlib.Path)
    parser.add_argument("--show", action="store_true", help="list the places")
    options = parser.parse_args()
    root = options.root.resolve()
    table, rows = stated(root), rows_named(root)
    broken = 0
    for recipe, (most, pattern, folders) in RECIPES.items():
        found = places(root, pattern, folders)
        print(f"{recipe:17} {len(found)} of at most {most} places")
        if options.show:
            print(*(f"    {place}" for place in found), sep="\n")
        if not found:
            print(f"    its example is gone: name another one in {pathlib.Path(__file__).name}")
        if table.get(recipe) != most:
            print(f"    ARCHITECTURE.md states {table.get(recipe, 'nothing')}")
        elsewhere = [row for row in rows.get(recipe, [])
                     if not any(place.endswith(row) for place in found)]
        if elsewhere:
            print(f"    CONTRIBUTING.md adds a row where its example has none: {elsewhere}")
        broken += bool(elsewhere)
        broken += not found or len(found) > most or table.get(recipe) != most
    print(f"recipes: {broken} broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
