"""What a worker's machine did, what ran in its slots, and what waits: sent by a real worker, kept by a real server."""
import json

import pytest

from commands import ok
from conftest import sweep_spec
from test_code import ended
from test_reproduce import start  # noqa: F401 (a fixture)
from test_worker import wait_for

# Trains until the file `enough` appears.
PROGRAM = r'''
import json, os, sys, time
while not os.path.exists(sys.argv[1]):
    time.sleep(0.05)
print("@hone", json.dumps({"report": {"step": 1000, "value": 1}}), flush=True)
'''


@pytest.fixture
def held(server, start, tmp_path):  # noqa: F811
    """A worker whose slots two runs of one sweep hold until the file `enough` is written."""
    (tmp_path / "wait.py").write_text(PROGRAM)
    start()
    enough = tmp_path / "enough"
    command = ["python3", str(tmp_path / "wait.py"), str(enough)]
    sweep = server.submit(sweep_spec(
        name="first", command=command, resources={"cpus": 1},
        parameters={"depth": {"type": "int", "min": 1, "max": 8}},
        search={"method": "random", "trials": 2}, budget={"per_run": 1000, "phases": 1}))
    yield sweep, command, enough
    enough.touch()


def newest(server):
    return server.get("/v1/workers/wk_1/history")


def measured(server):
    """The history after a sample came: the first takes a second, an idle worker asks every 20 s."""
    wait_for(lambda: (newest(server)["machine"] or {}).get("points"))
    return newest(server)


def test_a_worker_sends_what_its_machine_does(server, held):
    machine = measured(server)["machine"]
    assert machine["cores"] > 0 and machine["memory"] > 1 << 20
    for point in machine["points"]:
        for share in ("cpu", "cpu_pressure", "memory_pressure", "io_pressure", "gpu"):
            assert point[share] is None or 0 <= point[share] <= 1, point
        assert 0 < point["memory"] <= machine["memory"]
    shown = ok("show", "wk_1", server=server)
    assert "cpu " in shown and "memory " in shown and "slot 1 " in shown
    assert max(len(line) for line in shown.splitlines()) <= 80
    document = json.loads(ok("show", "wk_1", "--format", "json", server=server))
    assert document["history"]["slots"] == 2


def test_samples_are_no_events(server, held):
    measured(server)
    events = json.dumps(server.get("/v1/events?limit=1000")["items"])
    assert "cpu_pressure" not in events


def test_lanes_holders_and_what_waits(server, held, tmp_path):
    first, command, enough = held
    slots = server.get("/v1/workers/wk_1")["cpus"]
    wide = server.submit(sweep_spec(
        name="too wide", command=command, resources={"cpus": slots + 1},
        parameters={"depth": {"type": "int", "min": 1, "max": 8}},
        search={"method": "random", "trials": 1}, budget={"per_run": 1000, "phases": 1}))
    wait_for(lambda: len(newest(server)["items"]) == 2)
    history = newest(server)
    assert [one["sweep"] for one in history["held"]] == [first]
    lanes = [lane for item in history["items"] for lane in item["lanes"]]
    assert sorted(lanes) == sorted(set(lanes)) and max(lanes) < slots, "one run in each slot"
    why = {one["sweep"]: one["why"] for one in history["waiting"]}
    assert f"needs {slots + 1} slots" in why[wide] and "this worker has" in why[wide]
    shown = " ".join(ok("show", "wk_1", server=server).split())
    assert f"held by {first}" in shown and f"{wide} (too wide)" in shown
    enough.touch()
    ended(server, first)
    after = newest(server)
    assert after["held"] == [] and 0 <= after["slot_seconds"]["idle"] < 1
    ends = [item["reason"] for item in after["items"]] or [one["attempts"] for one in after["busy"]]
    assert ends
    timeline = server.get("/v1/timeline")
    held = after["slot_seconds"]["held"]
    assert timeline["slot_seconds"]["held"] == pytest.approx(held, rel=0.05)
    assert [one["worker"] for one in timeline["workers"]] == ["wk_1"]


def test_many_short_attempts_keep_their_lane_and_their_sweeps(server):
    worker = server.join(cpus=2)
    sweeps = [server.submit(sweep_spec(search={"method": "random", "trials": 20},
                                       budget={"per_run": 1000, "phases": 1}))
              for _ in range(2)]
    for _ in range(20):
        for grant in [server.acquire(worker), server.acquire(worker)]:
            server.report(grant, 0, 1.0)
    history = server.get(f"/v1/workers/{worker}/history?pixels=10&from=1")
    assert history["items"] == []
    assert sum(one["attempts"] for one in history["busy"]) == 40
    assert {one["lane"] for one in history["busy"]} <= {0, 1}
    named = {part["sweep"] for one in history["busy"] for part in one["sweeps"]}
    assert named == set(sweeps)


def test_a_worker_of_an_older_hone_has_no_machine(server):
    worker = server.join(cpus=1)
    assert server.get(f"/v1/workers/{worker}/history")["machine"] is None
    assert "nothing was measured" in ok("show", worker, server=server)


def test_samples_of_a_worker_are_its_owners(server):
    """A request that the server refuses leaves no trace of its samples."""
    samples = {"cores": 1, "samples": [{"age": 0, "cpu": 0.5}]}
    refused = server.ask("POST", "/v1/workers/wk_9/beat", {"leases": [], "machine": samples})
    assert refused.status == 404
    worker = server.join(cpus=1)
    server.post(f"/v1/workers/{worker}/beat", {"leases": [], "machine": samples})
    points = server.get(f"/v1/workers/{worker}/history")["machine"]["points"]
    assert [one["cpu"] for one in points] == [0.5]
