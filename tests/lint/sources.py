#!/usr/bin/env python3
"""Checks docs/sources.md: every row has a link to a test, or is marked as not built.

Usage: sources.py [ROOT]. A row's first cell is what a source asks for; the table has a column
`test`. Each link must lead to a file, and one of the column `test` to a file of tests/ that ctest
runs. A row without such a link must say "not built" in the cell after the first.
"""

import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")


def rows(lines):
    """The number of each row of a table that has a column `test`, with its cells by column."""
    columns = None
    for number, line in enumerate(lines, 1):
        if not line.startswith("|"):
            columns = None
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if columns is None:
            columns = cells
        elif "test" in columns and not set("".join(cells)) <= set("-: "):
            yield number, dict(zip(columns, cells + [""] * (len(columns) - len(cells))))


def is_run(root: pathlib.Path, link):
    """Whether ctest runs the test: e2e/test_*.py by their pattern, others by a CMakeLists.txt."""
    test = (root / "docs" / link).resolve()
    if test.parent == root / "tests" / "e2e":
        return test.name.startswith("test_")
    lists = [folder / "CMakeLists.txt" for folder in test.parents if root in folder.parents]
    return any(test.name in file.read_text() for file in lists if file.exists())


def faults(root: pathlib.Path):
    """What is wrong, as sentences that begin with a place."""
    page = root / "docs" / "sources.md"
    lines = page.read_text().splitlines()
    count = 0
    for number, cells in rows(lines):
        count += 1
        place = f"docs/sources.md:{number}: "
        asked, here = list(cells.values())[:2]
        tests = LINK.findall(cells["test"])
        for link in LINK.findall(" ".join(cells.values())):
            if not link.startswith("http") and not (page.parent / link).exists():
                yield f"{place}{link} does not exist"
        if any(not link.startswith("../tests/") for link in tests):
            yield f"{place}the column `test` links to something else than a test"
        for link in tests:
            if not is_run(root, link):
                yield f"{place}ctest does not run {link}"
        if not tests and "not built" not in here:
            yield f"{place}{asked[:60]!r} has no link to a test and does not say \"not built\""
    if count < 50:
        yield f"docs/sources.md: only {count} rows were recognized"


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    found = list(faults(root))
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
