"""Lineage names the code that ran: the commit and the changes that each attempt executed."""
import json
import sys

import pytest

from commands import hone, ok, write_spec
from repositories import commit, repository
from test_worker import Worker, wait_for

PROGRAM = """import json, os, sys, time
import value
print('@hone ' + json.dumps({'metric': {'name': 'here', 'step': 1, 'value': 1}}))
while not os.path.exists(sys.argv[1]):
    time.sleep(0.02)
print('@hone ' + json.dumps({'report': {'step': 100, 'value': value.VALUE}}))
"""


@pytest.fixture
def work(tmp_path):
    """A repository with a program, and a worker that executes it there, one run at a time."""
    return repository(tmp_path / "work", PROGRAM)


@pytest.fixture
def worker(server, work, tmp_path):
    one = Worker(server, tmp_path / "worker", "--workdir", str(work), slots=1)
    one.ready()
    yield one
    if one.process:
        assert one.stop() == 0, one.log_text()


def submit(server, work, go, trials=3):
    # -B: a compiled value.py of the same second and size would hide the next commit's.
    spec = write_spec(work.parent, command=[sys.executable, "-B", "train.py", str(go)],
                      parameters={"lr": {"type": "fixed", "value": 0.5}},
                      search={"method": "random", "trials": trials},
                      budget={"unit": "steps", "per_run": 100, "phases": 1})
    return ok("submit", str(spec), "-q", server=server, cwd=work).strip()


def ended(server, sweep, seconds=90):
    wait_for(lambda: server.get(f"/v1/sweeps/{sweep}")["state"] == "completed", seconds)


def executed(server, attempt):
    """The commit that the lineage of an attempt names as executed."""
    graph = server.get(f"/v1/lineage/{attempt.replace('#', '%23')}?direction=up")
    (workflow,) = [edge["to"] for edge in graph["edges"] if edge["relation"] == "executed"]
    return next(node["facts"] for node in graph["nodes"] if node["id"] == workflow)


def test_three_runs_over_two_commits_name_their_own(server, work, worker, tmp_path):
    """A commit between the runs of a sweep was not noticed: all named that of the submission."""
    first = commit(work, 1)
    go = tmp_path / "go"
    sweep = submit(server, work, go)
    wait_for(lambda: server.get("/v1/runs/rn_1.0/metrics")["items"])  # it has read value.py
    second = commit(work, 2)
    go.touch()
    ended(server, sweep)
    values = [server.get(f"/v1/runs/rn_{i}.0")["value"] for i in (1, 2, 3)]
    assert values == [1, 2, 2]
    commits = [executed(server, f"rn_{i}.0#1")["git_commit"] for i in (1, 2, 3)]
    assert commits == [first, second, second]
    attempts = [server.get(f"/v1/runs/rn_{i}.0/attempts")["items"][0] for i in (1, 2, 3)]
    assert [attempt["code_differs_in"] for attempt in attempts] == ["during", "commit", "commit"]
    assert attempts[0]["workflow_at_end"] == attempts[1]["workflow"]
    assert attempts[1]["workflow_at_end"] is None
    assert attempts[1]["workflow"] == attempts[2]["workflow"] != attempts[0]["workflow"]
    changed = json.loads(ok("find", "attempt where changed", "--format", "json", server=server))
    assert sorted(one["id"] for one in changed) == ["rn_1.0#1", "rn_2.0#1", "rn_3.0#1"]
    shown = " ".join(ok("show", "rn_1.0#1", server=server).split())
    assert f"{attempts[1]['workflow']} at its end: the folder changed while it ran" in shown
    assert "differs from the submission in: commit" in ok("show", "rn_3.0#1", server=server)
    assert second[:12] in ok("lineage", "rn_3.0#1", "--up", server=server)
    # That of a run named the code of the submission alone.
    assert f"code={second[:12]} code_differs_in=commit" in ok("lineage", "rn_3.0", server=server)
    line = ok("lineage", "rn_1.0", server=server).splitlines()[0]
    assert f"code={first[:12]}" in line and "code_differs_in=during" in line, line
    assert "3 attempts of the last week executed other code than was submitted" in hone(
        "doctor", server=server).stdout
    assert server.get(f"/v1/sweeps/{sweep}/replay")["same"]


def test_uncommitted_changes_of_a_run_are_named_and_kept(server, work, worker, tmp_path):
    commit(work, 1)
    go = tmp_path / "go"
    go.touch()
    (work / "value.py").write_text("VALUE = 3\n")
    ended(server, submit(server, work, go, trials=1))
    (work / "value.py").write_text("VALUE = 4\n")
    same = executed(server, "rn_1.0#1")
    assert server.get("/v1/runs/rn_1.0")["value"] == 3
    patch = server.ask("GET", f"/v1/blobs/{same['patch_sha256']}").body
    assert b"+VALUE = 3" in patch and b"+VALUE = 4" not in patch
    assert server.get("/v1/runs/rn_1.0/attempts")["items"][0]["code_differs_in"] == ""


def test_the_code_survives_a_restart_and_an_export(server, work, worker, tmp_path):
    commit(work, 1)
    go = tmp_path / "go"
    go.touch()
    sweep = submit(server, work, go, trials=2)
    ended(server, sweep)
    before = executed(server, "rn_2.0#1")
    text = server.ask("GET", f"/v1/sweeps/{sweep}/export").body
    worker.stop()
    server.kill()
    server.start()
    assert executed(server, "rn_2.0#1") == before
    imported = server.post("/v1/imports", {"request_id": "again", "export": json.loads(text)},
                           201)["sweep"]
    assert server.ask("GET", f"/v1/sweeps/{imported}/export").body == text
    trial = server.get(f"/v1/sweeps/{imported}/trials")["items"][1]["id"].replace("tr_", "rn_")
    assert executed(server, f"{trial}.0#1")["git_commit"] == before["git_commit"]
