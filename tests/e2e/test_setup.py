"""`install` of tools/setup.sh, by which ./quickstart and ./test install packages: the machine's own apt and dpkg on a root
in a folder, with a package source that the test serves."""
import contextlib
import gzip
import hashlib
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import threading

import pytest

from conftest import ROOT

PACKAGE = "hone-setup-test"
CONTROL = (f"Package: {PACKAGE}\nVersion: 1\nArchitecture: all\n"
           "Maintainer: hone <hone@localhost>\nDescription: empty\n")
HOLDER = "import fcntl, sys; file = open(sys.argv[1], 'a'); fcntl.lockf(file, fcntl.LOCK_EX); " \
         "print('held', flush=True); sys.stdin.read()"


class Source(http.server.ThreadingHTTPServer):
    """A package source. The first `failing` requests for the package get 503."""

    def __init__(self, folder):
        self.failing = 0
        source = self

        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *arguments):
                super().__init__(*arguments, directory=str(folder))

            def do_GET(self):
                if self.path.endswith(".deb") and source.failing > 0:
                    source.failing -= 1
                    self.send_error(503)
                else:
                    super().do_GET()

            def log_message(self, *arguments):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


def package_source(folder):
    """Writes one package and the index of a flat repository."""
    (folder / "content" / "DEBIAN").mkdir(parents=True)
    (folder / "content" / "DEBIAN" / "control").write_text(CONTROL)
    served = folder / "served"
    served.mkdir()
    subprocess.run(["dpkg-deb", "--build", "--root-owner-group", folder / "content",
                    served / "one.deb"], check=True, stdout=subprocess.DEVNULL)
    data = (served / "one.deb").read_bytes()
    index = (f"{CONTROL}Filename: ./one.deb\nSize: {len(data)}\n"
             f"SHA256: {hashlib.sha256(data).hexdigest()}\n")
    (served / "Packages.gz").write_bytes(gzip.compress(index.encode()))
    return Source(served)


class Machine:
    def __init__(self, folder):
        self.root, self.source = folder / "root", package_source(folder)
        for name in ("etc/apt/apt.conf.d", "etc/apt/preferences.d", "etc/apt/sources.list.d",
                     "etc/apt/trusted.gpg.d", "var/lib/apt/lists/partial", "var/log/apt",
                     "var/cache/apt/archives/partial", "var/lib/dpkg/info", "var/lib/dpkg/updates"):
            (self.root / name).mkdir(parents=True)
        (self.root / "var/lib/dpkg/status").touch()
        (self.root / "var/lib/dpkg/available").touch()
        self.name_source(self.source.server_address[1])
        settings = folder / "apt.conf"
        settings.write_text(f"""Dir "{self.root}/";
DPkg::Options {{"--root={self.root}"; "--force-script-chrootless";}};
APT::Architecture "amd64";
APT::Sandbox::User "root";
Acquire::Retries::Delay "false";
Acquire::http::Proxy "DIRECT";
""")
        self.environment = {**os.environ, "APT_CONFIG": str(settings),
                            "DPKG_ADMINDIR": str(self.root / "var/lib/dpkg")}

    def name_source(self, port):
        (self.root / "etc/apt/sources.list").write_text(
            f"deb [trusted=yes] http://127.0.0.1:{port} ./\n")

    def start(self, *packages, then=""):
        script = (f". {ROOT}/tools/setup.sh; apt_retry_waits_s=(0 0); {then} "
                  'install "$@"; echo done')
        return subprocess.Popen(["bash", "-euo", "pipefail", "-c", script, "install", *packages],
                                env=self.environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def install(self, *packages, then=""):
        process = self.start(*packages, then=then)
        out, err = process.communicate(timeout=120)
        return process.returncode, out, err

    @contextlib.contextmanager
    def locked(self, path):
        """Another process holds the lock, as apt and unattended-upgrade do."""
        holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(self.root / path)],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert holder.stdout.readline() == "held\n"
        try:
            yield holder
        finally:
            holder.kill()
            holder.communicate()


@pytest.fixture
def machine(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("dpkg installs as root only")
    for tool in ("apt-get", "dpkg-deb"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    machine = Machine(tmp_path)
    yield machine
    machine.source.shutdown()
    machine.source.server_close()


def sentence(err):
    """The failure: the last line, which is one sentence or two."""
    return err.splitlines()[-1]


def test_a_package_is_installed_once(machine):
    status, out, err = machine.install(PACKAGE)
    assert (status, out) == (0, "done\n"), err
    assert f"Installing 1 Debian packages: {PACKAGE}" in err and "setting up" in err
    machine.name_source(9)  # the second call needs no network
    assert machine.install(PACKAGE) == (0, "done\n", "")


@pytest.mark.parametrize("path", ["var/lib/dpkg/lock-frontend", "var/lib/dpkg/lock",
                                  "var/lib/apt/lists/lock", "var/cache/apt/archives/lock"])
def test_it_waits_for_the_lock_of_another_program_and_names_it(machine, path):
    """`./quickstart` failed at once with "is there a network?" while a machine upgraded itself."""
    with machine.locked(path) as holder:
        process = machine.start(PACKAGE)
        waiting = ""
        while "Waiting" not in waiting:
            waiting = process.stderr.readline()
            assert waiting, process.communicate()
        assert f"process {holder.pid} (" in waiting and f"holds {machine.root / path}" in waiting
        assert process.poll() is None
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out) == (0, "done\n"), err


def test_a_lock_that_is_never_released_is_one_sentence(machine):
    with machine.locked("var/lib/dpkg/lock-frontend") as holder:
        status, _, err = machine.install(PACKAGE, then="apt_lock_wait_s=0;")
    assert status == 1
    assert sentence(err).startswith(f"hone: apt is locked: process {holder.pid} (")


def test_without_a_network_it_names_the_network(machine):
    machine.name_source(9)
    status, _, err = machine.install(PACKAGE)
    assert status == 1
    reason = "hone: the network: http://127.0.0.1:9/./InRelease (Could not connect"
    assert sentence(err).startswith(reason), err
    assert err.count("Trying again") == 2


def test_a_package_that_no_source_has_is_named_alone(machine):
    status, _, err = machine.install(PACKAGE, "hone-no-such-package")
    assert status == 1
    reason = "hone: this system's package sources do not have hone-no-such-package."
    assert sentence(err).startswith(reason), err
    assert "network" not in err and "Trying again" not in err


def test_a_download_that_fails_for_a_while_is_tried_again(machine):
    machine.source.failing = 6  # apt asks four times itself
    status, out, err = machine.install(PACKAGE)
    assert (status, out) == (0, "done\n"), err
    assert "Trying again" in err and "503" in err


def test_an_unreachable_source_of_others_does_not_matter(machine):
    with open(machine.root / "etc/apt/sources.list", "a") as sources:
        sources.write("deb [trusted=yes] http://127.0.0.2:9 ./\n")
    status, out, err = machine.install(PACKAGE)
    assert (status, out) == (0, "done\n"), err
    assert "Trying again" not in err


def test_quickstart_builds_every_program_that_the_wheel_takes():
    """`hone bench` was listed, and not built; tools/wheel failed after ./quickstart."""
    taken = re.search(r"^PROGRAMS = \((.*)\)$", (ROOT / "tools/wheel").read_text(), re.MULTILINE)[1]
    names = sorted(re.findall(r'"([a-z-]+)"', taken))
    text = (ROOT / "quickstart").read_text()
    built = re.search(r"^build quickstart (.*)$", text, re.MULTILINE)[1]
    assert "hone-bench" in names and sorted(built.split()) == names
    presets = json.loads((ROOT / "CMakePresets.json").read_text())["buildPresets"]
    assert sorted(next(one for one in presets if one["name"] == "quickstart")["targets"]) == names


def test_gymnasium_that_cannot_be_installed_is_one_sentence_and_a_named_python_is_taken(tmp_path):
    listed = tmp_path / "tests" / "e2e" / "libraries" / "gym.txt"
    listed.parent.mkdir(parents=True)
    listed.write_text((ROOT / "tests/e2e/libraries/gym.txt").read_text())
    nowhere = {"PIP_INDEX_URL": "http://127.0.0.1:9", "PIP_RETRIES": "0", "PIP_NO_CACHE_DIR": "1",
               "PATH": os.environ["PATH"]}

    def installed(**more):
        script = f"root={tmp_path}; . {ROOT}/tools/setup.sh; install_gymnasium"
        return subprocess.run(["bash", "-c", script], capture_output=True, text=True,
                              env={**nowhere, **more})
    refused = installed()
    assert refused.returncode == 0, refused.stderr
    assert "gym.txt could not be installed from PyPI: the tests of Gymnasium" in refused.stderr
    assert not (tmp_path / "build" / "libraries" / "gym").exists(), \
        "tests would take it for complete"
    assert installed(HONE_PYTHON="/usr/bin/python3").returncode == 0


def test_a_long_build_prints_how_long_it_takes():
    script = f". {ROOT}/tools/setup.sh; say_how_long 19 2; say_how_long 130 2; say_how_long 130 8"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
    lines = done.stderr.splitlines()
    assert [line.split(",")[0].strip() for line in lines] == [
        "130 steps with 2 jobs", "130 steps with 8 jobs"]
    assert "about 7 minutes" in lines[0] and "about 2 minutes" in lines[1]
