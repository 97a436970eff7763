"""The wheel in a bare Debian or Ubuntu: a new root with python3 and nothing else, and a user without
rights.

Needs root, debootstrap and a mirror of the packages, so it runs only with HONE_BARE_ROOT, which
names the releases (./test --system does): HONE_BARE_ROOT=bookworm,jammy. Releases that are older
than this machine's need HONE_BIN=build/wheel/bin."""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

from conftest import BIN, ROOT, program

RELEASES = [name for name in os.environ.get("HONE_BARE_ROOT", "").split(",") if name]
UBUNTU = ("bionic", "focal", "jammy", "noble")
# Debian 12 has no package with Ubuntu's keys.
UBUNTU_OPTIONS = ("--no-check-gpg", "--components=main,universe")
UBUNTU_SCRIPT = "/usr/share/debootstrap/scripts/gutsy"  # of all: Debian 12 has no link for noble
UBUNTU_MIRROR = os.environ.get("HONE_UBUNTU_MIRROR", "http://archive.ubuntu.com/ubuntu")
OLD_PIP = ("bionic", "focal")  # before 20.3, which knows the tag of the wheel
NEWER_PIP = "env/bin/pip install -q --no-index /pip-*.whl"
QUICKSTART_S = 60
SCRIPT = """
set -e
cd ~
python3 -m venv env
{newer_pip}
env/bin/pip install -q --no-index /hone_rl-*.whl
export PATH=$HOME/env/bin:$PATH
mkdir new && cd new
hone init ga3c
hone up --data ~/data > up.log 2>&1 &
begin=$(date +%s.%N)
timeout {seconds} hone submit sweep.yaml --watch -q
echo "sweep: $(python3 -c "import time; print(round(time.time() - $begin, 1))") s"
hone best --format csv | head -n 2
kill %1 && wait %1
python3 -c '
import hone
sweep = hone.Sweep({{"x": hone.Float(0, 1)}}, trials=3)
print(sweep.run(lambda run: run.params["x"], workers=2)["state"])'
python3 - <<'END'
import subprocess, time
spent = []
for _ in range(50):
    begin = time.perf_counter()
    subprocess.run(["hone", "--help"], stdout=subprocess.DEVNULL, check=True)
    spent.append(time.perf_counter() - begin)
spent.sort()
print(f"hone --help, 50 times: {{spent[0] * 1e3:.1f}} ms at least, {{spent[25] * 1e3:.1f}} median")
END
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    program("hone-bench")
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([sys.executable, ROOT / "tools" / "wheel", "--bin", BIN, "--out", folder],
                   check=True)
    made, = folder.glob("hone_rl-*.whl")
    return made


@pytest.mark.skipif(not RELEASES, reason="HONE_BARE_ROOT names no release of Debian")
@pytest.mark.parametrize("release", RELEASES or ["none"])
def test_a_new_user_of_a_bare_system_runs_a_sweep(release, wheel, tmp_path):
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        pytest.skip("needs root and debootstrap")
    root = tmp_path / release
    options, mirror = (UBUNTU_OPTIONS, [UBUNTU_MIRROR, UBUNTU_SCRIPT]) \
        if release in UBUNTU else ((), [])
    made = subprocess.run(["debootstrap", "--variant=minbase", "--include=python3,python3-venv",
                           *options, release, root, *mirror], capture_output=True, text=True)
    assert made.returncode == 0, made.stdout[-2000:] + made.stderr[-2000:]
    subprocess.run(["chroot", root, "useradd", "--create-home", "newcomer"], check=True)
    shutil.copy(wheel, root)
    if release in OLD_PIP:
        shutil.copy(next(pathlib.Path("/usr/share/python-wheels").glob("pip-*.whl")), root)
    (root / "try.sh").write_text(SCRIPT.format(
        seconds=QUICKSTART_S, newer_pip=NEWER_PIP if release in OLD_PIP else ""))
    # In a namespace, so that nothing stays mounted.
    inside = ('mount -t proc proc "$1/proc" && exec chroot --userspec=newcomer "$1" '
              '/usr/bin/env -i HOME=/home/newcomer PATH=/usr/bin:/bin bash /try.sh')
    done = subprocess.run(["unshare", "--mount", "sh", "-c", inside, "sh", root],
                          capture_output=True, text=True, timeout=400)
    print(f"wheel: {wheel.stat().st_size / 1e6:.1f} MB\n{done.stdout}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "completed" in done.stdout and "hone --help" in done.stdout
    assert shutil.which("gcc", path=str(root / "usr/bin")) is None
