"""Slots and GPUs of a real worker: what a run frees, the next run gets at once, and no GPU is used twice.

The GPUs are simulated: a worker hands out as many device numbers as --gpus says, and the
programs write down what they see.
"""
import ctypes.util
import json
import os
import subprocess
import sys

import pytest

from commands import hone, ok, write_spec
from conftest import program, sweep_spec
from test_worker import Worker, wait_for

# Holds what it was given as a file that only one process can make. The first run ends after all
# others; a run of a worker that polls with an old offer would have to wait 20 s for each of them.
PROGRAM = r'''
import json, os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a paused run puts back what it holds
folder, others = sys.argv[1], int(sys.argv[2])
run = json.load(open(os.environ["HONE_RUN_FILE"]))
device = os.environ["CUDA_VISIBLE_DEVICES"] or "cpu-" + run["run"]
os.close(os.open(f"{folder}/held-{device}", os.O_CREAT | os.O_EXCL))
with open(f"{folder}/log", "a") as log:
    log.write(f"{run['run']} {run['attempt']} {device}\n")
end = time.monotonic() + 60
while run["run"] == "rn_1.0" and len(os.listdir(f"{folder}/done")) < others:
    if time.monotonic() > end:
        sys.exit("the other runs were not leased in time")
    time.sleep(0.01)
status = 0
if run["attempt"] == 1 and sys.argv[3] == "again":
    status = 85
else:
    for phase in range(run["next_phase"], run["budget"]["phases"]):
        step = run["budget"]["per_run"] * (phase + 1) // run["budget"]["phases"]
        if sys.argv[3] == "pause":  # a run without a checkpoint is not paused
            path = os.path.join(os.environ["HONE_CHECKPOINT_DIR"], str(phase))
            open(path, "w").write(str(step))
            print("@hone", json.dumps({"checkpoint": {"path": path, "step": step}}), flush=True)
        report = {"phase": phase, "step": step, "value": run["params"]["lr"] * step}
        print("@hone", json.dumps({"report": report}), flush=True)
        if sys.argv[3] == "pause":
            break  # the next phase is trained by the next attempt
    open(f"{folder}/done/{run['run']}", "w").close()
os.remove(f"{folder}/held-{device}")
sys.exit(status)
'''


@pytest.fixture
def machine(tmp_path, server):
    """Starts one worker, submits one sweep, waits for its end."""
    class Machine:
        worker = None

        def train(self, resources, how="once", trials=6, slots=4, gpus=2, **changes):
            (tmp_path / "done").mkdir()
            (tmp_path / "train.py").write_text(PROGRAM)
            command = [sys.executable, str(tmp_path / "train.py"), str(tmp_path)]
            others = trials - 1 if how == "once" else 0
            spec = sweep_spec(command=[*command, str(others), how], resources=resources,
                              search={"method": "random", "trials": trials},
                              **{"budget": {"unit": "frames", "per_run": 1000, "phases": 1},
                                 **changes})
            self.worker = Worker(server, tmp_path / "worker", "--gpus", str(gpus), slots=slots)
            self.worker.process.stdout.readline()
            sweep = server.submit(spec)
            wait_for(lambda: server.get(f"/v1/sweeps/{sweep}")["state"] != "running", seconds=400)
            return [line.split() for line in (tmp_path / "log").read_text().splitlines()]

    one = Machine()
    yield one
    if one.worker is not None and one.worker.process is not None:
        one.worker.kill()


def states(server):
    return [run["state"] for run in server.get("/v1/sweeps/sw_1/runs?limit=100")["items"]]


def commands(server):
    text = server.ask("GET", "/metrics").body.decode()
    return next(float(line.split()[1]) for line in text.splitlines()
                if line.startswith("hone_commands_total "))


@pytest.mark.parametrize("resources", [{"gpus": 1}, {"cpus": 2}], ids=["gpus", "wide_cpus"])
def test_what_a_run_frees_is_leased_at_once(server, machine, resources):
    log = machine.train(resources, slots=5)  # one slot is left, so a request waits
    assert states(server) == ["completed"] * 6, machine.worker.log_text()
    first = [device for run, _, device in log if run == "rn_1.0"]
    others = {device for run, _, device in log if run != "rn_1.0"}
    assert len(log) == 6
    if "gpus" in resources:
        assert {*first, *others} == {"0", "1"} and len(others) == 1
    assert commands(server) < 120, "a worker with free slots does not poll in a loop"


def test_a_returned_run_gets_a_gpu_again(server, machine):
    log = machine.train({"gpus": 1}, how="again", trials=3, gpus=1)
    assert states(server) == ["completed"] * 3, machine.worker.log_text()
    assert sorted((run, attempt) for run, attempt, _ in log) == [
        (f"rn_{trial}.0", attempt) for trial in (1, 2, 3) for attempt in ("1", "2")]


def test_a_promoted_run_gets_a_gpu_again(server, machine):
    log = machine.train({"gpus": 1, "cpus": 2}, how="pause", trials=8, gpus=1,
                        terminator={"rule": "asha", "eta": 2},
                        budget={"unit": "frames", "per_run": 1000, "phases": 4})
    assert len(log) > 8 and {device for _, _, device in log} == {"0"}
    assert set(states(server)) <= {"completed", "stopped"}, machine.worker.log_text()


def test_a_worker_that_holds_what_it_announced_gets_no_more(server):
    worker = server.join(cpus=2, gpus=1)
    server.submit(sweep_spec(resources={"gpus": 1}))
    offer = {"worker": worker, "cpus": 2, "gpus": 1, "wait": 0}
    first = server.post("/v1/leases", {"request_id": "first", **offer})["grant"]
    assert first and server.post("/v1/leases", {"request_id": "old", **offer})["grant"] is None
    server.end(first, "exit_code", 1)
    assert server.post("/v1/leases", {"request_id": "new", **offer})["grant"]


def first_line(worker):
    return worker.process.stdout.readline().decode()


@pytest.mark.skipif(ctypes.util.find_library("nvidia-ml") is not None,
                    reason="the driver lists the GPUs of this machine")
@pytest.mark.parametrize("visible, says", [(None, ", 3 GPUs,"), ("7,7", ", 2 GPUs,"),
                                           ("", "1 slot, server")])
def test_a_worker_finds_the_gpus(server, tmp_path, monkeypatch, visible, says):
    smi = tmp_path / "bin" / "nvidia-smi"
    smi.parent.mkdir()
    smi.write_text("#!/bin/sh\nfor i in 0 1 2; do echo \"GPU $i: NVIDIA T4\"; done\n")
    smi.chmod(0o755)
    monkeypatch.setenv("PATH", f"{smi.parent}:{os.environ['PATH']}")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    worker = Worker(server, tmp_path / "worker", slots=1)
    line = first_line(worker)
    worker.kill()
    assert says in line, line


def test_a_sweep_that_no_worker_can_train_is_reported(server, tmp_path):
    write_spec(tmp_path, resources={"gpus": 5})
    alone = hone("submit", "sweep.json", server=server, cwd=tmp_path)
    assert "no worker is connected: a run needs 1 slot and 5 GPUs" in alone.stderr
    server.join(cpus=4, gpus=2)
    why = ("no worker can train it: a run needs 1 slot and 5 GPUs; "
           "connected: wk_1 with 4 slots and 2 GPUs")
    assert why in hone("submit", "sweep.json", server=server, cwd=tmp_path).stderr
    assert json.loads(ok("plan", "sweep.json", "--format", "json", server=server,
                         cwd=tmp_path))["plan"]["shortage"] == why
    assert f"sw_2 waits: {why}" in hone("ls", server=server).stderr
    shown = ok("show", "sw_1", server=server)
    assert " ".join(shown.split()).find("waits: " + why) > 0, shown
    with open(tmp_path / "watched", "w") as watched:
        watch = subprocess.Popen([program("hone"), "watch", "sw_1"], stdout=watched,
                                 env={**os.environ,
                                      "HONE_SERVER": f"http://127.0.0.1:{server.port}"})
    wait_for(lambda: "waits: " + why in (tmp_path / "watched").read_text())
    watch.terminate()
    watch.wait(30)
    server.join(cpus=1, gpus=5)
    assert "waits" not in hone("ls", server=server).stderr


def test_a_machine_without_cuda_is_no_fault_of_the_parameters(server, tmp_path):
    backends = subprocess.run([program("hone-train"), "--backends"], capture_output=True, text=True)
    if "cuda\tyes" in backends.stdout:
        pytest.skip("this machine has CUDA")
    sweep = server.submit(sweep_spec(
        command=None, trainer={"name": "ga3c", "env": "CartPole-v1", "backend": "cuda"},
        parameters={"learning_rate": {"type": "float", "min": 1e-5, "max": 1e-2}},
        search={"method": "random", "trials": 1}, limits={"max_retries": 0}))
    worker = Worker(server, tmp_path / "worker")
    first_line(worker)
    wait_for(lambda: server.get(f"/v1/sweeps/{sweep}")["state"] != "running")
    worker.kill()
    run = server.get("/v1/runs/rn_1.0")
    assert run["failure"] == "infra" and run["reason"] != "infeasible", run
    assert "not on this machine" in run["log_tail"], run
