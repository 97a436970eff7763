"""Rules for the dashboard's own code: functions of at most 60 lines, and what eslint finds."""

import json
import pathlib
import re
import shutil
import subprocess

import pytest

import npm

DASHBOARD = pathlib.Path(__file__).resolve().parents[2] / "dashboard"
ESLINT = "9.39.5"
LINES = 60  # as of every function of the repository

HEADS = re.compile(
    r"^( *)(?:export )?(?:(?:async )?function\*? (\w+)|const (\w+) = (?:async )?\(?.*=> [({]*$"
    r"|(?:static |async |get |set )*(\w+)\(.*\) \{$)"
)


def functions(text):
    """The name and the number of lines of each function, which ends at the indentation of its head."""
    lines = text.split("\n")
    for first, line in enumerate(lines):
        head = HEADS.match(line)
        if not head:
            continue
        indent = len(head[1])
        for last in range(first + 1, len(lines)):
            if re.match(rf" {{{indent}}}[)}}\]]", lines[last]):
                yield head[2] or head[3] or head[4], last - first + 1
                break


def test_no_function_is_longer_than_the_bound():
    found = {
        f"{file.relative_to(DASHBOARD)} {name}"
        for file in sorted(DASHBOARD.rglob("*.js"))
        for name, lines in functions(file.read_text(encoding="utf-8"))
        if lines > LINES
    }
    assert found == set()


def test_a_longer_function_is_found():
    body = "\n".join(["  a();"] * LINES)
    for head in ("export async function f(x) {", "const f = (x) => {"):
        ((name, lines),) = functions(f"{head}\n{body}\n}}\n")
        assert (name, lines) == ("f", LINES + 2)


# What is not of the language but of browsers and of their workers.
GLOBALS = """
AbortController AbortSignal Blob CSS DOMException Element Highlight Image ImageData
IntersectionObserver Node NodeFilter OffscreenCanvas Path2D Range ResizeObserver SharedWorker
TextDecoder TextEncoder URL URLSearchParams Worker addEventListener atob clearInterval clearTimeout
console createImageBitmap crypto devicePixelRatio document fetch getComputedStyle getSelection
history innerHeight innerWidth localStorage location matchMedia navigator onconnect onmessage
performance postMessage queueMicrotask requestAnimationFrame self sessionStorage setInterval
setTimeout structuredClone window
""".split()
RULES = [
    *["no-undef", "no-unused-vars", "prefer-const", "no-dupe-keys", "no-redeclare", "eqeqeq"],
    *["no-unreachable", "no-self-assign", "no-fallthrough", "no-eval", "no-implied-eval"],
    *["no-cond-assign", "no-const-assign", "no-dupe-class-members", "no-unsafe-finally"],
]


def eslint(folder, workplace):
    """The messages of eslint about the modules of a folder, which it reads as a copy."""
    package, why = npm.package("eslint", ESLINT)
    node = shutil.which("node")
    if package is None or node is None:
        pytest.skip(why or "node is not installed (apt-get install nodejs)")
    shutil.copytree(folder, workplace / "code")
    options = {
        "ecmaVersion": 2024,
        "sourceType": "module",
        "globals": dict.fromkeys(GLOBALS, "readonly"),
    }
    config = [{"languageOptions": options, "rules": dict.fromkeys(RULES, "error")}]
    text = f"export default {json.dumps(config)};"
    (workplace / "eslint.config.mjs").write_text(text, encoding="utf-8")
    command = [node, str(package / "bin" / "eslint.js"), "--format", "json", "code"]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=workplace, timeout=300)
    assert ran.returncode in (0, 1), ran.stdout + ran.stderr
    code = workplace / "code"
    return [
        f"{pathlib.Path(file['filePath']).relative_to(code)}:{one['line']} {one['ruleId']}"
        for file in json.loads(ran.stdout)
        for one in file["messages"]
    ]


def test_eslint_finds_nothing(tmp_path):
    assert eslint(DASHBOARD, tmp_path.resolve()) == []


def test_eslint_finds_a_name_that_is_not_there(tmp_path):
    wrong = tmp_path / "wrong"
    wrong.mkdir()
    (wrong / "wrong.js").write_text("export const f = () => missing;\n", encoding="utf-8")
    place = tmp_path / "place"
    place.mkdir()
    assert eslint(wrong, place.resolve()) == ["wrong.js:1 no-undef"]
