"""Sweeps that share the slots of a real worker: turns, shares, bounds, memory and labels."""
import sys

import pytest

from commands import hone, ok, write_spec
from conftest import sweep_spec
from test_worker import Worker, wait_for

# A phase ends when the test lets it: each file in `go` is one permission, taken by one run.
PROGRAM = r'''
import json, os, sys, time
folder = sys.argv[1]
run = json.load(open(os.environ["HONE_RUN_FILE"]))
for phase in range(run["next_phase"], run["budget"]["phases"]):
    while True:
        try:
            files = os.listdir(f"{folder}/go-{run['sweep']}")
            os.remove(f"{folder}/go-{run['sweep']}/{sorted(files)[0]}")
            break
        except (IndexError, FileNotFoundError):
            time.sleep(0.01)
    step = run["budget"]["per_run"] * (phase + 1) // run["budget"]["phases"]
    path = os.path.join(os.environ["HONE_CHECKPOINT_DIR"], str(phase))
    open(path, "w").write(str(step))
    print("@hone", json.dumps({"checkpoint": {"path": path, "step": step}}), flush=True)
    report = {"phase": phase, "step": step, "value": step}
    print("@hone", json.dumps({"report": report}), flush=True)
'''

HUNGRY = """
import time
held = bytearray(400 << 20)
for i in range(0, len(held), 4096):
    held[i] = 1
time.sleep(60)
"""


@pytest.fixture
def place(tmp_path, server):
    class Place:
        worker = None

        def start(self, *extra, slots=1):
            self.worker = Worker(server, tmp_path / "worker", *extra, slots=slots)
            return self.worker.process.stdout.readline().decode()

        def spec(self, **changes):
            (tmp_path / "train.py").write_text(PROGRAM)
            command = [sys.executable, str(tmp_path / "train.py"), str(tmp_path)]
            return sweep_spec(**{"command": command, **changes})

        def allow(self, sweep, phases=1):
            folder = tmp_path / f"go-{sweep}"
            folder.mkdir(exist_ok=True)
            for _ in range(phases):
                (folder / str(len(list(tmp_path.glob("made-*"))))).touch()
                (tmp_path / f"made-{len(list(tmp_path.glob('made-*')))}").touch()

    one = Place()
    yield one
    if one.worker is not None and one.worker.process is not None:
        one.worker.kill()


def running(server, sweep):
    runs = server.get(f"/v1/sweeps/{sweep}")["runs"]
    return runs["leased"] + runs["running"]


def reports(server, sweep):
    return server.get(f"/v1/sweeps/{sweep}")["phases"]["done"]


def test_one_trial_starts_after_the_phase_of_a_long_sweep(server, place):
    place.start()
    phases = {"unit": "frames", "per_run": 1000, "phases": 1000}
    long = server.submit(place.spec(search={"method": "random", "trials": 1000}, budget=phases))
    place.allow(long, 2)
    wait_for(lambda: reports(server, long) == 2)
    single = server.submit(place.spec(search={"method": "random", "trials": 1}))
    # A sweep that was just submitted looks for a free slot first, for two seconds.
    wait_for(lambda: place.allow(long) or running(server, single) == 1, seconds=30)
    first = server.get("/v1/trials/tr_1/runs")["items"][0]
    assert first["state"] == "queued" and first["reason"] == "requeue_requested", first
    text = " ".join(ok("explain", "tr_1", server=server).split())
    assert "waits for its turn: its slots went to sw_2" in text, text
    text = " ".join(ok("explain", "tr_2", server=server).split())
    assert "Attempt 1 started at" in text and "sw_2 had got the least for its share" in text, text
    place.allow(single, 4)
    wait_for(lambda: server.get(f"/v1/sweeps/{single}")["state"] == "completed")
    wait_for(lambda: running(server, long) == 1)
    done = reports(server, long)
    place.allow(long)
    wait_for(lambda: reports(server, long) > done)
    assert server.get("/v1/trials/tr_1/runs")["items"][0]["attempts"] == 2
    assert "no differences" in ok("replay", long, server=server)


def test_share_slots_and_by_are_shown_and_edited(server, place, tmp_path):
    path = write_spec(tmp_path, share=3, slots={"min": 1, "max": 4}, by="18:00")
    assert ok("submit", str(path), server=server).strip() == "sw_1"
    spec = server.get("/v1/sweeps/sw_1")["spec"]
    assert spec["share"] == 3 and spec["slots"] == {"min": 1, "max": 4}
    assert spec["by"].endswith("Z") and "T" in spec["by"], spec["by"]
    ok("edit", "sw_1", "--share", "2", "--slots", ":2", "--by", "2h", server=server)
    shown = ok("show", "sw_1", server=server)
    assert "share of 2, at most 2" in shown and "2h00m after its submission" in shown, shown
    ok("edit", "sw_1", "--slots", ":", "--by", "none", server=server)
    spec = server.get("/v1/sweeps/sw_1")["spec"]
    assert "slots" not in spec and "by" not in spec and spec["share"] == 2
    for words in (["--slots", "4"], ["--slots", "8:2"], ["--by", "soon"]):
        assert hone("edit", "sw_1", *words, server=server).returncode != 0, words
    # At most four slots: the fifth run waits although the worker has room.
    worker = server.join(cpus=8)
    ok("edit", "sw_1", "--slots", ":3", "--trials", "8", server=server)
    grants = [server.acquire(worker, cpus=8) for _ in range(4)]
    assert [grant is not None for grant in grants] == [True, True, True, False]


def test_memory_and_labels_of_a_worker(server, place, tmp_path):
    needs = {"memory": "300MiB", "labels": ["zone=a"]}
    assert "zone=b" in place.start("--label", "zone=b", "--memory", "1GiB")
    (tmp_path / "hungry.py").write_text(HUNGRY)
    sweep = server.submit(place.spec(
        command=[sys.executable, str(tmp_path / "hungry.py")], resources=needs,
        search={"method": "random", "trials": 1}, limits={"max_retries": 0}))
    shown = ok("show", sweep, server=server)
    assert "a run needs 1 slot, 300 MiB and zone=a" in shown, shown
    assert "wk_1 with 1 slot, 1 GiB and zone=b" in shown, shown
    place.worker.kill()
    assert "zone=a" in place.start("--label", "zone=a", "--memory", "1GiB")
    wait_for(lambda: server.get(f"/v1/sweeps/{sweep}")["state"] == "failed", seconds=60)
    run = server.get("/v1/trials/tr_1/runs")["items"][0]
    assert run["failure"] == "oom" and "resources.memory allows" in run["detail"], run


@pytest.mark.parametrize("words", [["--label", "a b"], ["--memory", "lots"], ["--memory", "4"]])
def test_a_worker_refuses_other_words(server, tmp_path, words):
    worker = Worker(server, tmp_path / "worker", *words)
    assert worker.process.wait(20) == 2
    assert words[0] in worker.log_text()
    worker.close()
