"""What runs use of their machine: measured by the worker, told by show and explain."""
import json

import pytest

from commands import hone, ok
from conftest import sweep_spec
from test_code import ended
from test_reproduce import start  # noqa: F401 (a fixture)

# Two phases of 0.8 s each, busy or asleep, with 48 MiB that no other program has.
PROGRAM = r'''
import json, os, sys, time
held = b"x" * (48 << 20)
print("@hone", json.dumps({"metric": {"name": "hone.cpu_cores", "step": 500, "value": 99}}))
for phase in range(2):
    end = time.monotonic() + 0.8
    if sys.argv[1] == "sleep":
        time.sleep(0.8)
    while time.monotonic() < end:
        pass
    print("@hone", json.dumps({"report": {"step": 500 * (phase + 1), "value": 1}}), flush=True)
'''


def measured(server, tmp_path, how, **resources):
    """The explanation of a run of the program."""
    (tmp_path / "use.py").write_text(PROGRAM)
    ended(server, server.submit(sweep_spec(
        command=["python3", str(tmp_path / "use.py"), how], resources=resources,
        parameters={"depth": {"type": "int", "min": 1, "max": 8}},
        search={"method": "random", "trials": 1}, budget={"per_run": 1000, "phases": 2})))
    run = server.get("/v1/sweeps")["items"][0]["id"].replace("sw_", "rn_") + ".0"
    return run, server.get(f"/v1/runs/{run}/explain")


def test_a_busy_run_and_a_sleeping_one_are_told_apart(server, start, tmp_path):  # noqa: F811
    start()
    idler, idle = measured(server, tmp_path, "sleep", cpus=2)
    worker, busy = measured(server, tmp_path, "spin", cpus=1)
    assert idler == "rn_1.0" and worker == "rn_2.0"
    assert busy["use"]["cpu_cores"] > 2 * idle["use"]["cpu_cores"], (busy, idle)
    assert 0 < idle["use"]["cpu_cores"] < 1 and idle["use"]["cpus"] == 2
    assert "of the 2 cores of its slots busy (mean of 2 measurements)" in idle["text"]
    assert idle["use"]["text"].endswith(
        ": either this parameter set leaves the processor idle, or other processes of the machine "
        "used it, which hone does not measure.")
    assert "the one core of its slots" in busy["use"]["text"]
    for explanation in (idle, busy):
        assert explanation["use"]["text"] in explanation["text"]
        assert 48 << 20 <= explanation["use"]["memory_bytes"] < 2 << 30
        assert " MiB of memory" in explanation["use"]["text"]
    for command in ("show", "explain"):
        shown = " ".join(ok(command, idler, server=server).split())
        assert "or other processes of the machine used it" in shown
    points = server.get(f"/v1/runs/{idler}/metrics")["items"]
    assert [(point["name"], point["step"]) for point in points] == [
        (name, step) for name in ("hone.cpu_cores", "hone.memory_bytes") for step in (500, 1000)]
    assert max(point["value"] for point in points if point["name"] == "hone.cpu_cores") < 90
    assert "these metrics are measured by the worker" in ok("logs", idler, server=server)
    replayed = json.loads(ok("replay", "sw_1", "--format", "json", server=server))
    assert replayed["same"], replayed


def test_a_run_without_measurements_says_nothing_of_them(server):
    server.submit(sweep_spec(search={"method": "random", "trials": 1}))
    grant = server.acquire(server.join())
    for phase in range(4):
        server.report(grant, phase, 1.0)
    explanation = server.get("/v1/runs/rn_1.0/explain")
    assert explanation["use"] is None and "of its slots" not in explanation["text"]
    assert "of its slots" not in ok("show", "rn_1.0", server=server)


@pytest.mark.parametrize("name, status", [("hone.loss", 2), ("loss", 0)])
def test_a_collected_metric_may_not_have_the_name_of_a_measured_one(server, tmp_path, name, status):
    spec = sweep_spec(command={"run": ["python3", "x.py"],
                               "collect": {"file": "a.csv", "objective": "return",
                                           "metrics": [name]}},
                      parameters={"depth": {"type": "int", "min": 1, "max": 8}})
    file = tmp_path / "sweep.json"
    file.write_text(json.dumps(spec))
    done = hone("plan", str(file), server=server)
    assert done.returncode == status, done.stderr
    assert (status == 0) == ("measured by the worker" not in done.stderr)
