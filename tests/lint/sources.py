#!/usr/bin/env python3
"""Checks docs/sources.md: every row names a test case, or is marked as not built.

Usage: sources.py [ROOT]. A row's first cell is what a source asks for; the table has a column
`test`. Each link must lead to a file, and one of the column `test` to a file of tests/ that ctest
runs, with the text `FILE: CASE`: the case must be in that file, and ./test must not skip it unless
the deviation names `./test --system`. A row without such a link must say "not built" in the cell
after the first, and a row with one must not; a row whose deviation begins with "partly" must say
what is missing.
"""

import ast
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


def installed(root: pathlib.Path):
    """The modules, programs and libraries that ./test installs or builds before it runs its tests."""
    setup = (root / "tools" / "setup.sh").read_text()
    lists = re.findall(r"^(?:trainer|torch|test)_packages=\(([^)]*)\)", setup, re.MULTILINE)
    names = {package.removeprefix("python3-") for package in " ".join(lists).split()}
    names |= {"hone-train"} | ({"libhone_torch.so"} if "libtorch-dev" in names else set())
    if re.search(r"^install_gymnasium$", (root / "test").read_text(), re.MULTILINE):
        gym = (root / "tests" / "e2e" / "libraries" / "gym.txt").read_text()
        names |= {name.replace("-", "_") for name in re.findall(r"^([\w-]+)==", gym, re.MULTILINE)}
    return names


def parts_of(file: pathlib.Path):
    """The functions of a file by name, those that it imports from its folder included, and what is
    outside of them. conftest.py skips what is not built, which ./test builds."""
    functions, rest = {}, []
    for node in ast.parse(file.read_text()).body:
        source = file.parent / f"{getattr(node, 'module', None)}.py"
        if isinstance(node, ast.FunctionDef):
            functions[node.name] = node
        elif isinstance(node, ast.ImportFrom) and source.exists() and source.stem != "conftest":
            theirs = parts_of(source)[0]
            functions.update({alias.name: theirs[alias.name] for alias in node.names
                              if alias.name in theirs})
        else:
            rest.append(node)
    return functions, rest


def reached(file: pathlib.Path, case):
    """What runs before or in a case: the file, the case, and the fixtures and functions it names."""
    functions, rest = parts_of(file)
    names, seen, found = [case], set(), list(rest)
    while names:
        name = names.pop()
        if name in functions and name not in seen and name != "needs":
            seen.add(name)
            found.append(functions[name])
            for node in ast.walk(functions[name]):
                names += [getattr(node, "id", None) or getattr(node, "arg", None) or ""]
    return found


def texts_of(nodes):
    return {node.value for part in nodes for node in ast.walk(part)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def skips_of(node: ast.AST):
    """For each place that may skip: the names of what it does not find then."""
    for part in ast.walk(node):
        name = ast.unparse(part.func) if isinstance(part, ast.Call) else ""
        if name in ("needs", "pytest.importorskip"):
            yield texts_of(part.args)
        elif name.endswith(("mark.skip", "mark.skipif")):
            yield set()
        elif name == "pytest.skip" and not getattr(part, "guarded", False):
            yield set()
        elif isinstance(part, ast.If):
            for call in (one for body in part.body for one in ast.walk(body)):
                if isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.skip":
                    call.guarded = True
                    yield texts_of([part.test])


def is_skipped(root: pathlib.Path, file: pathlib.Path, case):
    """Whether ./test may skip the case, for want of what its set-up does not install."""
    if file.suffix != ".py":
        body = re.search(rf"^TEST\w*\(\w+,\s*{case}\).*?^}}", file.read_text(), re.M | re.S)
        return body is not None and "GTEST_SKIP" in body[0]
    return any(not names or not names <= installed(root)
               for node in reached(file, case) for names in skips_of(node))


def faults_of_names(root: pathlib.Path, cell, deviation):
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
        elif "`./test --system`" not in deviation and is_skipped(root, file, case):
            yield f"./test skips {case} of {link}: its set-up does not install what the case needs"


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
        for fault in faults_of_names(root, cells["test"], list(cells.values())[-1]):
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
