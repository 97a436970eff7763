"""Control groups that bound the memory of runs, where the worker may make them. Those of version 2:
tests/vm/run.py runs this file in a virtual machine that has them (./test --system does)."""
import os
import pathlib
import sys

import pytest

from conftest import sweep_spec
from test_worker import Worker, wait_for

# A process that takes so many MiB, and the status with which its parent ends when it was killed.
PROGRAM = r"""
import json, os, pathlib, subprocess, sys
here, size, status = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
groups = [line.split(":")[2] for line in open("/proc/self/cgroup") if "hone-run-" in line]
(here / "group").write_text(" ".join(groups).strip())
child = subprocess.run([sys.executable, "-c",
                        f"import os; b = [os.urandom(1 << 20) for _ in range({size})]"])
(here / "child").write_text(str(child.returncode))
if child.returncode == 0:
    print("@hone", json.dumps({"report": {"phase": 0, "step": 1000, "value": 1}}), flush=True)
sys.exit(status if child.returncode else 0)
"""


GROUPS = pathlib.Path("/sys/fs/cgroup")


@pytest.fixture
def alone():
    """The words that start a program in a control group of version 2 that it has for itself, as a
    service manager does; none where this account cannot make one."""
    group = GROUPS / f"hone-test-{os.getpid()}"
    try:
        has_memory = "memory" in (GROUPS / "cgroup.subtree_control").read_text().split()
        if has_memory:
            group.mkdir()
    except OSError:
        has_memory = False
    if not has_memory:
        yield []
        return
    yield ["sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh"]
    for one in [*group.glob("*/"), group]:
        wait_for(lambda: "populated 0" in (one / "cgroup.events").read_text())
        one.rmdir()


def start(server, tmp_path, through=()):
    """A worker, and its line of the log about resources.memory."""
    one = Worker(server, tmp_path / "worker", "--memory", "1GiB", slots=1, through=through)
    one.process.stdout.readline()
    return one, next(line for line in one.log_text().splitlines() if "resources.memory is" in line)


@pytest.fixture
def worker(server, tmp_path, alone):
    """A worker that may make control groups; else skips, with the worker's own reason."""
    one, says = start(server, tmp_path, alone)
    if "measured once a second, not enforced" in says:
        one.kill()
        pytest.skip(says.split("not enforced: ")[1])
    yield one
    one.kill()


def train(server, tmp_path, size, status):
    (tmp_path / "grow.py").write_text(PROGRAM)
    sweep = server.submit(sweep_spec(
        command=[sys.executable, str(tmp_path / "grow.py"), str(tmp_path), str(size), str(status)],
        resources={"memory": "128MiB"}, search={"method": "random", "trials": 1},
        budget={"unit": "frames", "per_run": 1000, "phases": 1}, limits={"max_retries": 0}))
    wait_for(lambda: server.get(f"/v1/sweeps/{sweep}")["state"] != "running", seconds=120)
    return server.get("/v1/runs/rn_1.0")


def test_the_kernel_ends_a_run_that_needs_more_memory_than_it_declared(server, worker, tmp_path):
    run = train(server, tmp_path, 400, 3)
    assert run["failure"] == "oom" and "the kernel killed a process of it" in run["detail"], run
    assert "hone-run-" in (tmp_path / "group").read_text()


def test_a_run_within_its_memory_is_left_alone_and_its_group_is_removed(server, worker, tmp_path):
    run = train(server, tmp_path, 20, 3)
    assert run["state"] == "completed", run
    below = next(line for line in worker.log_text().splitlines() if "enforced by" in line)
    folder = pathlib.Path(below.rsplit(" ", 1)[1])
    assert folder.is_dir()
    mine = f"hone-run-{worker.process.pid}-"
    wait_for(lambda: not [one for one in folder.iterdir() if one.name.startswith(mine)])


# Reads a file that others have in memory, for so long that its memory would be measured twice.
READER = r"""
import json, mmap, sys, time
file = open(sys.argv[1], "rb")
held = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
end = time.monotonic() + 3
while time.monotonic() < end:
    sum(held[at] for at in range(0, len(held), mmap.PAGESIZE))
print("@hone", json.dumps({"report": {"phase": 0, "step": 1000, "value": 1}}), flush=True)
"""


def test_pages_that_another_group_pays_for_do_not_end_a_run(server, worker, tmp_path):
    (tmp_path / "large").write_bytes(bytes(200 << 20))
    (tmp_path / "read.py").write_text(READER)
    sweep = server.submit(sweep_spec(
        command=[sys.executable, str(tmp_path / "read.py"), str(tmp_path / "large")],
        resources={"memory": "128MiB"}, search={"method": "random", "trials": 1},
        budget={"unit": "frames", "per_run": 1000, "phases": 1}, limits={"max_retries": 0}))
    wait_for(lambda: server.get(f"/v1/sweeps/{sweep}")["state"] != "running", seconds=120)
    run = server.get("/v1/runs/rn_1.0")
    assert run["state"] == "completed", run


def test_a_program_that_fails_by_itself_is_not_blamed_on_memory(server, worker, tmp_path):
    server.submit(sweep_spec(command=[sys.executable, "-c", "raise SystemExit(3)"],
                             resources={"memory": "128MiB"}, budget={"per_run": 1000},
                             search={"method": "random", "trials": 1}))
    wait_for(lambda: server.get("/v1/sweeps/sw_1")["state"] != "running", seconds=120)
    assert server.get("/v1/runs/rn_1.0")["failure"] == "user_error"


def test_a_worker_that_shares_its_control_group_measures_memory(server, tmp_path, alone):
    if not alone:
        pytest.skip("needs control groups of version 2 that this account can make")
    one, says = start(server, tmp_path)
    one.kill()
    assert "it must hold this worker alone" in says
