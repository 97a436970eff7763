"""The Debian packages: tools/deb builds them in a clean Debian, installs them in another and runs
sweeps there.

Needs root, mmdebstrap and a mirror of Debian's packages, and compiles everything, so it runs only
with HONE_DEB, which names the releases (./test --system does): HONE_DEB=bookworm,trixie.
HONE_DEB_OPTIONS are further options of tools/deb."""
import contextlib
import os
import pathlib
import re
import runpy
import select
import shutil
import signal
import subprocess
import sys

import pytest

from conftest import ROOT

RELEASES = [name for name in os.environ.get("HONE_DEB", "").split(",") if name]
PROGRAMS = ("hone", "hone-server", "hone-worker", "hone-train", "hone-bench", "hone-relay")
HELD = {"hone": {*(f"usr/bin/{name}" for name in PROGRAMS),
                 *(f"usr/share/man/man1/{name}.1.gz" for name in PROGRAMS),
                 "usr/share/bash-completion/completions/hone",
                 "usr/share/zsh/vendor-completions/_hone",
                 "usr/share/fish/vendor_completions.d/hone.fish",
                 "usr/lib/sysusers.d/hone.conf",
                 "usr/share/doc/hone/examples/any_command.py"},
        "libhone-dev": {"usr/include/hone/hone.hpp", "usr/include/hone/sdk/cpp/client.hpp"},
        "hone-torch": {"usr/lib/hone/libhone_torch.so"},
        "python3-hone": {"usr/lib/python3/dist-packages/hone/__init__.py",
                         "usr/lib/python3/dist-packages/hydra_plugins/hone_launcher/__init__.py",
                         "usr/share/hone/python/pyproject.toml"}}


def output(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module", params=RELEASES or ["none"])
def packages(request, tmp_path_factory):
    """Name -> file of each package of a release."""
    if not RELEASES:
        pytest.skip("HONE_DEB names no release of Debian")
    if os.geteuid() != 0 or not all(map(shutil.which, ("mmdebstrap", "dpkg-deb"))):
        pytest.skip("needs root, mmdebstrap and dpkg-deb")
    folder = tmp_path_factory.mktemp(request.param)
    done = subprocess.run([sys.executable, ROOT / "tools" / "deb", request.param, "--out", folder,
                           *os.environ.get("HONE_DEB_OPTIONS", "").split()],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-3000:]
    print(done.stdout[-2000:])
    return {path.name.split("_")[0]: path for path in folder.glob("*.deb")}


def test_sweeps_run_where_the_packages_are_installed(packages):
    torch = {"hone-torch"} & set(packages)  # not with --without-torch
    assert set(packages) == {"hone", "libhone-dev", "python3-hone"} | torch


def test_debian_packages_say_what_they_are_and_need(packages):
    needs = output("dpkg-deb", "-f", packages["hone"], "Depends")
    assert "libssl" in needs and "libc6" in needs and "libtorch" not in needs
    if "hone-torch" in packages:
        assert "libtorch" in output("dpkg-deb", "-f", packages["hone-torch"], "Depends")
    assert "nlohmann-json3-dev" in output("dpkg-deb", "-f", packages["libhone-dev"], "Depends")
    assert output("dpkg-deb", "-f", packages["python3-hone"], "Architecture").strip() == "all"


def test_debian_packages_hold_what_they_should(packages):
    held = {name: set(re.findall(r" \./(\S*[^/\s])$", output("dpkg-deb", "-c", file), re.M))
            for name, file in packages.items()}
    for name in held:
        assert HELD[name] <= held[name], HELD[name] - held[name]
        assert f"usr/share/doc/{name}/copyright" in held[name]
        assert not [path for path in held[name] if "__pycache__" in path or path.endswith(".o")]
    assert len([path for path in held["hone"] if path.endswith(".service")]) == 2
    everything = [path for paths in held.values() for path in paths]
    assert len(everything) == len(set(everything))


def small_root(folder):
    """A root whose programs are those of busybox, with the user newcomer."""
    for part in ("bin", "usr/bin", "etc", "proc", "home/newcomer"):
        (folder / part).mkdir(parents=True)
    shutil.copy(shutil.which("busybox"), folder / "bin")
    for path in ("usr/bin/env", "bin/sh", "bin/echo", "bin/sleep"):
        (folder / path).symlink_to("/bin/busybox")
    (folder / "etc/passwd").write_text("root:x:0:0::/root:/bin/sh\n"
                                       "newcomer:x:1000:1000::/home/newcomer:/bin/sh\n")
    (folder / "etc/group").write_text("root:x:0:\nnewcomer:x:1000:\n")
    (folder / "var/lib").mkdir(parents=True)
    return folder


def test_a_build_ends_with_the_tool_that_is_killed(tmp_path):
    """It continued for half an hour: the kernel forgets that a process is to die with its parent when
    it becomes another user."""
    busybox = shutil.which("busybox")
    if os.geteuid() != 0 or busybox is None or "statically" not in output("file", "-L", busybox):
        pytest.skip("needs root and busybox-static")
    tool = runpy.run_path(str(ROOT / "tools" / "deb"))
    root = small_root(tmp_path)
    root.chmod(0o755)
    (root / tool["READY"]).touch()
    reader, writer = os.pipe()
    parent = os.fork()
    if parent == 0:
        with contextlib.suppress(BaseException):
            tool["Debian"]("none", root).inside("sh", "-c", "echo begun; sleep 100",
                                                user="newcomer", stdout=writer)
        os._exit(1)
    os.close(writer)
    with open(reader) as out:
        assert out.readline() == "begun\n"
        child, = pathlib.Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        os.kill(int(child), signal.SIGKILL)  # unshare
        # The pipe ends when no process is left that could write.
        assert select.select([out], [], [], 60)[0] and out.read() == ""
    os.waitpid(parent, 0)
