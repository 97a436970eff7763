"""docs/moving.md: its files are written and its commands executed, in order, in one folder."""
import json
import os
import re
import subprocess
import sys
import urllib.request

from commands import Up
from conftest import BIN, ROOT

BLOCK = re.compile(r"^```(yaml|python|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def run_block(block, folder, environment):
    """Executes each line of a console block; returns how many."""
    lines = block.splitlines()
    for line in lines:
        done = subprocess.run(line.removeprefix("$ "), shell=True, cwd=folder, env=environment,
                              capture_output=True, text=True, timeout=180)
        assert done.returncode == 0, (line, done.stdout, done.stderr)
    return len(lines)


def test_every_block_of_the_page_on_moving_runs(tmp_path):
    up = Up(tmp_path / "data", cwd=tmp_path)
    url = f"http://127.0.0.1:{up.port}"
    programs = [str(BIN), os.path.dirname(sys.executable), os.environ["PATH"]]
    environment = {**os.environ, "PATH": ":".join(programs), "HONE_SERVER": url,
                   "PYTHONPATH": str(ROOT / "sdk" / "python"), "HONE_DATA": str(tmp_path / "home")}
    commands = 0
    try:
        for kind, block in BLOCK.findall((ROOT / "docs" / "moving.md").read_text()):
            if kind == "console":
                commands += run_block(block, tmp_path, environment)
            else:
                (tmp_path / block.splitlines()[0].removeprefix("# ")).write_text(block)
        with urllib.request.urlopen(f"{url}/v1/sweeps") as answer:
            sweeps = json.load(answer)["items"]
    finally:
        up.stop()
    assert commands == 8
    assert [sweep["state"] for sweep in sweeps] == ["completed"] * 3
    assert (tmp_path / "history.svg").read_text().startswith("<svg")
