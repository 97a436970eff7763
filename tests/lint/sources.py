#!/usr/bin/env python3
"""Checks docs/sources.md: every row names a test case, or is marked as not built.

Usage: sources.py [ROOT]. A row's first cell is what a source asks for; the table has a column
`test`. Each link must lead to a file, and one of the column `test` to a file of tests/ that ctest
runs, with the text `FILE: CASE`: the case must be in that file. A row without such a link must say
"not built" in the cell after the first, and a row with one must not; a row whose deviation begins
with "partly" must say what is missing.
"""

import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")
NAMED = re.compile(r"\[([^\]]*)\]\(([^)#]+)\)")


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


def has_case(file: pathlib.Path, case):
    """Whether a file of tests has the case: a function of pytest, or a test of GoogleTest."""
    kind = rf"^def {case}\(" if file.suffix == ".py" else rf"^TEST\w*\(\w+,\s*{case}\)"
    return re.search(kind, file.read_text(), re.MULTILINE) is not None


def faults_of_names(root: pathlib.Path, cell):
    """What is wrong with the cases that a cell of the column `test` names."""
    for text, link in NAMED.findall(cell):
        file = (root / "docs" / link).resolve()
        name, _, case = text.partition(": ")
        if not file.exists():
            continue  # reported for every column
        if name != file.stem or not re.fullmatch(r"\w+", case):
            yield f"{text!r} is not `{file.stem}: CASE`"
        elif not has_case(file, case):
            yield f"{link} has no test {case}"


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
        for fault in faults_of_names(root, cells["test"]):
            yield place + fault
        if re.fullmatch(r"partly:?\s*", list(cells.values())[-1]):
            yield f"{place}\"partly\" does not say what is missing"
        if tests and "not built" in here:
            yield f"{place}{asked[:60]!r} is marked as not built and has a test"
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
