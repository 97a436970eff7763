"""A wheel with the programs, installed where nothing else of hone is: that of tools/wheel, or the one that
HONE_WHEEL names (./test --system: that of `pip wheel .`)."""
import email
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile

import pytest

from conftest import BIN, ROOT, VERSION, program

SCRIPT = """
import hone
sweep = hone.Sweep({"x": hone.Float(0, 1)}, trials=3)
print(sweep.run(lambda run: run.params["x"], workers=2)["state"])
"""


def made_by_tool(folder):
    made = subprocess.run([sys.executable, ROOT / "tools" / "wheel", "--bin", BIN, "--out", folder],
                          capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    wheel, = folder.glob("hone_rl-*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    program("hone-bench")
    for tool in ("objdump", "readelf", "strip", "ldd"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    made = os.environ.get("HONE_WHEEL") or made_by_tool(tmp_path_factory.mktemp("wheel"))
    assert pathlib.Path(made).stat().st_size < 40e6
    return pathlib.Path(made)


@pytest.fixture(scope="module")
def venv(tmp_path_factory, wheel):
    if subprocess.run([sys.executable, "-c", "import venv, ensurepip"]).returncode != 0:
        pytest.skip(f"{sys.executable} cannot make virtual environments")
    folder = tmp_path_factory.mktemp("venv")
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
    gcc_8 = "manylinux_2_27" in (next(venv.rglob("hone_rl-*/WHEEL"))).read_text()
    every_linux = ("libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so",
                   *(("libgcc_s.so", "libstdc++.so") if gcc_8 else ()))
    for binary in programs:
        listed = subprocess.run(["ldd", binary], capture_output=True, text=True, check=True).stdout
        for line in listed.splitlines():
            if " => " in line and "/lib/" in line and str(venv) not in line:
                assert line.split()[0].startswith(every_linux), line


def test_the_tag_names_the_newest_glibc_that_the_wheel_needs(venv):
    """The tag was the glibc of the machine that built it, whatever the programs needed."""
    tag = re.search(r"manylinux_(\d+)_(\d+)_", next(venv.rglob("hone_rl-*/WHEEL")).read_text())
    promised = tuple(map(int, tag.groups()))
    needed = set()
    for binary in [*venv.glob("bin/hone*"), *venv.glob("lib/hone/*.so*")]:
        listed = subprocess.run(["objdump", "-T", binary], capture_output=True, text=True).stdout
        needed |= {(int(major), int(minor)) for major, minor in
                   re.findall(r"\(GLIBC_(\d+)\.(\d+)", listed)}
    assert max(needed) == promised


def test_no_program_looks_for_libraries_in_the_build_or_the_current_folder(venv):
    for binary in venv.glob("bin/hone*"):
        listed = subprocess.run(["readelf", "-d", binary], capture_output=True, text=True).stdout
        assert re.findall(r"(?:rpath|runpath): \[(.*)\]", listed) == ["$ORIGIN/../lib/hone"]


def test_metadata_names_the_distribution_and_its_extras(venv, tmp_path):
    script = ("import importlib.metadata as m; d = m.metadata('hone-rl'); "
              "print(d['Version'], d['License'], *sorted(d.get_all('Provides-Extra')))")
    assert run(venv, tmp_path, "python", "-c", script) == \
        f"{VERSION} Apache-2.0 hydra lightning optuna parquet sb3\n"


def test_the_wheels_of_pip_and_of_tools_describe_one_distribution(tmp_path):
    """Two files hold the same metadata: of `pip install .` and of the SDK."""
    whole, sdk = (tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"]
                  for folder in ("", "sdk/python"))
    assert sdk.pop("readme") in whole.pop("readme")
    whole["classifiers"].remove("Operating System :: POSIX :: Linux")
    assert whole == sdk
    made = subprocess.run([sys.executable, ROOT / "tools" / "wheel", "--pure", "--out", tmp_path],
                          capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as archive:
        text = archive.read(f"hone_rl-{VERSION}.dist-info/METADATA").decode()
    metadata = email.message_from_string(text)
    assert metadata["Summary"] == sdk["description"] and metadata["License"] == "Apache-2.0"
    assert metadata.get_all("Classifier") == sdk["classifiers"] and len(sdk["classifiers"]) > 4
    assert metadata["Requires-Python"] == sdk["requires-python"]
    needed = metadata.get_all("Requires-Dist")
    for extra in ("sb3", "lightning", "hydra", "optuna"):
        assert any(f'extra == "{extra}"' in one for one in needed), extra
    assert len(metadata.get_payload()) > 500, "the description of the package index"


def test_another_package_of_the_same_module_is_named_at_import(venv, tmp_path):
    """The package index has a `hone` of others, which replaces files of this one."""
    importing = [venv / "bin" / "python", "-c", "import hone"]
    assert subprocess.run(importing, capture_output=True, text=True, cwd=tmp_path).stderr == ""
    other = next(venv.rglob("hone_rl-*.dist-info")).parent / "hone-0.2.2.dist-info"
    other.mkdir()
    try:
        told = subprocess.run(importing, capture_output=True, text=True, cwd=tmp_path)
    finally:
        other.rmdir()
    assert told.returncode == 0 and "hone-0.2.2.dist-info, another package" in told.stderr
    assert "pip uninstall -y hone hone-rl" in told.stderr


def test_the_pure_wheel_is_the_client_for_every_system(tmp_path):
    """Without fcntl, as on Windows: the client and ask and tell work, run() names its reason."""
    made = subprocess.run([sys.executable, ROOT / "tools" / "wheel", "--pure", "--out", tmp_path],
                          capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    wheel = tmp_path / f"hone_rl-{VERSION}-py3-none-any.whl"
    script = """
import sys
for name in ("fcntl", "pwd", "resource", "termios"):
    sys.modules[name] = None
import hone, hone.notebook, hone.plot
sys.platform = "win32"
try:
    hone.Sweep({"x": hone.Float(0, 1)}, client=hone.Client("http://127.0.0.1:9")).run(abs)
except hone.HoneError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                          env={"PYTHONPATH": str(wheel)}, cwd=tmp_path)
    assert done.stdout.startswith("run() needs Linux"), done.stderr


@pytest.mark.skipif("HONE_WHEEL" in os.environ, reason="a wheel of pip")
def test_two_wheels_of_the_same_programs_have_equal_bits(wheel, tmp_path):
    assert made_by_tool(tmp_path).read_bytes() == wheel.read_bytes()


def test_the_programs_and_the_module_work_together(venv, tmp_path):
    assert VERSION in run(venv, tmp_path, "hone", "version")
    assert run(venv, tmp_path, "python", "-c", SCRIPT) == "completed\n"
    assert "Usage" in run(venv, tmp_path, "hone-worker", "--help")
    assert os.access(venv / "bin" / "hone-train", os.X_OK)


def test_a_module_near_the_root_finds_its_programs(venv, tmp_path):
    script = ("import hone.local as local; local.__file__ = '/site-packages/hone/local.py'; "
              "print(local.find_program('hone'))")
    assert run(venv, tmp_path, "python", "-c", script) == f"{venv}/bin/hone\n"
