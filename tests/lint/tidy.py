#!/usr/bin/env python3
"""The rules of the house that a machine can check: layering, lengths, banned words.

Usage: tidy.py [ROOT]. Prints one line for each broken rule (file:line: sentence) and exits 1 when there is any.
Needs nothing but Python's standard library. ARCHITECTURE.md tells the reasons.
"""

import pathlib
import re
import sys

LINES_PER_FILE_MAX = 400
LINES_PER_FUNCTION_MAX = 60
COLUMNS_MAX = 100

# Who may include whom: room -> rooms whose headers it may include (its own are always allowed).
ALLOWED = {
    "base": [],
    "schemas/types": ["base"],
    "schemas/codec": ["base", "schemas/types"],
    "placement": ["base", "schemas/types", "schemas/codec"],
    "server/search": ["base", "schemas/types"],
    "server/sweep": ["base", "server/search", "schemas/types"],
    "server/simulate": ["base", "server/sweep", "server/search", "schemas/types", "schemas/codec"],
    "db": ["base", "schemas/types", "schemas/codec"],
    "server": ["base", "schemas/types"],
    "server/engine": ["base", "server", "server/sweep", "server/search", "db", "schemas/types", "schemas/codec"],
    "server/api": ["base", "server", "server/sweep", "server/search", "server/engine", "db", "schemas/types", "schemas/codec"],
    "server/http": ["base", "server", "server/api", "server/engine", "server/sweep", "db", "schemas/types", "schemas/codec"],
    "server/upkeep": ["base", "server", "server/engine", "server/sweep", "server/search", "db", "schemas/types", "schemas/codec"],
    "server/follow": ["base", "server/http", "server/api", "db", "schemas/types", "schemas/codec"],
    "server/app": ["base", "server", "server/follow", "server/http", "server/api", "server/engine", "server/sweep", "db", "schemas/types",
                   "schemas/codec"],
    "sdk/cpp": ["base", "schemas/types", "schemas/codec"],
    "sdk/cli": ["base", "sdk/cpp", "placement", "server/upkeep", "server/simulate", "server/sweep", "server/search", "schemas/types",
                "schemas/codec"],
    "sdk/examples": ["base", "sdk/cpp", "schemas/types", "schemas/codec"],
    "bench": ["base", "sdk/cli", "sdk/cpp", "server/engine", "server/search", "server/sweep", "db", "schemas/types", "schemas/codec"],
    "worker/agent": ["base", "sdk/cpp", "schemas/types", "schemas/codec"],
    "worker/process": ["base", "worker/agent", "sdk/cpp", "schemas/types", "schemas/codec"],
    "worker/app": ["base", "worker/agent", "worker/process", "sdk/cpp", "schemas/types", "schemas/codec"],
    "worker/train/envs": ["base", "schemas/types"],
    "worker/train": ["base", "worker/train/envs", "placement", "sdk/cpp", "schemas/types", "schemas/codec"],
}

# Libraries that belong to certain places only: pattern of the include -> prefixes of files that may have it.
CONFINED = {
    r"boost/(beast|asio)": ["server/http/", "sdk/cpp/transport"],
    r"boost/": ["server/http/", "sdk/cpp/transport"],
    r"(torch|ATen|c10)/": ["worker/train/", "tests/unit/train/", "tests/bench/"],
    r"(SQLiteCpp/|sqlite3)": ["db/", "server/engine/", "server/api/", "server/http/", "server/app/", "server/follow/", "server/upkeep/", "bench/fill/", "tests/"],
    r"yaml-cpp": ["sdk/cpp/"],
    r"CLI/": ["sdk/cli/session/flags", "server/", "worker/", "tests/sim/", "tests/faultfs/"],
    r"openssl/": ["server/", "sdk/", "worker/"],
}

# Pure rooms decide: no clock, no dice, no threads, no streams, no iteration order that depends on addresses.
PURE = ["base/rng", "server/search", "server/sweep", "server/simulate", "schemas/types", "placement"]
BANNED_IN_PURE = r"<(chrono|ctime|random|thread|mutex|atomic|iostream|unordered_map|unordered_set|future)>"

# A clock is read in these places alone.
CLOCK_ALLOWED = ["server/engine/clock", "server/engine/engine_thread", "server/engine/inbox", "server/http/", "server/app/main", "server/follow/webhooks", "bench/",
                 "worker/process/", "worker/app/main", "worker/train/", "sdk/", "tests/"]

SOURCES = ("*.cpp", "*.hpp")


def room_of(path: str) -> str:
    return max((room for room in ALLOWED if path.startswith(room + "/")), key=len, default="")


def check_includes(path: str, lines: list[str]):
    room = room_of(path)
    for number, line in enumerate(lines, 1):
        match = re.match(r'\s*#\s*include\s+["<]([^">]+)[">]', line)
        if not match:
            continue
        header = match.group(1)
        target = room_of(header)
        if not path.startswith("tests/"):
            if header.startswith("tests/"):
                yield number, "nothing includes tests"
            if target and target != room and target not in ALLOWED[room]:
                yield number, f"{room} may not include {target}: allowed are {', '.join(ALLOWED[room]) or 'none'}"
            if room in PURE and re.search(BANNED_IN_PURE, line):
                yield number, f"{room} is pure and may not include <{header}>"
        for pattern, places in CONFINED.items():
            if re.match(pattern, header) and not any(path.startswith(place) for place in places):
                yield number, f"<{header}> belongs under {', '.join(places)}"


def strip_code(text: str) -> str:
    """Comments and literals blanked out, line breaks kept, so that braces can be counted."""

    def blank(match: re.Match) -> str:
        return re.sub(r"[^\n]", " ", match.group(0))

    pattern = r'R"(\w*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\''
    return re.sub(pattern, blank, text, flags=re.S)


def functions(text: str):
    """(first line, length in lines) of every outermost function body: a brace matcher, not a parser."""
    code = strip_code(text)
    depth_of_scope: list[bool] = []  # for every open brace: is it a namespace, class, enum or initializer?
    inside = None
    last_end = 0
    for match in re.finditer(r"[{};]", code):
        char, at = match.group(0), match.start()
        if char == "{":
            head = code[last_end:at].strip()
            scope = bool(re.search(r"\b(namespace|class|struct|union|enum|extern)\b[^()]*$", head)) or not re.search(
                r"\)\s*(const|noexcept|override|final|mutable|->[^{]*|:[^{]*|\s)*$", head
            )
            if not scope and inside is None:
                start = code.rfind("\n", 0, at - len(head) if head else at) + 1
                inside = (len(depth_of_scope), code.count("\n", 0, max(start, at - len(head))) + 1)
            depth_of_scope.append(scope)
        elif char == "}" and depth_of_scope:
            depth_of_scope.pop()
            if inside is not None and len(depth_of_scope) == inside[0]:
                end = code.count("\n", 0, at) + 1
                yield inside[1], end - inside[1] + 1
                inside = None
        last_end = match.end()


def check_lengths(path: str, text: str, lines: list[str]):
    if len(lines) > LINES_PER_FILE_MAX:
        yield LINES_PER_FILE_MAX, f"{len(lines)} lines; a file stops at {LINES_PER_FILE_MAX}: would two rooms be clearer?"
    for number, line in enumerate(lines, 1):
        # A line of JSON inside a test's raw string reads better whole.
        if len(line) > COLUMNS_MAX and not (path.startswith("tests/") and re.match(r'\s*([{"}]|R"|\{R")', line)):
            yield number, f"{len(line)} columns; a line stops at {COLUMNS_MAX}"
    for number, length in functions(text):
        if length > LINES_PER_FUNCTION_MAX:
            yield number, f"a function of {length} lines; it stops at {LINES_PER_FUNCTION_MAX}"


def check_words(path: str, lines: list[str]):
    for number, line in enumerate(lines, 1):
        if re.search(r"\busing namespace\b", line):
            yield number, "no using namespace"
        if re.search(r"_clock::now\(|\bgettimeofday\b|\bclock_gettime\b|\bstd::time\(", line) and not any(
            path.startswith(place) for place in CLOCK_ALLOWED
        ):
            yield number, "time is an argument: only the engine's thread and the worker's loop read a clock"
        if re.search(r"\bstd::(random_device|mt19937\w*|\w+_distribution)\b", line) and not path.startswith("tests/"):
            yield number, "randomness is an addressed stream: base/rng.hpp or worker/train/envs/core/stream.hpp"
        if path.startswith("tests/") and re.search(r"\bsleep_for\b|\busleep\(|\bsleep\(", line):
            yield number, "no sleep as synchronisation"


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    broken = 0
    files = 0
    for top in ("base", "bench", "schemas", "placement", "db", "server", "sdk", "worker", "tests"):
        for file in sorted(p for pattern in SOURCES for p in (root / top).rglob(pattern)):
            path = file.relative_to(root).as_posix()
            text = file.read_text(encoding="utf-8")
            lines = text.splitlines()
            files += 1
            for number, sentence in (*check_includes(path, lines), *check_lengths(path, text, lines),
                                     *check_words(path, lines)):
                print(f"{path}:{number}: {sentence}")
                broken += 1
    if files < 20:
        print(f"{root}: only {files} source files found: is this the root of the repository?")
        return 1
    print(f"tidy: {files} files, {broken} broken rules")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
