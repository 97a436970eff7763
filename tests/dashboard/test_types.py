"""The types that the JSDoc of modules names, checked by TypeScript's compiler, strictly."""

import pathlib
import re
import shutil
import subprocess

import pytest

import npm

VERSION = "5.9.3"
LIB = pathlib.Path(__file__).resolve().parents[2] / "dashboard" / "lib"

# Modules whose types are complete. What they import is read, and not judged.
CHECKED = (
    "animation",
    "brush",
    "cells",
    "columns",
    "compare",
    "curve_lines",
    "event_log",
    "find",
    "flow",
    "markdown",
    "order",
    "place",
    "range",
    "replay",
    "smooth",
    "spans",
    "states",
    "ticks",
    "verdicts",
    "why",
)


def compiler():
    """The file of tsc and None, or None and why it is not here."""
    folder, why = npm.package("typescript", VERSION)
    return folder and folder / "bin" / "tsc", why


def problems(folder, names):
    """What the compiler reports of those modules of a folder."""
    tsc, why = compiler()
    node = shutil.which("node")
    if tsc is None or node is None:
        pytest.skip(why or "node is not installed (apt-get install nodejs)")
    options = ["--noEmit", "--allowJs", "--checkJs", "--strict", "--pretty", "false"]
    options += ["--target", "esnext", "--module", "esnext", "--moduleResolution", "bundler"]
    options += ["--lib", "esnext,dom,dom.iterable"]
    files = [f"{name}.js" for name in names]
    command = [node, str(tsc), *options, *files]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=300)
    own = re.compile(rf"({'|'.join(map(re.escape, files))})\(\d+,\d+\): error")
    faults = [line for line in ran.stdout.splitlines() if ": error" in line]
    assert ran.returncode == 0 or faults, ran.stdout + ran.stderr
    return [line for line in faults if own.match(line)]


def test_modules_have_the_types_they_name():
    assert problems(LIB, CHECKED) == []


def test_a_wrong_type_is_found(tmp_path):
    """The options are in effect: a text in the place of a number is reported."""
    text = "/** @param {number} x */\nexport const twice = (x) => 2 * x;\ntwice('a');\n"
    (tmp_path / "wrong.js").write_text(text, encoding="utf-8")
    (found,) = problems(tmp_path, ["wrong"])
    assert "TS2345" in found
