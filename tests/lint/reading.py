#!/usr/bin/env python3
"""Checks that docs/reading.md quotes the code as it is.

Usage: reading.py [ROOT]. Each line of a block of C++ must be a line of one of the files that the
section before it links to.
"""
import pathlib
import re
import sys

LINK = re.compile(r"\]\(\.\./([^)#]+)\)")


def faults(root: pathlib.Path):
    page = root / "docs" / "reading.md"
    quoting, lines = False, set()
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("```"):
            quoting = line == "```cpp"
        elif quoting and line not in lines:
            yield f"docs/reading.md:{number}: no file that was linked before has the line: {line}"
        elif not quoting:
            for link in LINK.findall(line):
                if (file := root / link).is_file():
                    lines |= set(file.read_text(encoding="utf-8").splitlines())


def main() -> int:
    found = list(faults(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
    print(*found, f"reading: {len(found)} faults", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
