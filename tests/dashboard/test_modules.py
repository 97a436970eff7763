"""The pure modules of the dashboard, in node's own test runner."""

import pathlib
import shutil
import subprocess

import pytest

UNIT = pathlib.Path(__file__).resolve().parent / "unit"


@pytest.mark.parametrize("file", sorted(UNIT.glob("*.test.mjs")), ids=lambda file: file.name)
def test_module(file):
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed (apt-get install nodejs)")
    ran = subprocess.run([node, "--test", str(file)], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout[-8000:] + ran.stderr
