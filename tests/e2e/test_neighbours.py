"""A real worker on which two runs are slower together than one alone."""
import json
import sys

from commands import ok
from conftest import sweep_spec
from test_worker import Worker, wait_for

# A phase takes 20 ms alone, and 40 times as long if another run has its file there.
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
    time.sleep(0.02 if len(list(folder.glob("training-*"))) == 1 else 0.8)
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


def test_a_run_leaves_where_two_are_slower_together(tmp_path, server):
    (tmp_path / "train.py").write_text(PROGRAM)
    command = [sys.executable, str(tmp_path / "train.py"), str(tmp_path)]
    worker = Worker(server, tmp_path / "worker", slots=2)
    worker.process.stdout.readline()
    sweep = server.submit(sweep_spec(
        command=command, limits={"concurrency": 1}, search={"method": "random", "trials": 2},
        terminator={"rule": "none"}, budget={"unit": "frames", "per_run": 5000, "phases": 5000}))

    def reports(run):
        return server.get(f"/v1/runs/{run}")["phase"]

    def attempts(run):
        return server.get(f"/v1/runs/{run}/attempts")["items"]

    def returned():
        return [run for run in ("rn_1.0", "rn_2.0")
                if server.get(f"/v1/runs/{run}")["state"] == "queued"
                and "faster together without it" in attempts(run)[-1]["detail"]]

    wait_for(lambda: server.get(f"/v1/sweeps/{sweep}")["runs"]["running"] == 1
             and reports("rn_1.0") >= 3)
    ok("edit", sweep, "--concurrency", "2", server=server)
    wait_for(returned)
    gone = returned()[0]
    other = "rn_2.0" if gone == "rn_1.0" else "rn_1.0"
    told = " ".join(ok("explain", gone, server=server).split())
    assert "waits for its turn: the runs on wk_1 are faster together without it." in told, told
    wait_for(lambda: server.get("/v1/workers/wk_1")["kept_free"])
    told = " ".join(ok("explain", gone, server=server).split())
    assert f"A slot of wk_1 stays free: with a run of {sweep}" in told, told
    assert server.get(f"/v1/runs/{other}")["state"] == "running"
    (tmp_path / f"leave-{other}").touch()
    wait_for(lambda: server.get(f"/v1/runs/{gone}")["state"] == "running")
    assert server.get("/v1/workers/wk_1")["kept_free"] is None
    (tmp_path / "end").touch()
    wait_for(lambda: server.get(f"/v1/sweeps/{sweep}")["state"] == "completed")
    assert json.loads(ok("replay", sweep, "--format", "json", server=server))["same"]
    worker.close()
