"""The engine ssh against a real OpenSSH server on a free port, with its own keys: no file of an
account is read, no service of the system is started."""
import os
import pathlib
import shutil
import subprocess

import pytest

import slurm
from commands import hone, ok
from conftest import START_SECONDS
from slurm import until
from test_fleet import PATIENCE, all_pilots, ended, fleet_of, processes, quiet_server, submit

__all__ = ["quiet_server"]  # a fixture

CONFIGURATION = """\
ListenAddress 127.0.0.1
Port {port}
HostKey {root}/host
PidFile {root}/pid
AuthorizedKeysFile {root}/authorized
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin yes
"""


class Sshd:
    """An OpenSSH server of this account; `args` are those of ssh that reach it."""

    def __init__(self, root, path):
        self.root, self.path, self.process = root, path, None
        self.port = slurm.free_port()
        for name in ("host", "key", "stranger"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", root / name],
                           check=True)
        shutil.copy(root / "key.pub", root / "authorized")
        (root / "sshd.conf").write_text(CONFIGURATION.format(port=self.port, root=root))

    def args(self, key="key"):
        return ["-F/dev/null", f"-p{self.port}", f"-i{self.root}/{key}", "-oIdentitiesOnly=yes",
                "-oStrictHostKeyChecking=no", "-oUserKnownHostsFile=/dev/null", "-oLogLevel=ERROR"]

    def start(self):
        with open(self.root / "sshd.log", "ab") as log:
            self.process = subprocess.Popen(
                [self.path, "-D", "-e", "-f", self.root / "sshd.conf"], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=log)
        assert until(lambda: self.run("true").returncode == 0, START_SECONDS), \
            (self.root / "sshd.log").read_text()

    def run(self, command):
        return subprocess.run(["ssh", *self.args(), "127.0.0.1", command], capture_output=True,
                              text=True, stdin=subprocess.DEVNULL, timeout=60)

    def stop(self):
        if self.process is not None:
            self.process.terminate()
            self.process.wait(PATIENCE)
        self.process = None


@pytest.fixture
def sshd(tmp_path):
    path = shutil.which("sshd", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    if path is None or shutil.which("ssh") is None:
        pytest.skip("not installed: ssh, sshd (openssh-client, openssh-server)")
    if os.geteuid() == 0:  # of root it needs this folder, which the service of the system makes
        pathlib.Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    one = Sshd(tmp_path, path)
    one.start()
    yield one
    one.stop()


def create(server, sshd, tmp_path, *settings, key="key"):
    ok("fleet", "create", "lab", "engine=ssh", "hosts=127.0.0.1", f"folder={tmp_path}/work",
       f"args={','.join(sshd.args(key))}", *settings, server=server)


def explained(server):
    return ok("fleet", "explain", "lab", server=server)


def test_a_sweep_trains_to_its_end_over_ssh(quiet_server, sshd, tmp_path):
    server = quiet_server
    create(server, sshd, tmp_path, "max=2", "idle=2s")
    sweep = submit(server, tmp_path)
    assert until(lambda: ended(server, sweep), PATIENCE), \
        (all_pilots(server), server.log_text())
    log = hone("fleet", "logs", "pi_1", server=server)
    assert log.returncode == 3 and "read it with: ssh 127.0.0.1 cat " in log.stderr
    words = log.stderr.split("ssh 127.0.0.1 ")[1].strip().replace("'", "")  # as a shell passes them
    assert "ready" in sshd.run(words).stdout
    ok("fleet", "stop", "lab", server=server)
    assert until(lambda: processes(str(tmp_path)) == {}, PATIENCE), all_pilots(server)
    assert all(one["worker"] for one in all_pilots(server))


def test_a_key_that_is_not_accepted_halts_the_fleet_in_the_words_of_ssh(quiet_server, sshd,
                                                                        tmp_path):
    server = quiet_server
    create(server, sshd, tmp_path, "min=1", "max=1", key="stranger")
    assert until(lambda: fleet_of(server)["state"] == "halted", PATIENCE), server.log_text()
    assert "127.0.0.1: " in explained(server)
    assert "Permission denied (publickey)" in explained(server)
    shutil.copy(tmp_path / "stranger.pub", tmp_path / "authorized")
    ok("fleet", "set", "lab", "max=1", server=server)
    assert until(lambda: fleet_of(server)["joined"] == 1, PATIENCE), explained(server)


def test_a_host_that_is_down_is_named_and_used_once_it_answers(quiet_server, sshd, tmp_path):
    server = quiet_server
    sshd.stop()
    create(server, sshd, tmp_path, "min=1", "max=1")
    shown = f"ssh: connect to host 127.0.0.1 port {sshd.port}: Connection refused"
    assert until(lambda: shown in explained(server), PATIENCE), explained(server)
    assert fleet_of(server)["state"] == "running"
    sshd.start()
    assert until(lambda: fleet_of(server)["joined"] == 1, PATIENCE), explained(server)


def test_a_host_that_goes_down_keeps_its_pilot(quiet_server, sshd, tmp_path):
    server = quiet_server
    create(server, sshd, tmp_path, "min=1", "max=1")
    assert until(lambda: fleet_of(server)["joined"] == 1, PATIENCE), explained(server)
    sshd.stop()
    assert until(lambda: "cannot list its pilots" in server.log_text(), PATIENCE)
    said = f"127.0.0.1: ssh: connect to host 127.0.0.1 port {sshd.port}: Connection refused"
    trouble = fleet_of(server)["engine_trouble"]
    assert trouble["detail"] == said, trouble
    assert f"engine ssh: no complete list of its pilots since {trouble['since'][:10]}" in \
        explained(server)
    assert said in explained(server) and said in hone("fleet", "ls", server=server).stderr
    sweep = submit(server, tmp_path)
    assert until(lambda: ended(server, sweep), PATIENCE), server.log_text()
    assert fleet_of(server)["engine_trouble"]["since"] == trouble["since"]
    sshd.start()
    assert until(lambda: fleet_of(server)["engine_trouble"] is None, PATIENCE), explained(server)
    assert "no complete list" not in explained(server)
    ok("fleet", "stop", "lab", server=server)
    assert until(lambda: processes(str(tmp_path)) == {}, PATIENCE), explained(server)
    assert [one["canceled"] for one in all_pilots(server)] == ["stopping"]


def test_a_stopping_fleet_whose_host_is_gone_can_be_forgotten(quiet_server, sshd, tmp_path):
    server = quiet_server
    create(server, sshd, tmp_path, "min=1", "max=1")
    assert until(lambda: fleet_of(server)["joined"] == 1, PATIENCE), explained(server)
    refused = hone("fleet", "stop", "lab", "--forget", server=server)
    assert refused.returncode != 0 and "fl_1 is not stopping; stop it first" in refused.stderr
    sshd.stop()
    assert until(lambda: fleet_of(server)["engine_trouble"], PATIENCE), server.log_text()
    ok("fleet", "stop", "lab", server=server)
    way_out = "hone fleet stop lab --forget"
    assert until(lambda: way_out in explained(server), PATIENCE), explained(server)
    assert "stopping until its engine reports the end of 1 pilot" in explained(server)
    listed = hone("fleet", "ls", server=server)
    assert "stopping" in listed.stdout and way_out in listed.stderr
    [pilot] = all_pilots(server)
    forgotten = hone("fleet", "stop", "lab", "--forget", server=server)
    assert "may still run, and train until" in forgotten.stderr
    assert f"pi_1 ({pilot['handle']})" in forgotten.stderr
    assert fleet_of(server)["state"] == "stopped"
    assert fleet_of(server)["detail"] == "a user forgot 1 pilot that may still run"
    assert processes(str(tmp_path)), "its host was gone only for the server"
    shown = explained(server)
    assert f"forgotten by a user; it may still run as {pilot['handle']}" in shown, shown
    create(server, sshd, tmp_path, "min=0", "max=1")  # the name is free again
    events = server.get("/v1/events?limit=1000")["items"]
    assert [(one["fleet"], one["state"]) for one in events if one["kind"] == "fleet_steered"] == [
        ("fl_1", "stopping"), ("fl_1", "stopped")]
