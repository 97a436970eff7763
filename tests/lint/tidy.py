#!/usr/bin/env python3
"""Checks the C++ rules of this repository: layering, lengths, banned calls.

Usage: tidy.py [ROOT]. Prints one line for each broken rule (file:line: sentence) and exits 1 if
there is one. Needs only Python's standard library. ARCHITECTURE.md gives the reasons; text.py
checks the other files.
"""

import pathlib
import re
import sys

LINES_PER_FILE_MAX = 400
LINES_PER_FUNCTION_MAX = 60
COLUMNS_MAX = 100

# Room -> rooms whose headers it may include (its own are always allowed).
ALLOWED = {
    "base": [],
    "base/net": ["base"],
    "schemas/types": ["base"],
    "schemas/values": ["base", "schemas/types"],
    "schemas/trainers": ["base", "schemas/types", "schemas/values"],
    "schemas/codec": ["base", "schemas/types", "schemas/values"],
    "schemas/rules": ["base", "schemas/types", "schemas/codec"],
    "placement": ["base", "schemas/types", "schemas/codec"],
    "server/search": ["base", "schemas/types", "schemas/values"],
    "server/forecast": ["base", "server/search", "schemas/types"],
    "server/cluster": ["base", "server/forecast", "server/search", "schemas/types",
                       "schemas/codec"],
    "server/fleet": ["base", "schemas/types"],
    "server/sweep": ["base", "server/fleet", "server/forecast", "server/search", "schemas/types", "schemas/values",
                     "schemas/rules", "schemas/trainers"],
    "server/engines": ["base", "server/fleet", "server/sweep", "server/search", "schemas/types"],
    "server/simulate": ["base", "server/sweep", "server/fleet", "server/search", "schemas/types", "schemas/codec"],
    "db": ["base", "schemas/types", "schemas/codec"],
    "server": ["base", "schemas/types"],
    "server/engine": ["base", "server", "server/sweep", "server/fleet", "server/search", "db", "schemas/types",
                      "schemas/codec", "schemas/rules"],
    "server/api": ["base", "server", "server/sweep", "server/fleet", "server/search", "server/forecast", "server/engine", "db",
                   "study", "schemas/types", "schemas/codec"],
    "server/standby": ["base", "server", "db", "schemas/types", "schemas/codec"],
    "server/dashboard": ["base", "server/api"],
    "server/http": ["base", "base/net", "server", "server/api", "server/standby", "server/dashboard",
                    "server/engine", "server/sweep", "db", "schemas/types", "schemas/codec"],
    "server/upkeep": ["base", "server", "server/standby", "server/engine", "server/sweep", "server/search", "db",
                      "schemas/types", "schemas/codec"],
    "server/follow": ["base", "base/net", "server", "server/http", "server/standby", "server/api", "db",
                      "schemas/types", "schemas/codec"],
    "server/app": ["base", "base/net", "server", "server/standby", "server/follow", "server/engines", "server/fleet", "server/http", "server/dashboard",
                   "server/api", "server/engine", "server/sweep", "db", "schemas/types", "schemas/codec"],
    "study": ["base", "server/search", "server/sweep", "schemas/types", "schemas/codec"],
    "sdk/cpp": ["base", "base/net", "schemas/types", "schemas/codec"],
    "sdk/cli": ["base", "sdk/cpp", "study", "placement", "server/upkeep", "server/simulate", "server/cluster", "server/forecast",
                "server/sweep", "server/search", "schemas/trainers", "schemas/types", "schemas/codec"],
    "sdk/examples": ["base", "sdk/cpp", "schemas/types", "schemas/codec"],
    "bench": ["base", "sdk/cli", "sdk/cpp", "server/engine", "server/simulate", "server/search",
              "server/sweep", "db", "schemas/types", "schemas/codec"],
    "worker/agent": ["base", "sdk/cpp", "schemas/types", "schemas/codec"],
    "worker/process": ["base", "worker/agent", "sdk/cpp", "schemas/types", "schemas/codec"],
    "worker/app": ["base", "worker/agent", "worker/process", "sdk/cpp", "schemas/types",
                   "schemas/codec"],
    "worker/relay": ["base", "worker/train", "schemas/codec"],
    "worker/train/envs": ["base", "schemas/types", "schemas/values", "schemas/trainers"],
    "worker/train": ["base", "worker/train/envs", "schemas/trainers", "placement",
                     "server/cluster", "server/forecast", "sdk/cpp", "schemas/types", "schemas/codec"],
}

# What reads bodies also reads and compares values.
for _needs in ALLOWED.values():
    if "schemas/codec" in _needs:
        _needs.append("schemas/values")

# Folders inside a room, lowest first: a folder includes only folders to its left. "." is the room's
# own files, "x/*" every folder below x. A room without an entry, and a "." that is not listed, are
# only checked for cycles.
ORDER = {
    "placement": ["core", "graphs", "read", "baselines", "."],
    "server/search": ["space", "statistics", "history", "importance", "samplers", "samplers/tpe", "samplers/*",
                      "terminators", "terminators/curve", "terminators/halving",
                      "terminators/hone", "seeds"],
    "server/sweep": ["state", "forks", "verdict", "lease", "submit", "fleet", ".", "history"],
    "server/api": [".", "sweeps", "runs", "workers", "explain", "history", "health"],
    "study": ["statistics", "file", "results", "report"],
    "db": [".", "filter", "projection", "ledger", "queries", "lineage", "file"],
    "sdk/cpp": ["import", "."],
    "sdk/cli": ["render", "session", "local", "commands", "commands/look", "commands/ask",
                "commands/steer", "commands/study", "commands/results", "commands/start", "commands/system", "app"],
    "bench": ["search", "load", "fill", "app"],
    "worker/train/envs": ["core", "control", "minatar", "synthetic", "box2d", "bridge", "."],
    "worker/train": ["ipc", "run", "nn/kernels", "nn", "rl", "replay", "actors", "actor_critic/learning",
                     "actor_critic/serving", "actor_critic/agents", "actor_critic", "value", "continuous",
                     "placement", "episodic", "cluster", "app"],
}

# Folders of a room that never include each other, in either direction: what two of them need
# belongs to a folder below both.
SIBLINGS = {
    "worker/train": ["actor_critic", "value", "continuous", "placement", "episodic", "cluster"],
}

# Libraries that belong to certain places only: pattern of the include -> prefixes of files that may
# have it.
CONFINED = {
    r"boost/beast": ["base/net/", "server/http/session.cpp", "tests/fuzz/http.cpp"],
    r"boost/": ["base/net/", "server/http/", "tests/unit/http/", "tests/fuzz/http.cpp"],
    r"(torch|ATen|c10)/": ["worker/train/", "tests/unit/train/", "tests/bench/"],
    r"(SQLiteCpp/|sqlite3)": ["db/", "server/engine/", "server/api/", "server/http/", "server/app/",
                              "server/follow/", "server/standby/", "server/upkeep/", "bench/fill/", "tests/"],
    r"yaml-cpp": ["sdk/cpp/"],
    r"zmq": ["worker/relay/", "tests/unit/relay/"],
    r"CLI/": ["sdk/cli/session/flags", "server/", "worker/", "tests/sim/", "tests/faultfs/"],
    r"openssl/": ["base/", "server/http/", "tests/unit/http/"],
}

# Pure rooms: no clock, no random device, no threads, no streams, no iteration order that depends on
# addresses, neither directly nor through a header of ours.
PURE = ["base/random", "base/rng", "base/text", "server/search", "server/forecast",
        "server/cluster", "server/fleet", "server/sweep", "server/simulate", "schemas/types",
        "schemas/values", "placement", "study",
        "schemas/trainers"]
BANNED_IN_PURE = re.compile(
    r"<(chrono|ctime|random|thread|mutex|atomic|iostream|unordered_map|unordered_set|future)>")

# SQL that reads the clock: time is an argument there too. Migrations are history and stay as they
# are.
SQL_CLOCK = re.compile(r"CURRENT_(TIMESTAMP|DATE|TIME)\b|\bunixepoch\(\)"
                       r"|\b(strftime|datetime|julianday|date|time|unixepoch)\([^()]*'now'")

# Only these places read a clock.
CLOCK_ALLOWED = ["base/net/", "server/engine/clock", "server/engine/engine_thread",
                 "server/engine/inbox",
                 "server/http/", "server/engines/program", "server/engines/fleet_thread",
                 "server/app/main", "server/follow/webhooks", "bench/",
                 "worker/process/", "worker/app/main", "worker/relay/", "worker/train/", "sdk/", "tests/"]

# Only these places write to stdout or stderr: `hone` and hone-bench in one, which shows the control
# characters of others instead of passing them on; the other programs in their mains, and trainers.
WRITERS = ["base/expect.hpp", "sdk/cli/render/terminal.cpp", "sdk/examples/", "server/app/",
           "server/dashboard/bundle.cpp", "worker/app/", "worker/process/rerun.cpp", "worker/relay/", "worker/train/", "tests/"]
WRITES = re.compile(r"\bstd::(cout|cerr|clog|wcout|wcerr|print|println|puts|putchar|perror)\b"
                    r"|\b(std::)?v?(printf|puts|putchar|perror)\s*\(|\bfmt::print"
                    r"|\b(stdout|stderr)\b\s*[,)]|\bwrite\(\s*(1|2|STDOUT_FILENO|STDERR_FILENO)\b")

TOPS = ("base", "bench", "schemas", "placement", "db", "server", "sdk", "study", "worker", "tests")
SOURCES = ("*.cpp", "*.hpp", "*.sql")


def room_of(path: str) -> str:
    return max((room for room in ALLOWED if path.startswith(room + "/")), key=len, default="")


def is_pure(path: str) -> bool:
    """Entries of PURE are rooms, or a file without its ending."""
    return any(path.startswith((pure + "/", pure + ".")) for pure in PURE)


def includes_of(text: str) -> list[tuple[int, str, str]]:
    """(line number, header, line) of every #include."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s+["<]([^">]+)[">]', line)
        if match:
            found.append((number, match.group(1), line))
    return found


def check_includes(path: str, text: str):
    room = room_of(path)
    for number, header, line in includes_of(text):
        target = room_of(header)
        if not path.startswith("tests/"):
            if header.startswith("tests/"):
                yield number, "only tests include tests"
            if target and target != room and target not in ALLOWED[room]:
                allowed = ", ".join(ALLOWED[room]) or "none"
                yield number, f"{room} may not include {target}: allowed are {allowed}"
            if target == room and room in ORDER:
                yield from ((number, sentence) for sentence in out_of_order(room, path, header))
            if is_pure(path) and re.search(BANNED_IN_PURE, line):
                yield number, f"{room} is pure and may not include <{header}>"
        for pattern, places in CONFINED.items():
            if re.match(pattern, header) and not any(path.startswith(place) for place in places):
                yield number, f"<{header}> belongs under {', '.join(places)}"


def rank_of(room: str, path: str) -> tuple[str, int | None]:
    """The folder of a file inside its room, and its place in ORDER."""
    folder = str(pathlib.PurePosixPath(path).parent.relative_to(room))
    order = ORDER[room]
    if folder in order:
        return folder, order.index(folder)
    parents = [f"{parent}/*" for parent in pathlib.PurePosixPath(folder).parents]
    return folder, next((order.index(parent) for parent in parents if parent in order), None)


def out_of_order(room: str, path: str, header: str):
    (folder, rank), (below, lower) = rank_of(room, path), rank_of(room, header)
    for name, place in ((folder, rank), (below, lower)):
        if place is None and name != ".":
            yield f"{room}/{name} has no place in ORDER (tests/lint/tidy.py)"
    mine, other = (name.split("/")[0] for name in (folder, below))
    if mine != other and {mine, other} <= set(SIBLINGS.get(room, [])):
        yield f"{room}/{mine} may not include {room}/{other}: they are SIBLINGS"
    if rank is not None and lower is not None and folder != below and lower >= rank:
        yield f"{room}/{folder} may not include {room}/{below}: ORDER puts it higher"


def check_cycles(texts: dict[str, str]):
    """One sentence for each pair of folders that reach each other by includes."""
    graph: dict[str, set[str]] = {}
    for path, text in texts.items():
        if path.startswith("tests/"):
            continue
        folder = str(pathlib.PurePosixPath(path).parent)
        headers = (str(pathlib.PurePosixPath(header).parent) for _, header,
                   _ in includes_of(text) if header in texts)
        graph.setdefault(folder, set()).update(header for header in headers if header != folder)
    reached = {folder: closure(graph, folder) for folder in graph}
    for folder in sorted(graph):
        for other in sorted(graph[folder]):
            if folder in reached.get(other, ()):
                yield f"{folder}:1: a cycle: it includes {other}, which leads back to {folder}"


def closure(graph: dict[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = list(graph.get(start, ()))
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting.extend(graph.get(node, ()))
    return found


def check_purity(texts: dict[str, str]):
    """One sentence for each header of ours through which a pure room reaches a banned standard
    header."""
    graph = {path: {header for _, header, _ in includes_of(text) if header in texts} for path,
             text in texts.items()}
    impure = {}
    for path, text in texts.items():
        banned = [header for _, header,
                  line in includes_of(text) if re.search(BANNED_IN_PURE, line)]
        if banned:
            impure[path] = banned
    for path in texts:
        if not is_pure(path):
            continue
        for header in sorted(closure(graph, path) & impure.keys()):
            yield f"{path}:1: is pure, but reaches <{'>, <'.join(impure[header])}> through {header}"


def strip_code(text: str) -> str:
    """Comments and literals blanked out, line breaks kept, so that braces can be counted."""

    def blank(match: re.Match) -> str:
        return re.sub(r"[^\n]", " ", match.group(0))

    pattern = r'R"(\w*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\''
    return re.sub(pattern, blank, text, flags=re.S)


def functions(text: str):
    """(first line, length in lines) of every outermost function body: a brace matcher, not a
    parser."""
    code = strip_code(text)
    # For every open brace: is it a namespace, class, enum or initializer?
    depth_of_scope: list[bool] = []
    inside = None
    last_end = 0
    for match in re.finditer(r"[{};]", code):
        char, at = match.group(0), match.start()
        if char == "{":
            head = code[last_end:at].strip()
            scope = bool(re.search(r"\b(namespace|class|struct|union|enum|extern)\b[^()]*$",
                                   head)) or not re.search(
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
        yield 1, f"{len(lines)} lines; a file stops at {LINES_PER_FILE_MAX}: split it by subject"
    for number, line in enumerate(lines, 1):
        # A line of JSON inside a test's raw string reads better whole.
        if len(line) > COLUMNS_MAX and not (path.startswith("tests/")
                                            and re.match(r'\s*([{"}]|R"|\{R")', line)):
            yield number, f"{len(line)} columns; a line stops at {COLUMNS_MAX}"
    for number, length in functions(text):
        if length > LINES_PER_FUNCTION_MAX:
            yield number, f"a function of {length} lines; it stops at {LINES_PER_FUNCTION_MAX}"


def check_calls(path: str, lines: list[str]):
    for number, line in enumerate(lines, 1):
        if re.search(r"\busing namespace\b", line):
            yield number, "no using namespace"
        if re.search(r"_clock::now\(|\bgettimeofday\b|\bclock_gettime\b|\bstd::time\(",
                     line) and not any(
            path.startswith(place) for place in CLOCK_ALLOWED
        ):
            yield number, "time is an argument: CLOCK_ALLOWED lists the places that read a clock"
        if re.search(SQL_CLOCK, line) and not path.startswith(("db/migrations/", "tests/")):
            yield number, "time is an argument of the query: SQL must not read the clock"
        if re.search(r"\bstd::(random_device|mt19937\w*|\w+_distribution)\b",
                     line) and not path.startswith("tests/"):
            yield number, "randomness is an addressed generator of base/"
        if re.search(WRITES, re.sub(r'"(\\.|[^"\\])*"|//.*', "", line)) and not any(
                path.startswith(place) for place in WRITERS):
            yield number, "print through Terminal or Session: WRITERS lists the places that write"
        if path.startswith("tests/") and re.search(r"\bsleep_for\b|\busleep\(|\bsleep\(", line):
            yield number, "no sleep as synchronisation"


def read_sources(root: pathlib.Path) -> dict[str, str]:
    files = (file for top in TOPS for pattern in SOURCES for file in (root / top).rglob(pattern))
    return {file.relative_to(root).as_posix(): file.read_text(encoding="utf-8")
            for file in sorted(files)}


def broken_rules(texts: dict[str, str]):
    for path, text in texts.items():
        lines = text.splitlines()
        found = [*check_calls(path, lines)]
        if not path.endswith(".sql"):
            found += [*check_includes(path, text), *check_lengths(path, text, lines)]
        yield from (f"{path}:{number}: {sentence}" for number, sentence in found)
    yield from check_cycles(texts)
    yield from check_purity(texts)


def check_built(root: pathlib.Path, texts: dict[str, str]):
    """One sentence for each test that no program builds, and that therefore never runs."""
    lists = [file.read_text(encoding="utf-8") for file in (root / "tests").rglob("CMakeLists.txt")]
    for path in texts:
        name = path.rsplit("/", 1)[1]
        if path.startswith("tests/") and name.endswith("_test.cpp") and not any(
                name in one for one in lists):
            yield f"{path}:1: is in no CMakeLists.txt, so that its tests never run"


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    texts = read_sources(root)
    if len(texts) < 20:
        print(f"{root}: only {len(texts)} source files found: is this the root of the repository?")
        return 1
    broken = [*broken_rules(texts), *check_built(root, texts)]
    print(*broken, f"tidy: {len(texts)} files, {len(broken)} broken rules", sep="\n")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
