"""hone-worker with a real server and real trial processes."""
import json
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import time

import pytest

from commands import ok
from conftest import Server, START_SECONDS, program, sweep_spec

# A user's trainer: no SDK, a few lines over the socket. Its "model" is the step it has
# reached.
TRAINER = r'''
import json, os, signal, socket, sys, time
run = json.load(open(os.environ["HONE_RUN_FILE"]))
link = socket.socket(socket.AF_UNIX)
link.connect(os.environ["HONE_SOCKET"])
lines = link.makefile("rw")

def ask(message):
    lines.write(json.dumps(message) + "\n")
    lines.flush()
    answer = json.loads(lines.readline())
    assert "error" not in answer, answer
    return answer

def say(message):
    lines.write(json.dumps(message) + "\n")
    lines.flush()

seconds = float(sys.argv[1])
pids = sys.argv[2]
open(os.path.join(pids, f"{run['run']}.{run['attempt']}"), "w").write(str(os.getpid()))
step = 0
if run["resume"]:
    step = json.load(open(run["resume"]["path"]))["step"]
    assert step == run["resume"]["step"]
phases, per_run = run["budget"]["phases"], run["budget"]["per_run"]
for phase in range(run["next_phase"], phases):
    time.sleep(seconds)
    step = per_run * (phase + 1) // phases
    say({"metric": {"name": "loss", "step": step, "value": 1.0 / (phase + 1)}})
    path = os.path.join(os.environ["HONE_CHECKPOINT_DIR"], f"phase-{phase}.json")
    json.dump({"step": step, "run": run["run"]}, open(path, "w"))
    ask({"checkpoint": {"path": path, "step": step, "phase": phase}})
    value = run["params"]["lr"] * step
    if ask({"report": {"phase": phase, "step": step, "value": value}})["verdict"] != "continue":
        break
print("done", run["run"])
'''


class Worker:
    """A hone-worker with its own data folder, started `through` a program that becomes it."""

    def __init__(self, server, folder, *extra, slots=2, through=()):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.log = open(self.folder / "worker.log", "ab")
        self.process = subprocess.Popen(
            [*through, program("hone-worker"), "--server", f"http://127.0.0.1:{server.port}",
             "--slots", str(slots),
             "--data", str(self.folder), "--die-with-parent", *extra],
            stdout=subprocess.PIPE, stderr=self.log)

    def ready(self):
        found, _, _ = select.select([self.process.stdout], [], [], START_SECONDS)
        line = self.process.stdout.readline().decode() if found else ""
        assert re.match(r"hone-worker wk_\d+ ready: \d+ slots?, server http://",
                        line), (line, self.log_text())
        return line

    def log_text(self):
        return (self.folder / "worker.log").read_text(errors="replace")

    def stop(self, seconds=30):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(seconds)
        self.close()
        return status

    def kill(self):
        self.process.kill()
        self.process.wait(10)
        self.close()

    def close(self):
        self.process.stdout.close()
        self.log.close()
        self.process = None


@pytest.fixture
def place(tmp_path):
    """A trainer on disk, a folder where trials leave their process ids, and workers that are ended
    with the test."""
    class Place:
        trainer = tmp_path / "train.py"
        pids = tmp_path / "pids"
        workers = []

        def command(self, seconds=0.0):
            return [sys.executable, str(self.trainer), str(seconds), str(self.pids)]

        def worker(self, server, *extra, name="worker", slots=2):
            one = Worker(server, tmp_path / name, *extra, slots=slots)
            self.workers.append(one)
            return one

        def pid(self, run, attempt=1):
            return wait_for(lambda: (self.pids / f"{run}.{attempt}").exists()
                            and int((self.pids / f"{run}.{attempt}").read_text() or 0))

    one = Place()
    one.workers = []
    one.trainer.write_text(TRAINER)
    one.pids.mkdir()
    yield one
    for worker in one.workers:
        if worker.process is not None:
            worker.kill()


def wait_for(ready, seconds=60, every=0.05):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = ready()
        if found:
            return found
        time.sleep(every)  # of another process: there is nothing to wait on
    raise AssertionError("it did not happen in time")


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")",
                                                                    1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def sweep_ended(server, sweep):
    def ready():
        state = server.get(f"/v1/sweeps/{sweep}")
        return state if state["state"] in ("completed", "failed", "canceled") else None
    return ready


def runs_of(server, sweep):
    runs = []
    for trial in server.get(f"/v1/sweeps/{sweep}/trials")["items"]:
        runs += server.get(f"/v1/trials/{trial['id']}/runs")["items"]
    return runs


def check_curves(server, sweep, phases):
    """Every report of every run is there, once, with the value its parameters say."""
    for trial in server.get(f"/v1/sweeps/{sweep}/trials")["items"]:
        for run in server.get(f"/v1/trials/{trial['id']}/runs")["items"]:
            curve = server.get(f"/v1/runs/{run['id']}/curve")["items"]
            assert [point["phase"] for point in curve] == list(range(phases)), run
            for point in curve:
                assert point["step"] == 1000 * (point["phase"] + 1) // phases
                assert point["value"] == pytest.approx(trial["params"]["lr"] * point["step"])


def test_completes_a_sweep(server, place):
    sweep = server.submit(sweep_spec(command=place.command()))
    worker = place.worker(server)
    worker.ready()
    state = wait_for(sweep_ended(server, sweep))
    assert state["state"] == "completed", worker.log_text()
    assert state["runs"]["completed"] == 4
    check_curves(server, sweep, 4)
    runs = runs_of(server, sweep)
    assert all(run["reason"] == "budget_reached" and run["attempts"] == 1 for run in runs)
    # Checkpoints and metrics are on the server, and the worker keeps only logs.
    models = server.get(f"/v1/models?run={runs[0]['id']}")["items"]
    assert [model["phase"] for model in models] in ([0, 1, 2, 3], [3, 2, 1, 0])
    blob = server.ask("GET", f"/v1/blobs/{models[0]['sha256']}")
    assert json.loads(blob.body)["run"] == runs[0]["id"]
    assert len(server.get(f"/v1/runs/{runs[0]['id']}/metrics?name=loss")["items"]) == 4
    assert worker.stop() == 0
    assert list((worker.folder / "runs").iterdir()) == []
    logs = sorted(path.name for path in (worker.folder / "logs").iterdir())
    assert logs == sorted(f"{run['id']}#1.log" for run in runs)


def test_lines_on_stdout_are_enough(server, place, tmp_path):
    """A program without SDK: it prints, and gets a stop as SIGTERM."""
    script = tmp_path / "print.sh"
    script.write_text(
        '#!/bin/sh\nfor i in 1 2 3 4; do echo "@hone {\\"report\\":{\\"step\\":$((i*250)),\\"value\\":$1}}"; done\n')
    script.chmod(0o755)
    sweep = server.submit(sweep_spec(command=[str(script), "${lr}"]))
    place.worker(server, "--until-idle").process.wait(60)
    assert server.get(f"/v1/sweeps/{sweep}")["state"] == "completed"
    for run in runs_of(server, sweep):
        assert len(server.get(f"/v1/runs/{run['id']}/curve")["items"]) == 4


def test_failures_are_told_with_their_reason(server, place):
    cases = {
        "exit_code": ["/bin/sh", "-c", "echo oh no >&2; exit 3"],
        "infeasible": ["/bin/sh", "-c", "exit 86"],
        "no_report": ["/bin/true"],
        "cannot_start": ["no-such-program-here"],
    }
    sweeps = {reason: server.submit(sweep_spec(command=command,
                                               search={"method": "random", "trials": 1}))
              for reason, command in cases.items()}
    place.worker(server, "--until-idle").process.wait(60)
    for reason, sweep in sweeps.items():
        run, = runs_of(server, sweep)
        assert (run["state"], run["reason"]) == ("failed", reason)
        assert run["attempts"] == 1
    run, = runs_of(server, sweeps["exit_code"])
    assert run["exit_code"] == 3 and "oh no" in run["log_tail"]
    run, = runs_of(server, sweeps["cannot_start"])
    assert "no-such-program-here" in run["detail"]


def test_each_request_of_an_idle_worker_is_a_sign_of_life(server):
    """Those between two events, of which there is one in 5 min, were not shown."""
    worker = server.post("/v1/workers", {"request_id": "join", "host": "h", "pid": 1, "cpus": 1,
                                         "gpus": 0, "hone_version": "0.1.0"})["worker"]
    ask = {"worker": worker, "cpus": 1, "gpus": 0, "wait": 0}
    seen = []
    for number in range(3):
        server.post("/v1/leases", {"request_id": f"lease {number}", **ask})
        shown = server.get(f"/v1/workers/{worker}")
        assert shown["state"] == "present", shown
        seen.append(shown["last_seen_at"])
    server.post(f"/v1/workers/{worker}/beat", {"leases": []})
    seen.append(server.get("/v1/workers")["items"][0]["last_seen_at"])
    assert seen == sorted(set(seen)), seen
    listed = json.loads(ok("workers", "--format", "json", server=server))[0]
    assert listed["last_seen_at"] == seen[-1] and "seen" in ok("workers", server=server)


def test_a_killed_worker_loses_nothing(server, place):
    """kill -9: its processes go with it, and another worker continues from the last checkpoint."""
    sweep = server.submit(sweep_spec(command=place.command(0.4),
                                     search={"method": "random", "trials": 1}))
    first = place.worker(server, name="first", slots=1)
    first.ready()
    run, = wait_for(lambda: [r for r in runs_of(server, sweep) if r["phase"] >= 1])
    pid = place.pid(run["id"])
    first.kill()
    wait_for(lambda: not is_alive(pid), seconds=5)
    second = place.worker(server, name="second", slots=1)
    state = wait_for(sweep_ended(server, sweep))
    assert state["state"] == "completed", second.log_text()
    check_curves(server, sweep, 4)
    attempts = server.get(f"/v1/runs/{run['id']}/attempts")["items"]
    assert len(attempts) == 2
    assert attempts[0]["end_reason"] == "worker_lost"
    assert attempts[1]["resume"].startswith("md_")


def test_a_killed_process_is_run_again(server, place):
    sweep = server.submit(sweep_spec(command=place.command(0.4),
                                     search={"method": "random", "trials": 1}))
    worker = place.worker(server, slots=1)
    run, = wait_for(lambda: [r for r in runs_of(server, sweep) if r["phase"] >= 1])
    os.kill(place.pid(run["id"]), signal.SIGKILL)
    state = wait_for(sweep_ended(server, sweep))
    assert state["state"] == "completed", worker.log_text()
    check_curves(server, sweep, 4)
    attempts = server.get(f"/v1/runs/{run['id']}/attempts")["items"]
    assert [attempt["end_reason"] for attempt in attempts][0] == "signal"
    assert attempts[1]["resume"].startswith("md_")


def test_a_server_that_crashes_loses_nothing(tmp_path, place):
    """kill -9 of the server, twice, with reports outstanding: the same attempts continue, no report
    is lost or doubled."""
    server = Server(tmp_path / "data").start()
    port = server.port
    sweep = server.submit(sweep_spec(command=place.command(0.3),
                                     search={"method": "random", "trials": 4},
                                     budget={"unit": "frames", "per_run": 1000, "phases": 8}))
    worker = place.worker(server, slots=4)
    for phase in (1, 4):
        wait_for(lambda: any(run["phase"] >= phase for run in runs_of(server, sweep)))
        server.kill()
        time.sleep(1.5)  # long enough for every run to have something to say meanwhile
        server = restart(server, port)
    state = wait_for(sweep_ended(server, sweep))
    assert state["state"] == "completed", worker.log_text()
    check_curves(server, sweep, 8)
    assert all(run["attempts"] == 1 for run in runs_of(server, sweep)), worker.log_text()
    assert "the server is back" in worker.log_text()
    assert server.stop() == 0


def restart(server, port):
    """On the same port and data."""
    again = Server(server.folder)
    again.log = open(server.folder.parent / "again.log", "ab")
    again.process = subprocess.Popen(
        [program("hone-server"), "--data", str(server.folder), "--listen", f"127.0.0.1:{port}",
         "--die-with-parent"],
        stdout=subprocess.PIPE, stderr=again.log)
    line = again.process.stdout.readline().decode()
    assert line.startswith("hone-server listening"), line
    again.port = port
    return again


def test_cancel_ends_processes(server, place):
    sweep = server.submit(sweep_spec(command=place.command(30),
                                     search={"method": "random", "trials": 2}))
    worker = place.worker(server)
    runs = wait_for(lambda: len(found := runs_of(server, sweep)) == 2 and found)
    pids = [place.pid(run["id"]) for run in runs]
    server.post(f"/v1/sweeps/{sweep}/steer", {"verb": "cancel"})
    state = wait_for(sweep_ended(server, sweep), seconds=20)
    assert state["state"] == "canceled", worker.log_text()
    assert not any(is_alive(pid) for pid in pids)
    assert all(run["state"] == "canceled" for run in runs_of(server, sweep))


def test_kill_ends_processes_that_ignore_term(server, place, tmp_path):
    script = tmp_path / "deaf.sh"
    script.write_text(
        f"#!/bin/sh\ntrap '' TERM\necho $$ > {place.pids}/deaf\nwhile :; do sleep 0.1; done\n")
    script.chmod(0o755)
    sweep = server.submit(sweep_spec(command=[str(script)], search={"method": "random",
                                                                    "trials": 1}))
    place.worker(server)
    pid = wait_for(lambda: (place.pids / "deaf").exists() and int((place.pids / "deaf").read_text()
                                                                  or 0))
    server.post(f"/v1/sweeps/{sweep}/steer", {"verb": "kill"})
    wait_for(lambda: not is_alive(pid), seconds=10)
    assert wait_for(sweep_ended(server, sweep))["state"] == "canceled"


def test_waits_for_a_server_that_is_not_there_yet(tmp_path, place):
    server = Server(tmp_path / "data").start()
    port = server.port
    server.stop()
    server.port = port
    worker = place.worker(server)
    wait_for(lambda: "is 'hone up' running there?" in worker.log_text(), seconds=10)
    again = restart(server, port)
    worker.ready()
    assert worker.stop() == 0
    assert again.stop() == 0


def test_two_workers_do_not_share_a_folder(server, place):
    place.worker(server).ready()
    second = place.worker(server)
    assert second.process.wait(10) == 1
    assert "another worker uses the data folder" in second.log_text()


@pytest.mark.parametrize("arguments, words", [
    (["--server", "ftp://example.org"], "begin with http"),
    (["--token-file", "/nowhere/token"], "/nowhere/token"),
    (["--server", "http://example.org/path:1"], "host and port alone"),
    (["--slots", "0"], "--slots must be"),
    (["--slots", "many"], "--slots must be"),
    (["--gpus", "-1"], "--gpus"),
    (["--sloths", "2"], "--sloths"),
])
def test_usage_errors(tmp_path, arguments, words):
    done = subprocess.run([program("hone-worker"), "--data", str(tmp_path), *arguments],
                          capture_output=True, text=True,
                          timeout=20)
    assert done.returncode == 2
    assert words in done.stderr
