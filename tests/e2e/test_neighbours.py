"""A real worker on which two runs are slower together than one alone."""
import json
import os
import sys

import pytest

from commands import ok
from conftest import sweep_spec
from test_worker import Worker, wait_for

# A phase takes 0.1 s alone, and 8 times as long if another run has its file there.
PROGRAM = r'''
import json, os, pathlib, signal, sys, time
folder = pathlib.Path(sys.argv[1])
run = json.load(open(os.environ["HONE_RUN_FILE"]))
own = folder / f"training-{run['run']}"
def leave(*_):
    own.unlink()
    os._exit(143)
signal.signal(signal.SIGTERM, leave)
own.touch()
for phase in range(run["next_phase"], run["budget"]["phases"]):
    time.sleep(0.1 if len(list(folder.glob("training-*"))) == 1 else 0.8)
    path = os.path.join(os.environ["HONE_CHECKPOINT_DIR"], str(phase))
    open(path, "w").write(str(phase))
    step = run["budget"]["per_run"] * (phase + 1) // run["budget"]["phases"]
    print("@hone", json.dumps({"checkpoint": {"path": path, "step": step}}), flush=True)
    report = {"phase": phase, "step": step, "value": phase}
    print("@hone", json.dumps({"report": report}), flush=True)
    if any((folder / name).exists() for name in ("end", f"leave-{run['run']}")):
        break
own.unlink()
'''


class Two:
    """A worker with two slots, and a sweep with as many trials that begins with one run."""

    def __init__(self, tmp_path, server):
        self.server, self.folder = server, tmp_path
        (tmp_path / "train.py").write_text(PROGRAM)
        command = [sys.executable, str(tmp_path / "train.py"), str(tmp_path)]
        self.worker = Worker(server, tmp_path / "worker", slots=2)
        self.worker.process.stdout.readline()
        self.sweep = server.submit(sweep_spec(
            command=command, limits={"concurrency": 1}, search={"method": "random", "trials": 3},
            terminator={"rule": "none"},
            budget={"unit": "frames", "per_run": 5000, "phases": 5000}))
        wait_for(lambda: self.running() == 1 and self.phase("rn_1.0") >= 3)
        ok("edit", self.sweep, "--concurrency", "2", server=server)

    def running(self):
        return self.server.get(f"/v1/sweeps/{self.sweep}")["runs"]["running"]

    def phase(self, run):
        return self.server.get(f"/v1/runs/{run}")["phase"]

    def attempts(self, run):
        return self.server.get(f"/v1/runs/{run}/attempts")["items"]

    def leave(self, run):
        (self.folder / f"leave-{run}").touch()

    def told(self, run):
        return " ".join(ok("explain", run, server=self.server).split())

    def end(self):
        """The sweep is complete, and replays."""
        (self.folder / "end").touch()
        wait_for(lambda: self.server.get(f"/v1/sweeps/{self.sweep}")["state"] == "completed")
        assert json.loads(ok("replay", self.sweep, "--format", "json", server=self.server))["same"]
        self.worker.close()


def test_the_next_run_is_told_what_was_measured(tmp_path, server):
    two = Two(tmp_path, server)
    wait_for(lambda: two.running() == 2 and two.phase("rn_2.0") >= 1)
    began = two.phase("rn_1.0")
    wait_for(lambda: two.phase("rn_1.0") >= began + 3)
    two.leave("rn_2.0")
    wait_for(lambda: server.ask("GET", "/v1/runs/rn_3.0/attempts").status == 200
             and two.attempts("rn_3.0"))
    neighbours = two.attempts("rn_3.0")[0]["neighbours"]
    assert neighbours["runs"] == 1 and neighbours["measured"] >= 1, neighbours
    assert neighbours["speed"] < 0.95, neighbours
    assert "It started next to 1 other run: there its speed should be" in two.told("rn_3.0")
    two.end()


@pytest.mark.skipif("HONE_NEIGHBOURS_LONG" not in os.environ,
                    reason="three measurements of a minute each: HONE_NEIGHBOURS_LONG=1")
def test_a_run_leaves_where_two_are_slower_together(tmp_path, server):
    two = Two(tmp_path, server)

    def returned():
        return [run for run in ("rn_1.0", "rn_2.0")
                if server.get(f"/v1/runs/{run}")["state"] == "queued"
                and "faster together without it" in two.attempts(run)[-1]["detail"]]

    wait_for(returned, 300)
    gone = returned()[0]
    other = "rn_2.0" if gone == "rn_1.0" else "rn_1.0"
    told = two.told(gone)
    assert "waits for its turn: the runs on wk_1 are faster together without it." in told, told
    wait_for(lambda: server.get("/v1/workers/wk_1")["kept_free"])
    told = two.told(gone)
    assert f"A slot of wk_1 stays free: with a run of {two.sweep}" in told, told
    assert server.get(f"/v1/runs/{other}")["state"] == "running"
    two.leave(other)
    wait_for(lambda: server.get(f"/v1/runs/{gone}")["state"] == "running")
    two.end()
