"""Fleets on a real Slurm that takes the node away, is away itself, and ends jobs at their wall time."""
import os
import pathlib
import sys

import pytest

from commands import hone, ok
from conftest import sweep_spec
from guarded import Certificate, Secret
from slurm import until
from test_fleet import (PATIENCE, all_pilots, cluster, create_on_slurm, ended, fleet_of,
                        slurm_server)

__all__ = ["cluster", "slurm_server"]  # fixtures

# The wall time of a job, and the length of a phase, in seconds.
WALL, PHASE = (60, 20) if os.environ.get("HONE_SLURM_LONG") else (40, 3)

# Saves a checkpoint at the end of each phase. The third phase of one that is gated does not end
# before the file `gate` exists.
TRAINER = r"""
import json, os, pathlib, signal, sys, time
here, seconds = pathlib.Path(sys.argv[1]), float(sys.argv[2])
run = json.load(open(os.environ["HONE_RUN_FILE"]))


def note(what, *more):
    with open(here / "log", "a") as log:
        print(what, run["run"], run["attempt"], phase, *more, file=log)


def leave(*_):
    note("term", time.monotonic() - began)
    sys.exit(143)


signal.signal(signal.SIGTERM, leave)
for phase in range(run["next_phase"], run["budget"]["phases"]):
    began = time.monotonic()
    note("begin")
    time.sleep(seconds)
    while phase == 2 and (here / "gated").exists() and not (here / "gate").exists():
        time.sleep(0.05)
    path = os.path.join(os.environ["HONE_CHECKPOINT_DIR"], str(phase))
    open(path, "w").write(run["run"])
    note("end")
    print("@hone", json.dumps({"checkpoint": {"path": path, "step": phase + 1}}), flush=True)
    report = {"phase": phase, "step": phase + 1, "value": 1}
    print("@hone", json.dumps({"report": report}), flush=True)
"""


def submit(server, folder, phases=4, seconds=0.1, trials=1):
    (folder / "phases.py").write_text(TRAINER)
    return server.submit(sweep_spec(
        command=[sys.executable, str(folder / "phases.py"), str(folder), str(seconds)],
        search={"method": "random", "trials": trials},
        budget={"unit": "steps", "per_run": phases, "phases": phases}))


def log_of(folder):
    path = pathlib.Path(folder) / "log"
    return [line.split() for line in path.read_text().splitlines()] if path.exists() else []


def begun(folder, phase):
    return any(line[0] == "begin" and line[3] == str(phase) for line in log_of(folder))


def jobs_of_pilots(cluster, server):
    """The number of jobs that Slurm knows for each pilot of this server."""
    names = [one["id"] for one in all_pilots(server)]
    mark = next(name for name in cluster.jobs() if name.endswith("-pi_1")).rsplit("-", 1)[0]
    return {pilot: len(cluster.jobs().get(f"{mark}-{pilot}", [])) for pilot in names}


def pilot_of(server, name):
    return next((one for one in all_pilots(server) if one["id"] == name), {})


def take_the_node(cluster):
    """An urgent job on the whole node; returns its number."""
    number = cluster.run("sbatch", "--parsable", "--partition=urgent", "--cpus-per-task=8",
                         "--output=/dev/null", "--wrap", "exec sleep 600").strip()
    assert number.isdigit()
    return number


def ends_of(server, run="rn_1.0"):
    return [(one["end_reason"], one["failure"])
            for one in server.get(f"/v1/runs/{run}/attempts")["items"]]


@pytest.mark.parametrize("requeued", [False, True], ids=["replaced", "requeued"])
def test_a_pilot_that_is_preempted_returns_its_run_without_blame(slurm_server, cluster, tmp_path,
                                                                 requeued):
    server = slurm_server
    (tmp_path / "gated").touch()
    create_on_slurm(server, tmp_path, "slots=8", "max=1", *(["args=--requeue"] if requeued else []))
    sweep = submit(server, tmp_path)
    assert until(lambda: begun(tmp_path, 2), PATIENCE), server.log_text()
    urgent = take_the_node(cluster)
    assert until(lambda: ends_of(server)[0][0], PATIENCE), cluster.run("squeue")
    assert ends_of(server)[0] == ("requeue_requested", "preempted")
    (tmp_path / "gate").touch()
    cluster.run("scancel", urgent)
    assert until(lambda: ended(server, sweep), 2 * PATIENCE), \
        (all_pilots(server), cluster.run("squeue"), server.log_text())
    done = [line[3] for line in log_of(tmp_path) if line[0] == "end"]
    assert sorted(done) == ["0", "1", "2", "3"], "only the phase that was cut is trained again"
    assert len(all_pilots(server)) == (1 if requeued else 2), all_pilots(server)
    assert set(jobs_of_pilots(cluster, server).values()) == {1}


def test_a_scheduler_that_is_away_costs_no_pilot_and_makes_no_second_one(slurm_server, cluster,
                                                                         tmp_path):
    server = slurm_server
    (tmp_path / "gated").touch()
    create_on_slurm(server, tmp_path, "max=1")
    sweep = submit(server, tmp_path, trials=4)
    assert until(lambda: begun(tmp_path, 2), PATIENCE), server.log_text()
    cluster.stop_controller()
    try:
        ok("fleet", "set", "hpc", "max=2", server=server)
        assert until(lambda: pilot_of(server, "pi_2").get("state") == "unknown", PATIENCE), \
            (all_pilots(server), server.log_text())
        assert fleet_of(server)["joined"] == 1
    finally:
        cluster.start_controller()
    (tmp_path / "gate").touch()
    assert until(lambda: ended(server, sweep), PATIENCE), (all_pilots(server), server.log_text())
    assert ends_of(server) == [("budget_reached", "none")], "its run was not disturbed"
    assert max(jobs_of_pilots(cluster, server).values()) == 1
    first = pilot_of(server, "pi_1")
    assert first["worker"] and first["end_rule"] in (None, "completed", "vanished"), first


def test_no_phase_is_cut_at_the_end_of_the_wall_time(slurm_server, cluster, tmp_path):
    server = slurm_server
    phases = WALL // PHASE - 3 if PHASE < 20 else 4
    # Slurm may send the hint of --signal a minute early; to steps alone it reaches no pilot.
    ok("fleet", "create", "hpc", "engine=slurm", "max=1", "idle=1s", f"wall={WALL}s", "drain=1s",
       f"folder={tmp_path}", "args=--signal=USR1@1", server=server)
    sweep = submit(server, tmp_path, phases=phases, seconds=PHASE)
    assert until(lambda: ended(server, sweep), 5 * PATIENCE), \
        (all_pilots(server), server.log_text())
    ends = [int(line[3]) for line in log_of(tmp_path) if line[0] == "end"]
    assert ends == list(range(phases)), "a phase was trained twice"
    # The program does not wait for the answer to its report: TERM ends a phase that just began.
    cuts = [float(line[4]) for line in log_of(tmp_path) if line[0] == "term"]
    assert all(cut < PHASE / 2 for cut in cuts), cuts
    assert len(all_pilots(server)) > 1, "the work was longer than one job"
    assert set(ends_of(server)[:-1]) == {("requeue_requested", "preempted")}


@pytest.fixture
def secret_server(cluster, tmp_path, monkeypatch):
    """As docs/fleets.md starts it on a login node: all addresses, TLS, a token for the pilots."""
    monkeypatch.setenv("SLURM_CONF", cluster.environment["SLURM_CONF"])
    data = tmp_path / "data"
    one = Secret(data, Certificate(tmp_path, "server"), "--worker-token-file",
                 str(data / "worker.token"))
    one.host = "0.0.0.0"
    yield one.start()
    if one.process is not None:
        one.stop()
    cluster.run("scancel", "--me")


def test_the_ten_minutes_of_the_documentation_with_tls_and_tokens(secret_server, cluster, tmp_path):
    server = secret_server
    access = {"HONE_SERVER": server.url, "HONE_TOKEN_FILE": str(server.admin_file()),
              "HONE_TLS_CA": str(server.own.cert)}
    ok("fleet", "create", "gpu", "engine=slurm", "max=2", "wall=10m", "slots=2", "idle=2s",
       f"url={server.url}", f"tls_ca={server.own.cert}", f"folder={tmp_path}",
       "args=--partition=main,--time-min=5", **access)
    (tmp_path / "sweep.yaml").write_text(
        "name: quick\nseed: 1\nobjective: {metric: return, goal: maximize}\n"
        "trainer: {name: ga3c, env: CartPole-v1}\n"
        "parameters: {learning_rate: {type: float, min: 1e-4, max: 1e-2, scale: log}}\n"
        "search: {method: random, trials: 4}\n"
        "budget: {unit: frames, per_run: 4000, phases: 2}\n")
    submitted = hone("submit", str(tmp_path / "sweep.yaml"), "--watch", timeout=PATIENCE, **access)
    assert submitted.returncode == 0, (submitted.stderr, server.log_text())
    assert "gpu" in ok("fleet", "ls", **access)
    assert "runs wait for a worker" in ok("fleet", "explain", "gpu", **access)
    assert "ready" in ok("fleet", "logs", "pi_1", **access)
    token = (server.folder / "worker.token").read_text().strip()
    assert token not in ok("fleet", "logs", "pi_1", **access)
    ok("fleet", "stop", "gpu", **access)
    assert until(lambda: fleet_of(server)["state"] == "stopped", PATIENCE), all_pilots(server)
