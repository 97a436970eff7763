"""The files of sdk/examples/fleets on programs that imitate their batch systems: a sweep, and the
cancellation of pilots. Those of PBS, Grid Engine and Kubernetes could not list a job."""
import os

import pytest

import batch_systems
from commands import ok
from conftest import BIN, ROOT, Server, program
from slurm import until
from test_fleet import PATIENCE, all_pilots, ended, fleet_of, processes, submit

SYSTEMS = sorted(batch_systems.PROGRAMS)


@pytest.fixture
def site(request, tmp_path, monkeypatch):
    """A server that finds the programs of the batch system, and the file of its fleet."""
    path = batch_systems.install(request.param, tmp_path)
    monkeypatch.setenv("PATH", f"{path}{os.pathsep}{BIN}")
    one = Server(tmp_path / "data").start()
    text = (ROOT / "sdk" / "examples" / "fleets" / f"{request.param}.yaml").read_text()
    file = tmp_path / "fleet.yaml"
    # The places that a user edits: the server, and the token, which this server does not ask for.
    file.write_text(text.replace("https://hone.example:7777", f"http://127.0.0.1:{one.port}")
                    .replace("token_file: /etc/hone/token\n", "")
                    .replace("tls_ca: /etc/hone/ca.crt\n", ""))
    yield one, file
    if one.process is not None:
        one.stop()
    for pid in processes(str(tmp_path)):
        os.kill(pid, 9)


def create(server, file, tmp_path, *settings):
    return ok("fleet", "create", str(file), f"url=http://127.0.0.1:{server.port}", "max=2",
              f"folder={tmp_path}/work", f"program={program('hone-worker')}", *settings,
              server=server).strip()


@pytest.mark.parametrize("site", SYSTEMS, indirect=True)
def test_the_example_of_a_batch_system_trains_a_sweep(site, tmp_path):
    server, file = site
    text = file.read_text()
    file.write_text(text.replace('"--idle", "5m"', '"--idle", "2s"'))
    create(server, file, tmp_path, "idle=2s")
    sweep = submit(server, tmp_path)
    assert until(lambda: ended(server, sweep), PATIENCE), (all_pilots(server), server.log_text())
    assert "cannot list its pilots" not in server.log_text()
    # On a fast machine the sweep ends before the last pilot has joined, which is then not wanted.
    assert any(one["worker"] for one in all_pilots(server))
    if "qstat -xml" in text:
        return  # Grid Engine forgets a job that has ended: to be sure takes a minute
    assert until(lambda: fleet_of(server)["pilots"] == 0, PATIENCE), all_pilots(server)
    assert all(one["end_rule"] == "completed" for one in all_pilots(server)), all_pilots(server)


@pytest.mark.parametrize("site", SYSTEMS, indirect=True)
def test_the_example_of_a_batch_system_cancels_its_pilots(site, tmp_path):
    server, file = site
    create(server, file, tmp_path, "min=1", "max=1")
    assert until(lambda: fleet_of(server)["joined"] == 1, PATIENCE), server.log_text()
    ok("fleet", "stop", "fl_1", server=server)
    assert until(lambda: processes(str(tmp_path)) == {}, PATIENCE), server.log_text()
    assert [one["canceled"] for one in all_pilots(server)] == ["stopping"]
