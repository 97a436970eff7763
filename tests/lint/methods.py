#!/usr/bin/env python3
"""Checks that search methods and rules are known by name to their tables alone.

Usage: methods.py [ROOT]. The names are those of schemas/types/methods.cpp and of the tables in
server/search/samplers and terminators. Elsewhere the product asks the traits of a row. Importers
write sweep files from the words of other tools, `hone init` writes such files, and placements of
`simulate cluster` have some of these names. Ordinary words, such as "none", count where they follow
`rule` or `method`.
"""

import pathlib
import re
import sys

TABLES = ["schemas/types/methods.hpp", "schemas/types/methods.cpp",
          "server/search/samplers/table.cpp", "server/search/terminators/table.cpp"]
ELSEWHERE = ["server/search/samplers/", "server/search/terminators/", "sdk/cpp/import/",
             "server/cluster/", "sdk/cli/commands/start/init_texts",
             "sdk/cli/commands/start/import_study"]
ORDINARY = {"none", "random", "median", "percentile", "hone", "grid", "external", "threshold",
            "patience"}


def names_in(root: pathlib.Path) -> set[str]:
    rows = r'(?:SamplerRow\{|\.rule = |MethodTraits\{\.name = )"(\w+)"|string_view \w+ = "(\w+)"'
    texts = [(root / table).read_text() for table in TABLES]
    return {a or b for text in texts for a, b in re.findall(rows, text)}


def faults_in(text: str, names: set[str]):
    """The lines that know a method by name, and the name."""
    plain = "|".join(sorted(names - ORDINARY))
    ordinary = "|".join(sorted(names & ORDINARY))
    known = re.compile(rf'"({plain})"|(?:rule|method)"?\)?\s*(?:==|!=|=|,)\s*"({ordinary})"')
    for number, line in enumerate(text.splitlines(), 1):
        for match in known.finditer(line.split("//")[0]):
            yield number, match.group(1) or match.group(2)


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    names = names_in(root)
    broken = 0
    for folder in ("schemas", "server", "db", "sdk/cli", "study", "worker/agent"):
        for path in sorted((root / folder).rglob("*.[ch]pp")):
            place = path.relative_to(root).as_posix()
            if place in TABLES or place.startswith(tuple(ELSEWHERE)):
                continue
            for number, name in faults_in(path.read_text(), names):
                print(f"{place}:{number}: knows the method or rule '{name}' by name")
                broken += 1
    print(f"methods: {len(names)} names, {broken} broken rules")
    return 1 if broken or len(names) < 15 else 0


if __name__ == "__main__":
    sys.exit(main())
