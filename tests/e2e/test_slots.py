"""Slots and GPUs of a real worker: what a run frees, the next run gets at once, and no GPU is used twice.

The GPUs are simulated: a worker hands out as many device numbers as --gpus says, and the
programs write down what they see.
"""
import json
import os
import sys

import pytest

from conftest import sweep_spec
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
            wait_for(lambda: server.get(f"/v1/sweeps/{sweep}")["state"] != "running", seconds=120)
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
