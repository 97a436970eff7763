"""`hone train --track`: a run outside sweeps, recorded by a server; and workflows with a name."""
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading

import pytest
from commands import hone, ok, write_spec
from conftest import ROOT, program, sweep_spec
from listener import Listener

TRAIN = ("train", "--track", "cem", "--env", "CartPole-v1", "--episodes", "48", "--phases", "3",
         "--set", "batch=16")
SLEEPER = """
import time, pathlib, sys
pathlib.Path(sys.argv[1]).write_text("started")
time.sleep(600)
"""


def sweep_row(server, number=1):
    return server.get(f"/v1/sweeps/sw_{number}")


def test_a_run_outside_of_sweeps_is_found_as_any_other(server, tmp_path):
    """`hone train` left nothing behind but a line on the terminal."""
    text = ok(*TRAIN, server=server, cwd=tmp_path)
    assert text.startswith("sw_1  rn_1.0  return ") and text.endswith("  completed\n"), text
    row = sweep_row(server)
    assert row["state"] == "completed" and row["phases"]["done"] == 3
    assert row["name"] == "cem CartPole-v1"
    found = json.loads(ok("find", "run where sweep.tag = tracked and params.batch = 16", "--format",
                          "json", server=server))
    assert [run["id"] for run in found] == ["rn_1.0"]
    assert len(server.get("/v1/runs/rn_1.0/curve")["items"]) == 3
    assert server.get("/v1/models?run=rn_1.0")["items"]
    lineage = ok("lineage", "rn_1.0", server=server)
    assert "CartPole-v1" in lineage and "hone " in lineage
    assert "cem CartPole-v1" in ok("ls", server=server)
    assert ok("export", "sw_1", "--format", "csv", server=server).count("\n") == 4
    assert ok("reproduce", "rn_1.0", "--yes", server=server, timeout=120)
    assert "return" in ok("evaluate", "md_1", "--yes", "--episodes", "3", server=server)


def test_a_tracked_run_is_trained_here_and_not_by_another_worker(server, tmp_path):
    """A free worker of the server took the run, and the tracked one got runs of other sweeps."""
    other = server.join()
    server.submit(sweep_spec())
    ok(*TRAIN, server=server, cwd=tmp_path)
    workers = {attempt["worker"] for attempt in server.get("/v1/runs/rn_1.0/attempts")["items"]}
    assert workers and other not in workers
    row = sweep_row(server)
    assert row["trials"]["proposed"] == 0, "the worker of the tracked run trained another sweep"


def test_a_program_is_tracked_with_its_code(server, tmp_path):
    (tmp_path / "train.py").write_text(
        f"import sys\nsys.path.insert(0, {str(ROOT / 'sdk' / 'python')!r})\nimport hone\n"
        "run = hone.current()\nfor phase in run.phases():\n    run.report(phase, phase.end)\n")
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b")
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "first")):
        subprocess.run([*git, *words], cwd=tmp_path, check=True)
    text = ok("train", "--track", "--metric", "accuracy", "--phases", "4", "--budget", "40", "--",
              sys.executable, "train.py", server=server, cwd=tmp_path)
    assert "accuracy 40  completed" in text
    attempt = server.get("/v1/runs/rn_1.0/attempts")["items"][0]
    workflow = server.get(f"/v1/workflows/{attempt['workflow']}")
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=tmp_path, capture_output=True,
                            text=True, check=True).stdout.strip()
    assert workflow["git_commit"] == commit


def test_a_tracked_run_that_fails_ends_as_failed(server, tmp_path):
    failed = hone("train", "--track", "--", "false", server=server, cwd=tmp_path)
    assert failed.returncode == 10, failed
    assert sweep_row(server)["runs"]["failed"] == 1


def test_interrupting_a_tracked_run_cancels_it(server, tmp_path):
    mark = tmp_path / "mark"
    (tmp_path / "sleep.py").write_text(SLEEPER)
    process = subprocess.Popen(
        [program("hone"), "train", "--track", "--", sys.executable, "sleep.py", str(mark)],
        cwd=tmp_path, env={**os.environ, "HONE_SERVER": f"http://127.0.0.1:{server.port}"},
        stderr=subprocess.PIPE, text=True)
    while not mark.exists():
        assert process.poll() is None, process.stderr.read()
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 11
    assert sweep_row(server)["state"] == "canceled"


def test_an_interrupt_during_a_request_left_the_run_behind(server, tmp_path):
    """Ctrl-C ended hone at once while it waited for an answer, and nothing canceled the run."""
    asked, release = threading.Event(), threading.Event()

    def pass_on(handler):
        if handler.command == "GET" and handler.path == "/v1/sweeps/sw_1":
            asked.set()
            release.wait(60)
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        other = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        other.request(handler.command, handler.path, body, dict(handler.headers))
        answer = other.getresponse()
        text = answer.read()
        other.close()
        handler.send_response(answer.status)
        handler.send_header("Content-Type", answer.headers.get("Content-Type", ""))
        handler.send_header("Content-Length", str(len(text)))
        handler.end_headers()
        handler.wfile.write(text)

    (tmp_path / "sleep.py").write_text(SLEEPER)
    with Listener(pass_on) as between:
        process = subprocess.Popen(
            [program("hone"), "train", "--track", "--", sys.executable, "sleep.py",
             str(tmp_path / "mark")],
            cwd=tmp_path, env={**os.environ, "HONE_SERVER": f"http://127.0.0.1:{between.port}"},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert asked.wait(60)
        process.send_signal(signal.SIGINT)
        release.set()
        assert process.wait(timeout=60) == 11
    assert sweep_row(server)["state"] == "canceled"


@pytest.mark.parametrize("words, sentence", [
    ((), "name a trainer"), (("cem", "--set", "no_such=1"), "no_such"),
    (("cem", "--set", "batch"), "path=value"), (("cem", "--frames", "none"), "per_run")])
def test_what_cannot_be_trained_is_refused_before_it_is_recorded(server, tmp_path, words, sentence):
    refused = hone("train", "--track", *words, server=server, cwd=tmp_path)
    assert refused.returncode == 2 and sentence in refused.stderr, refused
    assert server.get("/v1/sweeps")["items"] == []


def test_a_workflow_has_a_name_a_version_and_a_description(server, tmp_path):
    """A workflow was its command line and commit alone: two versions of a pipeline had no names."""
    file = str(write_spec(tmp_path))
    for version in (1, 2):
        ok("submit", file, "--workflow", f"nightly@{version}", "--describe", "tunes the walker",
           server=server)
    workflow = server.get("/v1/workflows/" + server.get("/v1/sweeps/sw_2")["workflow"])
    assert (workflow["name"], workflow["version"]) == ("nightly", "2")
    assert workflow["description"] == "tunes the walker"
    assert "nightly, version 2" in ok("show", workflow["id"], server=server)
    # Its commit, or that there is none, follows the name: it was not shown.
    assert re.search(r"nightly 2: ([0-9a-f]{12}|no git commit)",
                     ok("lineage", "sw_2", server=server))
    found = json.loads(ok("find", "sweep where workflow.name = nightly and workflow.release = 1",
                          "--format", "json", server=server))
    assert [sweep["id"] for sweep in found] == ["sw_1"]
    listed = ok("find", "workflow where name = nightly", server=server)
    assert listed.count("tunes the") == 2  # the rest may be cut
    document = ok("export", "sw_2", "--format", "json", server=server)
    assert "nightly" in document
