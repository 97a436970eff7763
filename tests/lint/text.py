#!/usr/bin/env python3
"""Checks what tidy.py does not: Python, Markdown, CMake and shell lengths, the words of the house,
links between pages, one version.

Usage: text.py [ROOT] [--summary]. Prints one line for each broken rule and exits 1 if there is one;
--summary counts them by folder. Needs only Python's standard library and git. docs/style.md
explains the words.
"""

import argparse
import ast
import collections
import pathlib
import re
import subprocess
import sys

COLUMNS_MAX = 100
CMAKE_COLUMNS_MAX = 120
PROSE_COLUMNS_MAX = 140
LINES_PER_FILE_MAX = 400
LINES_PER_FUNCTION_MAX = 60

# An installation of the package `hone`, which others own, by any installer and among any words.
STRANGER = (r"\b(pip3?|pipx|uv|conda|poetry|pdm)( pip| tool)? (install|add|run|inject)"
            r"( +[^\s&;|,:()`#]+)*? +[\"']?hone(\[[\w,]*\])?(?![-\w*/]|\.\w)")

# Words that docs/style.md replaces: pattern -> what to write. Case does not matter.
WORDS = {
    r"\b(whoever|nobody|somebody|anybody)\b": "the client, the user, no caller, any process",
    r"\bfor ?ever\b|\bfor all time\b": "permanently",
    r"\banew\b|\bonce more\b": "again",
    r"\bbeside\b": "besides, next to, in parallel with, under load from",
    r"\b(goes|go|going|went) on\b": "continues",
    r"(?<!\bit )\bstands\b(?! (in )?for\b)": "is, is stored in",
    r"(?<!set )(?<!tell )(?<!told )(?<!far )\bapart\b(?! from)": "separately",
    r"\bof (its|their) own\b": "its own X",
    r"\b(says|say|said) so\b": "reports it",
    r"\b(is|are|was|were) told\b": "is notified, learns",
    r"\bat the door\b": "on connect",
    r"\ba thing\b": "name the object",
    r"\bset(s|ting)? aside\b": "quarantined",
    r"\blooks through\b": "checks",
    r"\bbrings? (it )?to a newer\b": "upgrades",
    r"\bdice\b": "random generator",
    STRANGER: "hone-rl: hone is a package of others",
    r"\broll-outs?\b": "rollout",
    r"(^|[.:;(] |//+ |# )who (?!are\b|is who)[a-z]+(?![^.]*\?)":
    "a sentence begins with a noun: the client",
}

# (path pattern, word pattern, reason): what may stay.
EXCEPTIONS = [
    (r"^docs/style\.md$", r".", "it quotes the words"),
    (r"^tests/lint/text\.py$", r".", "it lists the words"),
    (r"^tests/e2e/test_distribution_name\.py$", r"hone", "it tests that rule"),
    (r"^tests/(data|golden|fuzz/corpus)/|^schemas/cases/", r".", "recorded data"),
    (r"^db/migrations/", r".", "history: a migration stays as it was applied"),
    (r"^worker/train/(episodic|placement)/", r'"dice"', "the name in saved checkpoints"),
    (r"^LICENSE$|^packaging/debian/", r".", "legal texts"),
]

PROSE = (".md",)
CMAKE = (".cmake", "CMakeLists.txt")
CODE = (".cpp", ".hpp", ".py", ".sql", ".cmake", ".sh", ".yaml")
WEB = (".js", ".css", ".html")
SETTINGS = (".toml", ".txt", ".json", ".in", ".ipynb")  # only their words are checked
PROGRAMS = re.compile(r"(test|quickstart|\.ci/run|tools/\w+|tests/(bench/\w+|fuzz/run|gpu/run))$")


def tracked(root: pathlib.Path) -> list[str]:
    """Every file that git tracks or would track."""
    command = ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return sorted(path for path in set(listed) if (root / path).is_file())


def is_python(path: str, text: str) -> bool:
    return path.endswith(".py") or (text.startswith("#!") and "python" in text.split("\n", 1)[0])


def check_columns(path: str, text: str):
    """Lines that are too long. Tables, links and the lines of a literal that holds data may be
    longer."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if path.endswith(PROSE):
            fenced ^= line.lstrip().startswith("```")
            exempt = line.startswith(("|", "    ")) or fenced or re.search(r"https?://\S{40}", line)
            if len(line) > PROSE_COLUMNS_MAX and not exempt:
                yield number, f"{len(line)} columns; prose stops at {PROSE_COLUMNS_MAX}"
        elif path.endswith(CMAKE):
            if len(line) > CMAKE_COLUMNS_MAX:
                yield number, f"{len(line)} columns; CMake stops at {CMAKE_COLUMNS_MAX}"
        elif len(line) > COLUMNS_MAX and not re.match(r"\s*[fbr]*[\"']", line):
            yield number, f"{len(line)} columns; a line stops at {COLUMNS_MAX}"


def check_python(path: str, text: str):
    length = text.count("\n")
    if length > LINES_PER_FILE_MAX:
        yield 1, f"{length} lines; a file stops at {LINES_PER_FILE_MAX}: split it by subject"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            lines = node.end_lineno - node.lineno + 1
            if lines > LINES_PER_FUNCTION_MAX:
                yield node.lineno, f"a function of {lines} lines; at most {LINES_PER_FUNCTION_MAX}"


def check_web(path: str, text: str):
    """JavaScript, CSS and HTML; a line that holds a long text may be longer."""
    length = text.count("\n")
    if length > LINES_PER_FILE_MAX:
        yield 1, f"{length} lines; a file stops at {LINES_PER_FILE_MAX}: split it by subject"
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > COLUMNS_MAX and not re.search(r"[\"'`][^\"'`]{30}", line):
            yield number, f"{len(line)} columns; a line stops at {COLUMNS_MAX}"


def check_words(path: str, text: str):
    excepted = [words for place, words, _ in EXCEPTIONS if re.search(place, path)]
    for number, line in enumerate(text.splitlines(), 1):
        if any(re.search(words, line) for words in excepted):
            continue
        for pattern, instead in WORDS.items():
            match = re.search(pattern, line, re.IGNORECASE)
            if match:
                yield number, f"'{match.group(0).strip()}': write {instead}"


def check_links(root: pathlib.Path, path: str, text: str):
    """Relative links of a page that lead to no file."""
    for number, line in enumerate(text.splitlines(), 1):
        for target in re.findall(r"\]\(([^)#\s]+)", line):
            if "://" not in target and not (root / path).parent.joinpath(target).exists():
                yield number, f"the link '{target}' leads to no file"


def check_version(root: pathlib.Path):
    """CMakeLists.txt names the version; the Python package, Debian's changelog and CHANGELOG.md
    agree with it."""
    version = first(root / "CMakeLists.txt", r"project\(hone VERSION ([\d.]+)")
    places = {
        "sdk/python/hone/version.py": r'(?m)^__version__ = "([^"]+)"',
        "packaging/debian/changelog": r"\Ahone \(([\d.]+)[^)]*\)",
        "CHANGELOG.md": r"(?m)^## \[(\d[^\]]*)\]",
    }
    for path, pattern in places.items():
        found = first(root / path, pattern)
        if found != version:
            yield f"{path}:1: version {found}, but CMakeLists.txt has {version}"


def first(path: pathlib.Path, pattern: str) -> str:
    match = re.search(pattern, path.read_text(encoding="utf-8"))
    return match.group(1) if match else "none"


def broken_rules(root: pathlib.Path):
    for path in tracked(root):
        if not (path.endswith(PROSE + CODE + WEB + SETTINGS) or PROGRAMS.match(path)):
            continue
        text = (root / path).read_text(encoding="utf-8")
        checks = [check_words(path, text)]
        python = is_python(path, text)
        if python:
            checks.append(check_python(path, text))
        if path.endswith(WEB):
            checks.append(check_web(path, text))
        if python or path.endswith(PROSE + CMAKE):
            checks.append(check_columns(path, text))
        if path.endswith(PROSE):
            checks.append(check_links(root, path, text))
        for check in checks:
            yield from (f"{path}:{number}: {sentence}" for number, sentence in check)
    yield from check_version(root)


def summary(broken: list[str]) -> list[str]:
    counts = collections.Counter(
        str(pathlib.PurePosixPath(line.split(":")[0]).parent) for line in broken
    )
    return [f"{count:5} {folder}" for folder, count in sorted(counts.items())]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("root", nargs="?", default=".", type=pathlib.Path)
    parser.add_argument("--summary", action="store_true", help="count by folder")
    options = parser.parse_args()
    broken = list(broken_rules(options.root.resolve()))
    print(
        *(summary(broken) if options.summary else broken),
        f"text: {len(broken)} broken rules",
        sep="\n",
    )
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
