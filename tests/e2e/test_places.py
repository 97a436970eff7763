"""Where, with what and with which code a command runs: as at the user who submits it."""
import hashlib
import json
import os
import socket
import subprocess
import sys

import pytest

from commands import hone, ok
from conftest import ROOT, sweep_spec
from repositories import git, repository
from test_worker import Worker

sys.path.insert(0, os.path.join(ROOT, "sdk", "python"))

PROGRAM = """
import json, os, sys
print("@hone", json.dumps({"report": {"step": 1, "value": %s}}), flush=True)
"""
SWEEP = """
name: placed
objective: {metric: score, goal: maximize}
command: %s
parameters: {x: {type: float, min: 0, max: 1}}
search: {method: random, trials: 2}
terminator: {rule: none}
budget: {unit: epochs, per_run: 1, phases: 1}
"""
FIELDS = {"parameters": {"x": {"type": "float", "min": 0, "max": 1}},
          "search": {"method": "random", "trials": 1}, "terminator": {"rule": "none"},
          "budget": {"unit": "epochs", "per_run": 1, "phases": 1}}


@pytest.fixture
def worker(server, tmp_path):
    """A worker of another folder than that of the user."""
    (tmp_path / "elsewhere").mkdir()
    one = Worker(server, tmp_path / "worker", "--workdir", str(tmp_path / "elsewhere"))
    one.ready()
    yield one
    assert one.stop() == 0, one.log_text()


def project(folder, value="0", command="python3 train.py ${x}"):
    folder.mkdir(exist_ok=True)
    (folder / "train.py").write_text(PROGRAM % value)
    (folder / "sweep.yaml").write_text(SWEEP % command)
    return folder


def committed(folder, value="0", command="{run: 'python3 train.py ${x}', code: snapshot}"):
    """A project whose program is committed to a repository."""
    repository(project(folder, value, command), PROGRAM % value)
    git(folder, "add", "train.py")
    git(folder, "commit", "-q", "-m", "first")
    return folder


def submitted(server, folder, **environment):
    """The ended sweep, and what the submission printed."""
    done = hone("submit", "sweep.yaml", "--watch", server=server, cwd=folder, timeout=120,
                **environment)
    sweep = json.loads(ok("ls", "--format", "json", server=server))[0]
    return server.get(f"/v1/sweeps/{sweep['id']}"), done.stderr


def first_run(server, sweep):
    return server.get(f"/v1/sweeps/{sweep}/trials")["items"][0]["id"].replace("tr_", "rn_") + ".0"


def workflow_of(server, run):
    attempt = server.get(f"/v1/runs/{run}/attempts")["items"][-1]
    return server.get(f"/v1/workflows/{attempt['workflow']}")


def test_one_worker_served_one_folder(server, worker, tmp_path):
    sweep, said = submitted(server, project(tmp_path / "project", "7"))
    assert (sweep["state"], sweep["best"]["value"]) == ("completed", 7.0), said
    assert sweep["spec"]["command"]["submitter"]["folder"] == str(tmp_path / "project")
    assert f"its command runs in {tmp_path / 'project'}" in said
    assert "no connected worker is on this machine" not in said
    assert workflow_of(server, sweep["best"]["run"])["cwd"] == str(tmp_path / "project")


def test_a_program_that_is_only_at_the_worker_runs_there(server, worker, tmp_path):
    project(tmp_path / "elsewhere", "3")
    folder = project(tmp_path / "project")
    (folder / "train.py").unlink()
    sweep, said = submitted(server, folder)
    assert (sweep["state"], sweep["best"]["value"]) == ("completed", 3.0), said
    assert "folder" not in sweep["spec"]["command"].get("submitter", {})


def test_a_recorded_folder_that_the_worker_lacks_is_replaced_by_its_own(server, worker, tmp_path):
    project(tmp_path / "elsewhere", "3")
    command = "{run: 'python3 train.py ${x}', submitter: {folder: /not/on/this/machine}}"
    sweep, _ = submitted(server, project(tmp_path / "project", "7", command))
    assert sweep["best"]["value"] == 3.0
    log = ok("logs", sweep["best"]["run"], server=server)
    assert "/not/on/this/machine, is not on this machine: it runs in" in log


@pytest.mark.parametrize("field", ["cwd", "python"])
def test_a_command_was_started_without_what_it_needs(server, worker, tmp_path, field):
    command = "{run: 'python3 train.py ${x}', %s: /not/here}" % field
    sweep, said = submitted(server, project(tmp_path / "project", "7", command))
    assert sweep["state"] in ("failed", "completed") and sweep["best"] is None, said
    run = first_run(server, sweep["id"])
    shown = server.get(f"/v1/runs/{run}")
    assert f"/not/here (command.{field}) is not on {socket.gethostname()} (wk_1)" in shown["detail"]
    attempts = server.get(f"/v1/runs/{run}/attempts")["items"]
    assert {one["failure"] for one in attempts} == {"infra"} and len(attempts) <= 4, attempts
    assert not server.get("/v1/workers/wk_1").get("aside_until")


def test_paths_of_a_command_are_those_of_the_user(server, worker, tmp_path):
    project(tmp_path / "project", "7")
    outer = project(tmp_path, "0", "{run: 'python3 train.py ${x}', cwd: project, python: python3}")
    sweep, said = submitted(server, outer)
    assert sweep["best"]["value"] == 7.0, said
    assert sweep["spec"]["command"]["cwd"] == str(tmp_path / "project")
    assert os.path.isabs(sweep["spec"]["command"]["python"])


def test_the_activated_environment_was_not_that_of_the_runs(server, worker, tmp_path):
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    value = ("float(sys.prefix.endswith('venv') * (1 + 2 * (os.environ.get('VIRTUAL_ENV')"
             " == sys.prefix) + 4 * os.environ['PATH'].startswith(sys.prefix + '/bin:')))")
    folder = project(tmp_path / "project", value)
    outside = {"VIRTUAL_ENV": "", "CONDA_PREFIX": ""}
    sweep, said = submitted(server, folder, **outside)
    assert sweep["best"]["value"] == 0.0, said
    sweep, said = submitted(server, folder, VIRTUAL_ENV=str(venv), CONDA_PREFIX="")
    assert sweep["best"]["value"] == 7.0, said
    assert sweep["spec"]["command"]["submitter"]["python"] == str(venv / "bin" / "python3")
    assert f"with {venv}/bin/python3" in said
    project(folder, value, "{run: 'python3 train.py ${x}', python: %s/bin/python3}" % venv)
    assert submitted(server, folder, **outside)[0]["best"]["value"] == 7.0


def test_code_of_the_user_runs_on_any_worker(server, worker, tmp_path):
    folder = committed(tmp_path / "project", "1")
    (folder / "package").mkdir()
    (folder / "package" / "value.py").write_text("VALUE = 7\n")
    (folder / "link.py").symlink_to("package/value.py")
    (folder / "away").symlink_to("/etc")
    git(folder, "add", "package/value.py", "link.py", "away")
    (folder / "untracked.py").write_text("VALUE = 9\n")
    (folder / "train.py").write_text("import sys; sys.dont_write_bytecode = True\nimport link\n"
                                     + PROGRAM % "link.VALUE + os.path.exists('untracked.py')")
    sweep, said = submitted(server, folder)
    assert (sweep["state"], sweep["best"]["value"]) == ("completed", 7.0), said
    assert "its code is a snapshot of 3 files" in said and "with uncommitted changes" in said
    assert "left out of the snapshot: away (a link that leaves the folder)" in said
    code = sweep["spec"]["command"]["code"]
    unpacked = tmp_path / "worker" / "code" / code["sha256"]
    assert unpacked.stat().st_mode & 0o77 == 0 or unpacked.parent.stat().st_mode & 0o77 == 0
    workflow = workflow_of(server, sweep["best"]["run"])
    assert workflow["git_commit"] == git(folder, "rev-parse", "HEAD")
    assert workflow["patch_sha256"] == server.get(
        f"/v1/workflows/{sweep['workflow']}")["patch_sha256"] != ""
    attempt = server.get(f"/v1/runs/{sweep['best']['run']}/attempts")["items"][0]
    assert attempt["code_differs_in"] in ("", None, []), attempt


def test_code_stays_that_of_the_submission(server, worker, tmp_path):
    folder = committed(tmp_path / "project", "7")
    sweep = ok("submit", "sweep.yaml", "-q", "--set", "name=a", server=server, cwd=folder).strip()
    (folder / "train.py").write_text("raise SystemExit(1)")
    ok("watch", sweep, server=server, timeout=120)
    assert server.get(f"/v1/sweeps/{sweep}")["best"]["value"] == 7.0
    fork = ok("fork", sweep, "--set", "name=b", server=server, cwd=folder).strip()
    ok("watch", fork, server=server, timeout=120)
    assert server.get(f"/v1/sweeps/{fork}")["best"]["value"] == 7.0


def test_code_outside_of_a_repository_is_refused(server, tmp_path):
    folder = project(tmp_path / "project", "7", "{run: 'python3 train.py ${x}', code: snapshot}")
    refused = hone("submit", "sweep.yaml", server=server, cwd=folder,
                   GIT_CEILING_DIRECTORIES=str(tmp_path))
    assert refused.returncode != 0 and "is not in a git repository with a commit" in refused.stderr
    assert json.loads(ok("ls", "--format", "json", server=server)) == []


def test_a_snapshot_runs_no_program_of_the_repository(server, tmp_path):
    folder = committed(tmp_path / "project", "7")
    trap = tmp_path / "trap"
    for name in ("core.fsmonitor", "filter.trap.clean", "filter.trap.smudge", "diff.trap.textconv"):
        git(folder, "config", name, f"touch {trap}")
    (folder / ".gitattributes").write_text("*.py filter=trap diff=trap\n")
    (folder / "train.py").write_text("changed")
    ok("submit", "sweep.yaml", server=server, cwd=folder)
    assert not trap.exists()


def snapshot(*files, patch=b"", contents=b"", **changes):
    line = {"hone_snapshot": 1, "git_commit": "c" * 40, "git_branch": "main",
            "patch_bytes": len(patch), "files": list(files), **changes}
    return json.dumps(line).encode() + b"\n" + patch + contents


def with_code(server, blob):
    digest = hashlib.sha256(blob).hexdigest()
    assert server.ask("PUT", f"/v1/blobs/{digest}", blob).status in (200, 201, 204)
    return sweep_spec(**FIELDS, command={"run": ["true"],
                                         "code": {"sha256": digest, "bytes": len(blob)}})


FILE = {"path": "a", "bytes": 1}
HOSTILE = {
    "above": snapshot({"path": "../a", "bytes": 1}, contents=b"x"),
    "absolute": snapshot({"path": "/tmp/hone-escaped", "bytes": 1}, contents=b"x"),
    "inner dots": snapshot({"path": "a/../../b", "bytes": 1}, contents=b"x"),
    "link away": snapshot({"path": "a", "link": "/etc"}),
    "link above": snapshot({"path": "a/b", "link": "../../x"}),
    "link to the folder above through a link": snapshot({"path": "a/b/c", "link": "../../d"},
                                                       {"path": "e", "link": "a/b/c/../../.."}),
    "file through a link": snapshot({"path": "a", "link": "b"}, {"path": "a/c", "bytes": 1},
                                    contents=b"x"),
    "twice": snapshot(FILE, FILE, contents=b"xy"),
    "too many": snapshot(*({"path": f"f{i}", "bytes": 0} for i in range(20_001))),
    "too many folders": snapshot(*({"path": "/".join(f"{i}{j}" for j in range(60)), "bytes": 0}
                                   for i in range(400))),
    "short": snapshot(FILE),
    "long": snapshot(FILE, contents=b"xy"),
    "negative": snapshot({"path": "a", "bytes": -1}, {"path": "b", "bytes": 2}, contents=b"x"),
    "patch": snapshot(FILE, contents=b"x", patch_bytes=10**15),
    "no line": b"x" * 100,
    "deep": b"[" * 100_000 + b"\n",
    "another form": snapshot(FILE, contents=b"x", hone_snapshot=2),
    "no list": snapshot(files={"path": "a"}),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_snapshot_of_another_user_stays_in_its_folder(server, worker, tmp_path, kind):
    sweep = server.submit(with_code(server, HOSTILE[kind]))
    hone("watch", sweep, server=server, timeout=120)
    run = first_run(server, sweep)
    shown = server.get(f"/v1/runs/{run}")
    assert shown["state"] == "failed" and "cannot be unpacked" in shown["detail"], shown
    assert list((tmp_path / "worker" / "code").iterdir()) == []
    assert not os.path.exists("/tmp/hone-escaped")


def test_a_snapshot_must_be_taken_and_stored(server):
    spec = sweep_spec(**FIELDS, command={"run": ["true"], "code": "snapshot"})
    answer = server.ask("POST", "/v1/sweeps", {"request_id": "a", "spec": spec})
    assert answer.status == 400 and answer.json["at"] == "/spec/command/code", answer
    spec["command"]["code"] = {"sha256": "0" * 64, "bytes": 3}
    answer = server.ask("POST", "/v1/sweeps", {"request_id": "b", "spec": spec})
    assert answer.status == 400 and "PUT it to /v1/blobs" in answer.json["detail"], answer


def test_python_submits_as_hone_does(server, worker, tmp_path, monkeypatch):
    from hone import Client
    folder = committed(tmp_path / "project", "7")
    monkeypatch.chdir(folder)
    spec = sweep_spec(**FIELDS, command={"run": "python3 train.py ${x}", "code": "snapshot"})
    with Client(f"http://127.0.0.1:{server.port}") as client:
        sweep = client.submit(spec)
        placed = client.submit({**spec, "command": "python3 train.py ${x}"})
    for one in (sweep, placed):
        ok("watch", one, server=server, timeout=120)
        assert server.get(f"/v1/sweeps/{one}")["best"]["value"] == 7.0
    by_hone = submitted(server, folder)[0]["spec"]["command"]["code"]
    assert server.get(f"/v1/sweeps/{sweep}")["spec"]["command"]["code"] == by_hone
    command = server.get(f"/v1/sweeps/{placed}")["spec"]["command"]
    assert command["submitter"]["folder"] == str(folder)


def commands_run(server, runs):
    return [server.get(f"/v1/workflows/{attempt['workflow']}")["command"][1] for run in runs
            for attempt in server.get(f"/v1/runs/{run['id']}/attempts")["items"]]


def test_advice_to_continue_a_mended_sweep_could_not_be_followed(server, worker, tmp_path):
    folder = project(tmp_path / "project", "7", "python3 missing.py ${x}")
    sweep, said = submitted(server, folder)
    assert sweep["best"] is None and "can't open file" in said, said
    ok("edit", sweep["id"], "--command", "python3 train.py ${x}", "--trials", "4", server=server,
       cwd=folder)
    ok("watch", sweep["id"], server=server, timeout=120)
    runs = json.loads(ok("runs", sweep["id"], "--format", "json", server=server))
    assert [run["value"] for run in runs if run["state"] == "completed"] == [7.0, 7.0], runs
    assert sorted(commands_run(server, runs)) == ["missing.py"] * 2 + ["train.py"] * 2
    assert "train.py" in ok("show", sweep["id"], server=server)
    assert "train.py" in ok("lineage", sweep["id"], server=server)
    server.stop()
    server.start()
    words = server.get(f"/v1/sweeps/{sweep['id']}")["spec"]["command"]["run"]
    assert words == ["python3", "train.py", "${x}"]


def test_an_edit_takes_the_snapshot_again(server, worker, tmp_path):
    folder = committed(tmp_path / "project", "1")
    sweep, said = submitted(server, folder)
    assert sweep["best"]["value"] == 1.0, said
    (folder / "train.py").write_text(PROGRAM % "7")
    ok("edit", sweep["id"], "--command", "{run: 'python3 train.py ${x}'}", "--trials", "3",
       server=server, cwd=folder)
    ok("watch", sweep["id"], server=server, timeout=120)
    assert server.get(f"/v1/sweeps/{sweep['id']}")["best"]["value"] == 7.0


def test_a_command_that_the_sweep_file_could_not_state_is_refused(server):
    spec = sweep_spec(**FIELDS, command=["python3", "train.py", "${x}"])
    sweep = server.submit(spec)
    refused = hone("edit", sweep, "--command", "python3 train.py ${lr}", server=server)
    assert refused.returncode != 0 and "${lr} names no parameter of this sweep" in refused.stderr
    for command, at in [({"run": "t ${lr}"}, "/command"), ([], "/command"),
                        ({"run": "t", "cwd": "x"}, "/command/cwd"),
                        ({"run": "t", "code": "snapshot"}, "/command/code"),
                        ({"run": "t", "may_change": ["y"]}, "/command/may_change"),
                        ({"run": "t", "collect": {"stdout": True, "columns": ["a"],
                                                  "objective": "b"}}, "/command/collect/objective")]:
        answer = server.ask("POST", f"/v1/sweeps/{sweep}/edit",
                            {"request_id": json.dumps(command), "command": command})
        assert answer.status == 400 and answer.json["at"].startswith(at), (command, answer)
    builtin = server.submit(sweep_spec(command=None, trainer={"name": "ask"}))
    answer = server.ask("POST", f"/v1/sweeps/{builtin}/edit", {"request_id": "b", "command": ["t"]})
    assert answer.status == 409, answer
