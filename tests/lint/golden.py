#!/usr/bin/env python3
"""Checks that each kind of event occurs in a recorded ledger of tests/golden.

Usage: golden.py [ROOT]. The kinds are those of schemas/codec/event_codec.cpp. A ledger is X.jsonl
with the state it gave, X.book; record.py records both. Recorded events are permanent, so each kind
needs a ledger that every later hone must read.
"""
import json
import pathlib
import re
import sys


def known_kinds(root: pathlib.Path) -> set[str]:
    text = (root / "schemas" / "codec" / "event_codec.cpp").read_text(encoding="utf-8")
    table = re.search(r"constexpr auto kinds = word_table\(([^;]*)\);", text)
    return set(re.findall(r'"(\w+)"', table[1])) if table else set()


def recorded_kinds(file: pathlib.Path) -> set[str]:
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return {row["kind"] for row in rows}


def faults(root: pathlib.Path):
    known = known_kinds(root)
    if len(known) < 44:
        yield "schemas/codec/event_codec.cpp: its table of kinds is not where this lint looks"
    recorded: set[str] = set()
    for file in sorted((root / "tests" / "golden").glob("*.jsonl")):
        recorded |= recorded_kinds(file)
        if not file.with_suffix(".book").exists():
            yield f"tests/golden/{file.name}: its state {file.stem}.book is missing"
    for kind in sorted(known - recorded):
        yield (f"{kind}: no ledger of tests/golden has one: record a further one"
               " (tests/golden/record.py)")
    for kind in sorted(recorded - known):
        yield f"{kind}: a recorded ledger has it, and the codec does not know it any more"


def main() -> int:
    found = list(faults(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
    print(*found, f"golden: {len(found)} faults", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
