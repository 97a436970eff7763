"""A real worker whose last run gets its free slots, and gives them back when another run waits."""
import json
import sys

from commands import ok
from conftest import sweep_spec
from test_worker import Worker, wait_for

# Notes its slots, and ends each phase when a file of the test allows it.
PROGRAM = r'''
import json, os, pathlib, sys, time
folder, slots = pathlib.Path(sys.argv[1]), int(sys.argv[2])
run = json.load(open(os.environ["HONE_RUN_FILE"]))
end = time.monotonic() + 120
with open(folder / "log", "a") as log:
    log.write(f"{run['run']} {slots} {os.environ['OMP_NUM_THREADS']}\n")
for phase in range(run["next_phase"], run["budget"]["phases"]):
    while not (folder / f"{run['run']}-{phase}").exists():
        if time.monotonic() > end:
            sys.exit("the test let it wait")
        time.sleep(0.01)
    path = os.path.join(os.environ["HONE_CHECKPOINT_DIR"], str(phase))
    open(path, "w").write(str(phase))
    step = run["budget"]["per_run"] * (phase + 1) // run["budget"]["phases"]
    print("@hone", json.dumps({"checkpoint": {"path": path, "step": step}}), flush=True)
    report = {"phase": phase, "step": step, "value": phase}
    print("@hone", json.dumps({"report": report}), flush=True)
'''


def spec_of(folder, phases, cpus):
    command = [sys.executable, str(folder / "train.py"), str(folder), "${hone.cpus}"]
    return sweep_spec(command=command,
                      resources={"cpus": cpus}, search={"method": "random", "trials": 1},
                      terminator={"rule": "none"},
                      budget={"unit": "frames", "per_run": 1000, "phases": phases})


def unbroken(text):
    """The text without its line breaks."""
    return " ".join(text.split())


def test_the_last_run_gets_free_slots_until_another_waits(tmp_path, server):
    (tmp_path / "train.py").write_text(PROGRAM)

    def log():
        path = tmp_path / "log"
        return path.read_text().splitlines() if path.exists() else []

    def finish(run, phase):
        (tmp_path / f"{run}-{phase}").touch()

    worker = Worker(server, tmp_path / "worker", slots=2)
    worker.process.stdout.readline()
    wide = server.submit(spec_of(tmp_path, 3, {"min": 1, "max": 2}))
    wait_for(lambda: log() == ["rn_1.0 2 2"])
    other = server.submit(spec_of(tmp_path, 1, 1))
    finish("rn_1.0", 0)
    wait_for(lambda: sorted(log()[1:]) == ["rn_1.0 1 1", "rn_2.0 1 1"])
    finish("rn_2.0", 0)
    wait_for(lambda: server.get(f"/v1/sweeps/{other}")["state"] == "completed")
    told = unbroken(ok("explain", "rn_1.0", server=server))
    assert "It got 1 slot, as " in told, told
    for phase in (1, 2):
        finish("rn_1.0", phase)
    wait_for(lambda: server.get(f"/v1/sweeps/{wide}")["state"] == "completed")
    attempts = server.get("/v1/runs/rn_1.0/attempts")["items"]
    assert [one["width"]["cpus"] for one in attempts] == [2, 1]
    assert attempts[0]["width"]["rule"] == "most" and attempts[0]["width"]["free"] == 2
    assert server.get("/v1/runs/rn_2.0/attempts")["items"][0]["width"] is None
    assert json.loads(ok("replay", wide, "--format", "json", server=server))["same"]
    worker.close()


def test_a_plan_names_the_range(tmp_path, server):
    file = tmp_path / "sweep.yaml"
    file.write_text(json.dumps(spec_of(tmp_path, 2, {"min": 2, "max": 8})))
    plan = unbroken(ok("plan", str(file), server=server))
    assert "2 to 8 slots (more than 2 while no run waits)" in plan, plan
