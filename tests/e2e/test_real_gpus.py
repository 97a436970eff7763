"""Runs on a GPU: several share it, each keeps to its memory, and one that finds it full is tried
again alone. tests/gpu/run calls these tests on a machine with a GPU and PyTorch; elsewhere they are
skipped."""
import os
import sys

import pytest

from commands import ok
from conftest import sweep_spec
from test_shared_gpus import finish
from test_worker import Worker, wait_for

pytestmark = pytest.mark.skipif(not os.environ.get("HONE_REAL_GPU"),
                                reason="tests/gpu/run runs these")

# share.py FOLDER TOGETHER MODE
#   keeps   fills its share of the GPU but for a part, is refused twice its share, and waits until
#           TOGETHER runs have done so
#   crowds  run rn_1.0 takes what is free but for 2 GiB and holds it until rn_2.0 has failed once;
#           the others take 8 GiB
PROGRAM = r"""
import json, os, pathlib, sys, time
import torch
here, together, mode = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
run = json.load(open(os.environ["HONE_RUN_FILE"]))
total = torch.cuda.get_device_properties(0).total_memory
budget = int(os.environ.get("HONE_GPU_MEMORY", total))

def take(bytes):
    return torch.empty(int(bytes), dtype=torch.uint8, device="cuda")

def wait_for(come):
    end = time.monotonic() + 90
    while not come():
        if time.monotonic() > end:
            sys.exit("the other runs did not come in time")
        time.sleep(0.05)

if mode == "keeps":
    torch.cuda.set_per_process_memory_fraction(budget / total)
    held = take(0.6 * budget)
    try:
        take(2 * budget)
        sys.exit("took more than its share")
    except torch.OutOfMemoryError:
        pass
    (here / f"there-{run['run']}").touch()
    wait_for(lambda: len(list(here.glob("there-*"))) >= together)
elif run["run"] == "rn_1.0":
    held = take(torch.cuda.mem_get_info()[0] - 2 * (1 << 30))
    (here / "crowded").touch()
    wait_for((here / "failed").exists)
else:
    if budget != total:
        wait_for((here / "crowded").exists)
    try:
        held = take(8 * (1 << 30))
    except torch.OutOfMemoryError:
        (here / "failed").touch()
        raise
with open(here / "log", "a") as log:
    log.write(f"{run['run']} {'shares' if budget != total else 'alone'}\n")
print("@hone", json.dumps({"report": {"phase": 0, "step": 1000, "value": 1}}), flush=True)
"""


@pytest.fixture
def worker(tmp_path, server):
    one = Worker(server, tmp_path / "worker", slots=8)
    assert "ready" in one.process.stdout.readline().decode()
    yield one
    if one.process is not None:
        one.kill()


def submit(server, folder, together, mode, trials, **changes):
    (folder / "share.py").write_text(PROGRAM)
    return server.submit(sweep_spec(
        command=[sys.executable, str(folder / "share.py"), str(folder), str(together), mode],
        search={"method": "random", "trials": trials},
        budget={"unit": "frames", "per_run": 1000, "phases": 1},
        **changes))


def seen(folder):
    return [line.split() for line in (folder / "log").read_text().splitlines()]


def test_four_runs_share_a_gpu_and_each_keeps_to_its_memory(server, worker, tmp_path):
    sweep = submit(server, tmp_path, 4, "keeps", 4, resources={"gpus": 1, "gpu_memory": "4GiB"})
    finish(server, sweep, worker)
    assert len(seen(tmp_path)) == 4


def test_a_run_that_finds_the_gpu_full_is_tried_again_alone(server, worker, tmp_path):
    sweep = submit(server, tmp_path, 2, "crowds", 2, resources={"gpus": 1, "gpu_memory": "10GiB"},
                   limits={"max_retries": 0})
    finish(server, sweep, worker)
    assert seen(tmp_path) == [["rn_1.0", "shares"], ["rn_2.0", "alone"]]
    attempts = server.get("/v1/runs/rn_2.0/attempts")["items"]
    assert [one["failure"] for one in attempts] == ["oom", "none"], attempts


def training(memory, trials, phases, settings, **changes):
    """A sweep of GA3C on the GPU."""
    return sweep_spec(
        command=None,
        trainer={"name": "ga3c", "env": "Synthetic-screens", "backend": "cuda", **settings},
        parameters={"learning_rate": {"type": "float", "min": 1e-4, "max": 1e-3, "scale": "log"}},
        search={"method": "random", "trials": trials},
        resources={"gpus": 1, "gpu_memory": memory},
        budget={"unit": "frames", "per_run": 20000, "phases": phases}, **changes)


def test_trainings_of_hone_share_a_gpu(server, worker, tmp_path):
    settings = {"agents": 2, "envs": 8, "hidden": 64}
    finish(server, server.submit(training("6GiB", 4, 2, settings)), worker)


def test_a_training_of_hone_keeps_to_its_memory(server, worker, tmp_path):
    settings = {"agents": 8, "envs": 64, "train_batch": 4096}
    server.submit(training("1GiB", 1, 1, settings, limits={"max_retries": 0}))
    wait_for(lambda: any(one["failure"] == "oom" for one in attempts_of(server)), seconds=90)


def attempts_of(server):
    answer = server.ask("GET", "/v1/runs/rn_1.0/attempts")
    return answer.json["items"] if answer.status == 200 else []


def test_doctor_names_the_gpu(tmp_path):
    shown = ok("doctor", "--data", str(tmp_path / "data"), HOME=str(tmp_path))
    assert "GPUs" in shown and "NVIDIA" in shown, shown
    assert "cuda yes" in shown, shown
