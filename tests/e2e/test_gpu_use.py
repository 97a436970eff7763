"""What runs use of their GPUs, as the driver's library tells the worker. The library here has the
interface of NVML (nvml.h) and no GPU: the worker loads it as it loads the driver's, by its name."""
import json
import subprocess

import pytest

from commands import ok
from conftest import sweep_spec
from test_code import ended
from test_worker import Worker, wait_for

GIB = 1 << 30

# Three devices of 80 GiB: 20 and 30 % busy; the third is a part of a device, of which the driver
# does not tell the use.
LIBRARY = r'''
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
typedef struct { unsigned int gpu, memory; } utilization;
typedef struct { unsigned long long total, free, used; } memory;
int nvmlInit_v2(void) { return 0; }
int nvmlShutdown(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned int* count) { *count = 3; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void** device) {
  if (index > 2) return 2;
  *device = (void*)(unsigned long)(index + 1);
  return 0;
}
int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  if (strcmp(uuid, "GPU-5ef9") != 0) return 6;
  *device = (void*)2ul;
  return 0;
}
int nvmlDeviceGetUtilizationRates(void* device, utilization* rates) {
  if (getenv("NVML_HANGS")) pause();
  if (device == (void*)3ul) return 3;
  rates->gpu = device == (void*)1ul ? 20 : 30;
  rates->memory = 5;
  return 0;
}
int nvmlDeviceGetMemoryInfo(void* device, memory* bytes) {
  bytes->total = 80ull << 30;
  bytes->used = 6ull << 30;
  bytes->free = bytes->total - bytes->used;
  return 0;
}
'''

PROGRAM = r'''
import json, os, pathlib, sys, time
here = pathlib.Path(sys.argv[1])
(here / "order").write_text(os.environ.get("CUDA_DEVICE_ORDER", "none"))
for phase in range(2):
    time.sleep(0.8)
    print("@hone", json.dumps({"report": {"step": 500 * (phase + 1), "value": 1}}), flush=True)
    while phase == 0 and not (here / "go").exists():
        time.sleep(0.05)
'''


@pytest.fixture
def driver(tmp_path, monkeypatch):
    folder = tmp_path / "driver"
    folder.mkdir()
    (folder / "nvml.c").write_text(LIBRARY)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(folder / "libnvidia-ml.so.1"),
                    str(folder / "nvml.c")], check=True)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(folder))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.delenv("CUDA_DEVICE_ORDER", raising=False)
    return monkeypatch


def begin(server, tmp_path, gpus):
    (tmp_path / "use.py").write_text(PROGRAM)
    return server.submit(sweep_spec(
        command=["python3", str(tmp_path / "use.py"), str(tmp_path)], resources={"gpus": gpus},
        parameters={"depth": {"type": "int", "min": 1, "max": 8}},
        search={"method": "random", "trials": 1}, budget={"per_run": 1000, "phases": 2}))


def points_of(server, name):
    points = server.get("/v1/runs/rn_1.0/metrics")["items"]
    return [point["value"] for point in points if point["name"] == name]


@pytest.mark.parametrize("visible, gpus, busy, memory, says", [
    (None, 1, 0.2, 6 * GIB, "its GPU was busy 20 % of the time"),
    (None, 2, 0.25, 12 * GIB, "its GPUs were busy 25 % of the time"),
    ("GPU-5ef9,0", 1, 0.3, 6 * GIB, "its GPU was busy 30 % of the time")])
def test_the_gpus_of_a_run_are_measured(server, driver, tmp_path, visible, gpus, busy, memory,
                                        says):
    if visible:
        driver.setenv("CUDA_VISIBLE_DEVICES", visible)
    worker = Worker(server, tmp_path / "worker", slots=1)
    assert f", {2 if visible else 3} GPUs," in worker.process.stdout.readline().decode()
    sweep = begin(server, tmp_path, gpus)
    wait_for(lambda: server.get("/v1/workers/wk_1")["use"], seconds=30)
    use = server.get("/v1/workers/wk_1")["use"]
    assert use["runs"] == 1 and use["gpu_busy"] == pytest.approx(busy)
    assert use["gpu_memory_bytes"] == memory
    assert "GPUs are busy" in " ".join(ok("show", "wk_1", server=server).split())
    (tmp_path / "go").touch()
    ended(server, sweep)
    assert points_of(server, "hone.gpu_busy") == [pytest.approx(busy)] * 2
    assert points_of(server, "hone.gpu_memory_bytes") == [memory] * 2
    use = server.get("/v1/runs/rn_1.0/explain")["use"]
    assert use["gpu_busy"] == pytest.approx(busy) and use["gpu_memory_bytes"] == memory
    for command in ("show", "explain"):
        text = " ".join(ok(command, "rn_1.0", server=server).split())
        assert says in text and "this parameter set starves the GPU" in text, text
    assert (tmp_path / "order").read_text() == "PCI_BUS_ID"
    assert json.loads(ok("replay", sweep, "--format", "json", server=server))["same"]
    assert worker.stop() == 0


@pytest.mark.parametrize("trouble", ["a part of a device", "a driver that hangs", "no library",
                                     "numbers of CUDA's own order"])
def test_where_the_driver_does_not_tell_nothing_is_recorded(server, driver, tmp_path, trouble):
    if trouble == "a part of a device":
        driver.setenv("CUDA_VISIBLE_DEVICES", "2")
    elif trouble == "numbers of CUDA's own order":
        driver.setenv("CUDA_DEVICE_ORDER", "FASTEST_FIRST")
    elif trouble == "a driver that hangs":
        driver.setenv("NVML_HANGS", "1")
    else:
        driver.delenv("LD_LIBRARY_PATH")
    (tmp_path / "go").touch()
    worker = Worker(server, tmp_path / "worker", "--gpus", "1", slots=1)
    assert ", 1 GPU," in worker.process.stdout.readline().decode()
    ended(server, begin(server, tmp_path, 1))
    assert points_of(server, "hone.cpu_cores") and not points_of(server, "hone.gpu_busy")
    assert server.get("/v1/runs/rn_1.0/explain")["use"]["gpu_busy"] is None
    assert worker.stop() == 0
