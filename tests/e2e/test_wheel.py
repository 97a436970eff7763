"""A wheel with the programs, installed where nothing else of hone is: that of tools/wheel, or the one that
HONE_WHEEL names (./test --system: that of `pip wheel .`)."""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

from conftest import BIN, ROOT, program

SCRIPT = """
import hone
sweep = hone.Sweep({"x": hone.Float(0, 1)}, trials=3)
print(sweep.run(lambda run: run.params["x"], workers=2)["state"])
"""


def made_by_tool(folder):
    made = subprocess.run([sys.executable, ROOT / "tools" / "wheel", "--bin", BIN, "--out", folder],
                          capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    wheel, = folder.glob("hone-*.whl")
    return wheel


@pytest.fixture(scope="module")
def venv(tmp_path_factory):
    program("hone-bench")
    for tool in ("patchelf", "strip", "ldd"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    if subprocess.run([sys.executable, "-c", "import venv, ensurepip"]).returncode != 0:
        pytest.skip(f"{sys.executable} cannot make virtual environments")
    folder = tmp_path_factory.mktemp("wheel")
    wheel = pathlib.Path(os.environ.get("HONE_WHEEL") or made_by_tool(folder / "dist"))
    assert wheel.stat().st_size < 40e6
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    subprocess.run([folder / "venv" / "bin" / "python", "-m", "pip", "install", "--no-index", "-q",
                    wheel], check=True)
    return folder / "venv"


def run(venv, tmp_path, *words):
    done = subprocess.run([venv / "bin" / words[0], *words[1:]], cwd=tmp_path, capture_output=True,
                          text=True, timeout=120,
                          env={"PATH": f"{venv}/bin", "HONE_DATA": str(tmp_path / "data")})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_library_comes_with_the_wheel(venv):
    programs = list(venv.glob("bin/hone*"))  # ldd lists the libraries of their libraries, too
    assert len(programs) == 5
    for binary in programs:
        listed = subprocess.run(["ldd", binary], capture_output=True, text=True, check=True).stdout
        for line in listed.splitlines():
            if " => " in line and "/lib/" in line and str(venv) not in line:
                name = line.split()[0]
                assert name.startswith(("libc.so", "libm.so")), line


def test_the_programs_and_the_module_work_together(venv, tmp_path):
    assert "0.1.0" in run(venv, tmp_path, "hone", "version")
    assert run(venv, tmp_path, "python", "-c", SCRIPT) == "completed\n"
    assert "Usage" in run(venv, tmp_path, "hone-worker", "--help")
    assert os.access(venv / "bin" / "hone-train", os.X_OK)


def test_a_module_near_the_root_finds_its_programs(venv, tmp_path):
    script = ("import hone.local as local; local.__file__ = '/site-packages/hone/local.py'; "
              "print(local.find_program('hone'))")
    assert run(venv, tmp_path, "python", "-c", script) == f"{venv}/bin/hone\n"
