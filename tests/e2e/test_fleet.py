"""Fleets with real programs: workers here, and jobs of a real Slurm where it is installed."""
import json
import os
import pathlib
import stat
import subprocess
import sys

import pytest

import slurm
from commands import hone, ok
from conftest import SLOWER, Server, program, sweep_spec
from slurm import until

PATIENCE = 120 * SLOWER  # seconds; a busy machine is slow

TRAINER = """import json, time
for phase in range(2):
    time.sleep(0.05)
    print("@hone " + json.dumps({"report": {"phase": phase, "step": phase + 1, "value": 1.0}}),
          flush=True)
"""


def processes(word):
    """Processes of pilots whose command line has `word`, without the keepers of their trials."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
        if b"--pilot" in words and any(word.encode() in one for one in words):
            found[int(folder.name)] = (parent, words[words.index(b"--pilot") + 1].decode())
    return {pid: token for pid, (parent, token) in found.items()
            if found.get(parent, (0, ""))[1] != token}


def submit(server, folder, trials=6):
    trainer = pathlib.Path(folder) / "train.py"
    trainer.write_text(TRAINER)
    return server.submit(sweep_spec(command=[sys.executable, str(trainer)],
                                    search={"method": "random", "trials": trials},
                                    budget={"unit": "steps", "per_run": 2, "phases": 2}))


def ended(server, sweep):
    return server.get(f"/v1/sweeps/{sweep}")["state"] == "completed"


def fleet_of(server):
    return server.get("/v1/fleets")["items"][0]


def all_pilots(server):
    return server.get("/v1/fleets/fl_1/pilots")["items"]


@pytest.fixture
def quiet_server(tmp_path):
    """A server whose pilots end with the test."""
    one = Server(tmp_path / "data").start()
    yield one
    if one.process is not None:
        one.stop()
    for pid in processes(str(tmp_path)):
        os.kill(pid, 9)


def test_local_pilots_follow_the_work_from_zero_to_many_and_back(quiet_server, tmp_path):
    server = quiet_server
    ok("fleet", "create", "here", "engine=local", "max=3", "idle=1s", server=server)
    assert "fl_1" in ok("fleet", "ls", server=server)
    sweep = submit(server, tmp_path)
    assert until(lambda: ended(server, sweep), PATIENCE), server.log_text()
    assert until(lambda: fleet_of(server)["pilots"] == 0, PATIENCE), all_pilots(server)
    assert processes(str(tmp_path)) == {}
    seen = all_pilots(server)
    assert seen and all(one["worker"] for one in seen)
    assert all(one["end_rule"] in ("completed", "vanished") for one in seen), seen


def test_a_fleet_is_shown_explained_changed_and_stopped(quiet_server):
    server = quiet_server
    ok("fleet", "create", "here", "engine=local", "min=1", "max=2", server=server)
    assert until(lambda: fleet_of(server)["joined"] == 1, PATIENCE), server.log_text()
    assert "running" in ok("fleet", "show", "here", server=server)
    assert "`min` pilots" in ok("fleet", "explain", "here", server=server)
    assert "ready" in ok("fleet", "logs", "pi_1", server=server)
    unknown = hone("fleet", "logs", "pi_99", server=server)
    assert unknown.returncode == 3 and "no pilot pi_99" in unknown.stderr
    ok("fleet", "set", "here", "max=5", server=server)
    assert fleet_of(server)["spec"]["max"] == 5
    ok("fleet", "stop", "here", server=server)
    assert until(lambda: fleet_of(server)["state"] == "stopped", PATIENCE), all_pilots(server)
    assert all_pilots(server)[0]["canceled"] == "stopping"


def test_a_pilot_joins_with_every_setting_of_its_fleet(quiet_server, tmp_path):
    server = quiet_server
    ok("fleet", "create", "here", "engine=local", "min=1", "slots=2", "gpus=1", "memory=1GiB",
       "gpu_memory=6GiB", "labels=fast,quiet", "idle=5m", "drain=20s", "wall=2h",
       f"folder={tmp_path}/work", server=server)
    assert until(lambda: fleet_of(server)["joined"] == 1, PATIENCE), server.log_text()
    worker = server.get("/v1/workers")["items"][0]
    assert (worker["cpus"], worker["gpus"], worker["memory"]) == (2, 1, 1 << 30), worker
    assert worker["labels"] == ["fast", "quiet"]
    assert worker["gpu_memory"] == [6 << 30]


def test_a_fleet_at_zero_is_named_where_workers_are_missing(quiet_server, tmp_path):
    server = quiet_server

    def checked():
        lines = json.loads(hone("doctor", "--data", tmp_path, "--format", "json",
                                server=server).stdout)
        return next((one["health"], one["detail"]) for one in lines if one["what"] == "workers")

    health, detail = checked()
    assert health == "warn" and "start one with hone worker" in detail
    assert "start one with: hone worker" in hone("workers", server=server).stderr
    ok("fleet", "create", "here", "engine=local", "max=2", server=server)
    promise = "fleet 'here' starts pilots when runs wait: hone fleet explain here"
    assert checked() == ("ok", "none connected; " + promise)
    assert "no workers; " + promise in hone("workers", server=server).stderr
    ok("fleet", "stop", "here", server=server)
    assert until(lambda: fleet_of(server)["state"] == "stopped", PATIENCE), server.log_text()
    assert checked() == (health, detail)


def test_a_pilot_that_cannot_reach_the_server_is_shown_as_not_joined(quiet_server):
    server = quiet_server
    ok("fleet", "create", "here", "engine=local", "min=1", "url=http://127.0.0.1:1", server=server)
    assert until(lambda: fleet_of(server)["pilots"] == 1, PATIENCE), server.log_text()
    shown = "it has not joined; read: hone fleet logs pi_1"
    assert until(lambda: shown in ok("fleet", "explain", "here", server=server), PATIENCE)
    assert until(lambda: "trying again" in hone("fleet", "logs", "pi_1", server=server).stdout,
                 PATIENCE)


def test_a_list_command_that_fails_is_named_with_its_message(quiet_server, tmp_path):
    server = quiet_server
    lists = tmp_path / "list.sh"
    lists.write_text("echo 'batchq: no queue master' >&2; exit 3\n")
    spec = {"name": "batch", "engine": "command", "max": 1,
            "commands": {"submit": ["false"], "list": ["sh", str(lists)], "cancel": ["true"]}}
    server.post("/v1/fleets", {"request_id": "f1", "spec": spec}, status=201)
    assert until(lambda: fleet_of(server)["engine_trouble"], PATIENCE), server.log_text()
    explained = ok("fleet", "explain", "batch", server=server)
    since = fleet_of(server)["engine_trouble"]["since"][:19].replace("T", " ")
    assert f"engine command: no complete list of its pilots since {since} UTC: " in explained
    assert "batchq: no queue master" in explained
    assert "batchq: no queue master" in " ".join(
        ok("fleet", "show", "batch", server=server).split())
    lists.write_text("exit 0\n")
    assert until(lambda: not fleet_of(server)["engine_trouble"], PATIENCE), server.log_text()
    assert "batchq" not in ok("fleet", "explain", "batch", server=server)


def test_a_fleet_with_a_wrong_setting_is_refused_by_name(quiet_server):
    result = hone("fleet", "create", "here", "engine=locl", server=quiet_server)
    assert result.returncode != 0 and "local, slurm, ssh and command" in result.stderr
    result = hone("fleet", "create", "here", "engine=local", "maxx=3", server=quiet_server)
    assert result.returncode != 0 and "maxx" in result.stderr


def killing(folder, real, name, after):
    """A program that kills the server once, then runs (or has run) the real one."""
    path = pathlib.Path(folder) / name
    mark = pathlib.Path(folder) / f"{name}.killed"
    kill = f'if mkdir "{mark}" 2>/dev/null; then kill -9 "$(cat "{folder}/server.pid")"; fi\n'
    run = f'"{real}" "$@"' if after else f'exec "{real}" "$@"'
    body = f"{run} >{folder}/answer; status=$?\n{kill}cat {folder}/answer; exit $status\n" \
        if after else kill + run + "\n"
    path.write_text("#!/bin/sh\n" + body)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_a_server_killed_after_a_submission_adopts_the_pilot_and_submits_no_second(
        quiet_server, tmp_path):
    server = quiet_server
    (tmp_path / "server.pid").write_text(str(server.process.pid))
    wrapper = killing(tmp_path, program("hone-worker"), "worker.sh", after=False)
    port = server.port
    ok("fleet", "create", "here", "engine=local", "min=1", "max=1", f"program={wrapper}",
       server=server)
    server.process.wait(PATIENCE)
    server.kill()
    server.start(port)
    assert until(lambda: fleet_of(server)["joined"] == 1, PATIENCE), server.log_text()
    assert len(all_pilots(server)) == 1
    assert list(processes(str(tmp_path)).values()) == [f"hone-{mark_of(tmp_path)}-pi_1"]


def mark_of(folder):
    tokens = set(processes(str(folder)).values())
    return tokens.pop().split("-")[1] if tokens else "none"


def test_a_worker_near_its_end_returns_its_run_and_takes_no_other(server, tmp_path):
    trainer = tmp_path / "slow.py"
    trainer.write_text(TRAINER.replace("range(2)", "range(200)").replace("0.05", "0.2"))
    server.submit(sweep_spec(command=[sys.executable, str(trainer)],
                             search={"method": "random", "trials": 2},
                             budget={"unit": "steps", "per_run": 200, "phases": 200}))
    subprocess.run([program("hone-worker"), "--server", f"http://127.0.0.1:{server.port}",
                    "--data", str(tmp_path / "worker"), "--slots", "1", "--ends-in", "40s",
                    "--drain", "36s"], check=True, timeout=PATIENCE, capture_output=True)
    attempts = server.get("/v1/runs/rn_1.0/attempts")["items"]
    assert [one["end_reason"] for one in attempts] == ["requeue_requested"]
    assert attempts[0]["failure"] == "preempted"
    assert server.get("/v1/runs/rn_1.0/curve")["items"]


def test_a_worker_whose_log_cannot_be_written_trains_on(server, tmp_path):
    sweep = submit(server, tmp_path, trials=2)
    with open("/dev/full", "wb", buffering=0) as full:  # as the log of a job on a full file system
        subprocess.run([program("hone-worker"), "--server", f"http://127.0.0.1:{server.port}",
                        "--data", str(tmp_path / "worker"), "--idle", "1s"], check=True,
                       timeout=PATIENCE, stdout=full, stderr=full)
    assert ended(server, sweep)


def test_an_idle_worker_exits_after_its_idle_time(server, tmp_path):
    subprocess.run([program("hone-worker"), "--server", f"http://127.0.0.1:{server.port}",
                    "--data", str(tmp_path / "worker"), "--idle", "1s"], check=True,
                   timeout=PATIENCE, capture_output=True)
    assert len(server.get("/v1/workers")["items"]) == 1


# The thread of the engines -----------------------------------------------------------------------

def test_a_fleet_that_submits_many_pilots_leaves_others_their_turn(quiet_server, tmp_path):
    server = quiet_server
    (tmp_path / "queue").mkdir()
    spec = {"name": "many", "engine": "command", "min": 60, "max": 60, "backlog": 60, "commands": {
        "submit": ["mktemp", f"{tmp_path}/queue/jobXXXXXX"], "list": ["true"], "cancel": ["true"]}}
    server.post("/v1/fleets", {"request_id": "many", "spec": spec})  # a command a second: a minute
    assert until(lambda: any((tmp_path / "queue").iterdir()), PATIENCE), server.log_text()
    server.post("/v1/fleets", {"request_id": "one",
                               "spec": {"name": "one", "engine": "local", "min": 1}})
    assert until(lambda: server.get("/v1/fleets/fl_2")["joined"] == 1, PATIENCE), server.log_text()
    waiting = [one for one in server.get("/v1/fleets/fl_1/pilots?limit=100")["items"]
               if one["state"] == "wanted"]
    lines = [line for line in server.log_text().splitlines() if "submitted as" in line]
    first = next(at for at, line in enumerate(lines) if "fleet 'one'" in line)
    assert first < 30, "its pilot waited for those of the other fleet"
    assert len(waiting) + len(lines) > 60, "those not submitted yet are not given up"


# Slurm -------------------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    if reason := slurm.why_not():
        pytest.skip(reason)
    one = slurm.Slurm(tmp_path_factory.mktemp("slurm"))
    try:
        yield one.start()
    finally:
        one.stop()


@pytest.fixture
def slurm_server(cluster, tmp_path, monkeypatch):
    monkeypatch.setenv("SLURM_CONF", cluster.environment["SLURM_CONF"])
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    one = Server(tmp_path / "data").start()
    yield one
    if one.process is not None:
        one.stop()
    cluster.run("scancel", "--me")


def create_on_slurm(server, tmp_path, *settings):
    ok("fleet", "create", "hpc", "--engine", "slurm", "max=2", "idle=2s", "wall=5m", "drain=1m",
       f"folder={tmp_path}", *settings, server=server)


GA3C = sweep_spec(
    command=None, trainer={"name": "ga3c", "env": "CartPole-v1", "deterministic": "yes"},
    parameters={"learning_rate": {"type": "float", "min": 1e-4, "max": 1e-2, "scale": "log"}},
    search={"method": "random", "trials": 4},
    budget={"unit": "frames", "per_run": 4000, "phases": 2})


def learned(server, sweep):
    """The parameters and values of a sweep's runs, the best first."""
    assert until(lambda: ended(server, sweep), PATIENCE), \
        json.dumps(all_pilots(server)) + server.log_text()
    return json.loads(ok("best", sweep, "--format", "json", server=server))


def test_a_sweep_of_ga3c_on_slurm_finds_the_model_that_it_finds_without_a_fleet(
        slurm_server, cluster, tmp_path):
    server = slurm_server
    create_on_slurm(server, tmp_path)
    best = learned(server, server.submit(GA3C))
    model = ok("models", best[0]["run"], "--format", "value", server=server).split()[-1]
    played = json.loads(ok("evaluate", model, "--yes", "--episodes", "5", "--format", "json",
                           server=server))
    assert len(played["values"]) == 5 and played["run"] == best[0]["run"]
    assert until(lambda: fleet_of(server)["pilots"] == 0, PATIENCE), all_pilots(server)
    seen = all_pilots(server)
    assert all(one["end_rule"] == "completed" and one["worker"] for one in seen), seen
    ok("fleet", "stop", "hpc", server=server)
    assert until(lambda: fleet_of(server)["state"] == "stopped", PATIENCE)
    again = server.submit(dict(GA3C, name="again"))
    subprocess.run([program("hone-worker"), "--server", f"http://127.0.0.1:{server.port}",
                    "--data", str(tmp_path / "worker"), "--slots", "2", "--idle", "1s"], check=True,
                   timeout=PATIENCE, capture_output=True)
    found = [(one["params"], one["value"]) for one in best]
    assert found == [(one["params"], one["value"]) for one in learned(server, again)]


@pytest.mark.parametrize("again", range(int(os.environ.get("HONE_SLURM_KILLS", 2))))
def test_a_server_killed_between_sbatch_and_its_answer_adopts_the_job(
        slurm_server, cluster, tmp_path, again):
    server = slurm_server
    (tmp_path / "server.pid").write_text(str(server.process.pid))
    killing(tmp_path, "/usr/bin/sbatch", "sbatch", after=True).rename(tmp_path / "bin" / "sbatch")
    port = server.port
    create_on_slurm(server, tmp_path, "min=1", "max=1")
    server.process.wait(PATIENCE)
    server.kill()
    server.start(port)
    assert until(lambda: fleet_of(server)["joined"] == 1, PATIENCE), server.log_text()
    jobs = {name: states for name, states in cluster.jobs().items()
            if name.endswith("-pi_1") and "RUNNING" in states}
    assert [len(states) for states in jobs.values()] == [1]
    assert len(all_pilots(server)) == 1


def test_a_bad_partition_stops_the_fleet_with_slurms_own_message(slurm_server, tmp_path):
    create_on_slurm(slurm_server, tmp_path, "min=1", "args=--partition=nosuch")
    assert until(lambda: fleet_of(slurm_server)["state"] == "halted", PATIENCE)
    assert "invalid partition specified: nosuch" in fleet_of(slurm_server)["detail"]
    assert len(all_pilots(slurm_server)) <= 2
    assert "rejects every submission" in ok("fleet", "explain", "hpc", server=slurm_server)


@pytest.mark.parametrize("setting, shown", [
    ("wall=3h", "pending (PENDING: PartitionTimeLimit)"),  # the partition allows one hour
    ("args=--hold", "held (PENDING: JobHeldUser)")], ids=["too long", "held"])
def test_explain_names_why_a_job_of_slurm_waits(slurm_server, cluster, tmp_path, setting, shown):
    create_on_slurm(slurm_server, tmp_path, "min=2", "backlog=1", setting)
    assert until(lambda: shown in ok("fleet", "explain", "hpc", server=slurm_server), PATIENCE), \
        all_pilots(slurm_server)
    assert "`backlog` pilots have not joined yet" in ok("fleet", "explain", "hpc",
                                                        server=slurm_server)
    assert len(all_pilots(slurm_server)) == 1, "one that waits is enough"
