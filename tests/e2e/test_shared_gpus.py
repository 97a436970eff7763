"""Runs that share GPUs up to their memory. The GPUs are simulated: --gpu-memory says what each has,
and programs write down what they see."""
import json
import os
import subprocess
import sys

import pytest

from commands import hone, ok, write_spec
from conftest import sweep_spec
from test_gpu_use import LIBRARY
from test_worker import Worker, wait_for

GIB = 1 << 30

# Takes one of the places of its GPU, of which there are as many as runs fit in its memory; alone it
# takes all. Waits until `together` runs have been there. A run for which a file full-RUN exists
# reports that the GPU is full while it shares one.
PROGRAM = r"""
import json, os, pathlib, sys, time
here, places, together = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
run = json.load(open(os.environ["HONE_RUN_FILE"]))
device = os.environ["CUDA_VISIBLE_DEVICES"]
budget = os.environ.get("HONE_GPU_MEMORY", "all")
with open(here / "log", "a") as log:
    log.write(f"{run['run']} {run['attempt']} {device} {budget}\n")
wanted = range(places) if budget == "all" else [None]
held = []
for place in wanted:
    for number in [place] if place is not None else range(places):
        try:
            os.close(os.open(here / f"gpu-{device}-{number}", os.O_CREAT | os.O_EXCL))
            held.append(number)
            break
        except FileExistsError:
            continue
    else:
        sys.exit(f"more runs on GPU {device} than fit")
(here / f"there-{run['run']}").touch()
end = time.monotonic() + 100
while len(list(here.glob("there-*"))) < together or (here / f"hold-{run['run']}").exists():
    if time.monotonic() > end:
        sys.exit("the other runs did not come in time")
    time.sleep(0.02)
full = budget != "all" and (here / f"full-{run['run']}").exists()
if not full:
    print("@hone", json.dumps({"report": {"phase": 0, "step": 1000, "value": 1}}), flush=True)
for number in held:
    os.remove(here / f"gpu-{device}-{number}")
if full:
    sys.exit("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB")
"""


def submit(server, folder, resources, places, together, trials, **changes):
    (folder / "share.py").write_text(PROGRAM)
    return server.submit(sweep_spec(
        command=[sys.executable, str(folder / "share.py"), str(folder), str(places), str(together)],
        resources=resources, search={"method": "random", "trials": trials},
        budget={"unit": "frames", "per_run": 1000, "phases": 1}, **changes))


@pytest.fixture
def work(tmp_path, server):
    """Starts a worker with simulated GPUs."""
    workers = []

    def start(gpus, memory, slots=8):
        one = Worker(server, tmp_path / f"worker-{len(workers)}", "--gpus", str(gpus),
                     *(["--gpu-memory", memory] if memory else []), slots=slots)
        workers.append(one)
        assert "ready" in one.process.stdout.readline().decode()
        return one

    yield start
    for one in workers:
        if one.process is not None:
            one.kill()


def log_of(folder):
    return [line.split() for line in (folder / "log").read_text().splitlines()]


def finish(server, sweep, worker):
    wait_for(lambda: server.get(f"/v1/sweeps/{sweep}")["state"] != "running", seconds=180)
    runs = server.get(f"/v1/sweeps/{sweep}/runs?limit=100")["items"]
    assert {run["state"] for run in runs} == {"completed"}, worker.log_text()
    return runs


def test_runs_share_gpus_up_to_their_memory(server, work, tmp_path):
    worker = work(2, "24GiB")
    sweep = submit(server, tmp_path, {"gpus": 1, "gpu_memory": "10GiB"}, 2, 4, 8)
    finish(server, sweep, worker)
    seen = log_of(tmp_path)
    assert len(seen) == 8 and {budget for *_, budget in seen} == {str(10 * GIB)}
    assert {device for _, _, device, _ in seen[:4]} == {"0", "1"}
    events = server.get("/v1/events?limit=1000")["items"]
    granted = [one for one in events if one["kind"] == "lease_granted"]
    assert len(granted) == 8 and all(len(one["devices"]) == 1 for one in granted)
    shown = " ".join(ok("show", "wk_1", server=server).split())
    assert "memory of gpus 24 GiB, 24 GiB" in shown, shown
    assert json.loads(ok("replay", sweep, "--format", "json", server=server))["same"]


def test_a_run_without_gpu_memory_shares_no_gpu(server, work, tmp_path):
    worker = work(1, "24GiB")
    finish(server, submit(server, tmp_path, {"gpus": 1}, 2, 1, 3), worker)
    assert {tuple(seen[2:]) for seen in log_of(tmp_path)} == {("0", "all")}


def test_a_run_that_fills_a_shared_gpu_is_tried_again_alone_and_not_blamed(server, work, tmp_path):
    (tmp_path / "full-rn_1.0").touch()
    (tmp_path / "hold-rn_2.0").touch()
    worker = work(1, "24GiB")
    sweep = submit(server, tmp_path, {"gpus": 1, "gpu_memory": "12GiB"}, 2, 2, 4,
                   limits={"max_retries": 0})

    def waits_alone():
        answer = server.ask("GET", "/v1/runs/rn_1.0")
        if answer.status == 404:  # no worker has asked for it yet
            return False
        return answer.json["state"] == "queued" and answer.json["failure"] == "oom"

    wait_for(waits_alone, seconds=100)
    why = " ".join(ok("explain", "rn_1.0", server=server).split())
    assert "it is tried again alone on one" in why and "CUDA out of memory" in why, why
    (tmp_path / "hold-rn_2.0").unlink()
    runs = finish(server, sweep, worker)
    first = next(run for run in runs if run["id"] == "rn_1.0")
    assert first["attempts"] == 2 and first["failure"] == "none"
    assert [seen[3] for seen in log_of(tmp_path) if seen[0] == "rn_1.0"] == [str(12 * GIB), "all"]
    attempts = server.get("/v1/runs/rn_1.0/attempts")["items"]
    assert [one["failure"] for one in attempts] == ["oom", "none"]
    assert json.loads(ok("replay", sweep, "--format", "json", server=server))["same"]


def test_a_sweep_whose_gpu_memory_no_worker_has_is_reported(server, work, tmp_path):
    write_spec(tmp_path, resources={"gpus": 1, "gpu_memory": "30GiB"})
    work(2, "24GiB", slots=4)
    why = ("no worker can train it: a run needs 1 slot and 1 GPU of 30 GiB; "
           "connected: wk_1 with 4 slots and 2 GPUs of 24 GiB")
    assert why in hone("submit", "sweep.json", server=server, cwd=tmp_path).stderr
    assert f"sw_1 waits: {why}" in hone("ls", server=server).stderr
    plan = json.loads(ok("plan", "sweep.json", "--format", "json", server=server, cwd=tmp_path))
    assert plan["plan"]["shortage"] == why
    write_spec(tmp_path, resources={"gpus": 1, "gpu_memory": "5GiB"})
    plan = json.loads(ok("plan", "sweep.json", "--format", "json", server=server, cwd=tmp_path))
    assert plan["plan"]["shortage"] is None
    assert plan["plan"]["slots"] == 4, "8 runs fit on the GPUs, 4 on the slots"


def test_gpu_memory_without_gpus_is_refused_by_name(tmp_path):
    write_spec(tmp_path, resources={"gpu_memory": "5GiB"})
    result = hone("plan", "sweep.json", cwd=tmp_path)
    assert result.returncode != 0 and "write gpus: 1, too" in result.stderr


# A driver ----------------------------------------------------------------------------------------

# The second of the three devices is divided into parts of 20 and 40 GiB.
PARTS = LIBRARY.replace("bytes->total = 80ull << 30;", """
  long number = (long)device;
  bytes->total = (number == 21 ? 20ull : number == 22 ? 40ull : 80ull) << 30;""") \
    .replace('if (strcmp(uuid, "GPU-5ef9") != 0) return 6;', """
  if (strcmp(uuid, "MIG-a") == 0) { *device = (void*)21ul; return 0; }
  if (strcmp(uuid, "MIG-b") == 0) { *device = (void*)22ul; return 0; }
  if (strncmp(uuid, "GPU-", 4) != 0) return 6;""") + r"""
int nvmlDeviceGetUUID(void* device, char* uuid, unsigned int length) {
  long number = (long)device;
  const char* whole = number == 1 ? "GPU-1" : "GPU-3";
  strncpy(uuid, number == 21 ? "MIG-a" : number == 22 ? "MIG-b" : whole, length);
  return 0;
}
int nvmlDeviceGetMaxMigDeviceCount(void* device, unsigned int* count) {
  *count = device == (void*)2ul ? 7 : 0;
  return 0;
}
int nvmlDeviceGetMigDeviceHandleByIndex(void* device, unsigned int index, void** part) {
  if (device != (void*)2ul || index > 1) return 6;
  *part = (void*)(unsigned long)(21 + index);
  return 0;
}
"""


@pytest.fixture
def driver(tmp_path, monkeypatch):
    folder = tmp_path / "driver"
    folder.mkdir()
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.delenv("CUDA_DEVICE_ORDER", raising=False)

    def install(source):
        (folder / "nvml.c").write_text(source)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", str(folder / "libnvidia-ml.so.1"),
                        str(folder / "nvml.c")], check=True)
        monkeypatch.setenv("LD_LIBRARY_PATH", str(folder))
        return monkeypatch

    return install


def announced(server, tmp_path):
    worker = Worker(server, tmp_path / "worker", slots=8)
    assert "ready" in worker.process.stdout.readline().decode()
    joined = server.get("/v1/workers")["items"][-1]
    worker.kill()
    return joined["gpus"], [bytes / GIB for bytes in joined["gpu_memory"]]


@pytest.mark.parametrize("visible, gpus, memory", [
    (None, 3, [80, 80, 80]), ("2", 1, [80]), ("0,0,1", 3, [40, 40, 80]),
    ("GPU-unknown,0", 2, [])], ids=["all", "one", "twice", "unknown"])
def test_a_worker_announces_the_memory_that_the_driver_tells(server, driver, tmp_path, visible,
                                                             gpus, memory):
    environment = driver(LIBRARY)
    if visible:
        environment.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert announced(server, tmp_path) == (gpus, memory)


def test_parts_of_gpus_are_gpus_with_their_names_and_memory(server, driver, tmp_path):
    driver(PARTS)
    assert announced(server, tmp_path) == (4, [80, 20, 40, 80])
    worker = Worker(server, tmp_path / "worker", slots=8)
    assert ", 4 GPUs," in worker.process.stdout.readline().decode()
    finish(server, submit(server, tmp_path, {"gpus": 1, "gpu_memory": "20GiB"}, 4, 8, 8), worker)
    worker.kill()
    devices = [device for _, _, device, _ in log_of(tmp_path)]
    assert set(devices) == {"GPU-1", "MIG-b", "GPU-3"}, devices


def test_a_worker_finds_parts_of_gpus_without_the_library(server, tmp_path, monkeypatch):
    smi = tmp_path / "bin" / "nvidia-smi"
    smi.parent.mkdir()
    smi.write_text("#!/bin/sh\necho 'GPU 0: NVIDIA A100 (UUID: GPU-0)'\n"
                   "echo '  MIG 3g.20gb     Device  0: (UUID: MIG-x)'\n"
                   "echo '  MIG 3g.20gb     Device  1: (UUID: MIG-y)'\n")
    smi.chmod(0o755)
    monkeypatch.setenv("PATH", f"{smi.parent}:{os.environ['PATH']}")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    worker = Worker(server, tmp_path / "worker", slots=4)
    line = worker.process.stdout.readline().decode()
    if ", 2 GPUs," not in line:
        worker.kill()
        pytest.skip("the driver's library lists the GPUs of this machine")
    finish(server, submit(server, tmp_path, {"gpus": 1}, 1, 2, 2), worker)
    worker.kill()
    assert {device for _, _, device, _ in log_of(tmp_path)} == {"MIG-x", "MIG-y"}
