"""The types that the JSDoc of modules names, checked by TypeScript's compiler, strictly."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

VERSION = "5.9.3"
INSTALL_SECONDS = 120
LIB = pathlib.Path(__file__).resolve().parents[2] / "dashboard" / "lib"

# Modules whose types are complete. What they import is read, and not judged.
CHECKED = (
    "brush",
    "columns",
    "compare",
    "curve_lines",
    "find",
    "place",
    "range",
    "smooth",
    "spans",
    "ticks",
    "verdicts",
    "why",
)


def compiler():
    """The file of tsc and None, or None and why it is not here. npm installs it once, into a cache."""
    home = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    folder = home / "hone-tests" / f"typescript-{VERSION}"
    tsc = folder / "node_modules" / "typescript" / "bin" / "tsc"
    if tsc.exists():
        return tsc, None
    npm = shutil.which("npm")
    if npm is None:
        return None, "there is no npm to install typescript (apt-get install npm)"
    folder.mkdir(parents=True, exist_ok=True)
    command = [npm, "install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"]
    command += ["--prefix", str(folder), f"typescript@{VERSION}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_SECONDS)
    except subprocess.TimeoutExpired:
        return None, f"npm did not install typescript within {INSTALL_SECONDS} s: no network?"
    if done.returncode != 0:
        return None, "npm could not install typescript: " + done.stderr.strip()[-300:]
    return tsc, None


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
