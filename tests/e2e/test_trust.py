"""Nothing of a stranger runs, or stays, on the machine of a user unseen."""
import os
import signal
import stat
import subprocess
import sys

import pytest

from conftest import ROOT, program, sweep_spec
from test_code import commit, git
from test_worker import wait_for
from trained import save

PROGRAM = "print('@hone {\"report\": {\"step\": 30, \"value\": 1}}')\n"


@pytest.fixture
def work(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "train.py").write_text(PROGRAM)
    return folder


def one_run(**changes):
    return sweep_spec(command=[sys.executable, "-B", "train.py"],
                      parameters={"lr": {"type": "fixed", "value": 0.5}},
                      search={"method": "random", "trials": 1},
                      budget={"unit": "steps", "per_run": 30, "phases": 1}, **changes)


def hostile(work, tmp_path):
    """Lets the repository name a program in every place that git knows; the file it writes."""
    written = tmp_path / "written"
    evil = tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\necho \"$0 $*\" >> {written}\nexit 1\n")
    evil.chmod(0o755)
    for hook in ("post-checkout", "post-index-change", "pre-auto-gc", "reference-transaction"):
        (work / ".git" / "hooks").mkdir(exist_ok=True)
        (work / ".git" / "hooks" / hook).write_text(evil.read_text())
        (work / ".git" / "hooks" / hook).chmod(0o755)
    for key in ("core.fsmonitor", "core.pager", "diff.external", "filter.evil.clean",
                "filter.evil.smudge", "filter.a=b.clean", "filter.a=b.smudge",
                "filter.stream.process", "diff.evil.textconv", "diff.evil.command",
                "core.sshCommand", "core.alternateRefsCommand"):
        git(work, "config", key, str(evil))
    git(work, "config", "filter.evil.required", "true")
    (work / ".git" / "info").mkdir(exist_ok=True)
    (work / ".git" / "info" / "attributes").write_text(
        "*.py filter=evil diff=evil\n*.txt filter=stream\n*.md filter=a=b\n")
    return written


def with_files(work):
    for name in ("notes.txt", "read.md"):
        (work / name).write_text("1\n")
    git(work, "add", ".")
    return commit(work, 1)


def change(work):
    for name in ("notes.txt", "read.md", "value.py"):
        (work / name).write_text("2\n")


def test_plain_git_runs_what_the_repository_names(work, tmp_path):
    """The tests below would pass with configuration that no git obeys."""
    with_files(work)
    written = hostile(work, tmp_path)
    change(work)
    subprocess.run(["git", "status"], cwd=work, capture_output=True, check=False)
    subprocess.run(["git", "diff", "HEAD"], cwd=work, capture_output=True, check=False)
    assert written.stat().st_size > 0


def test_the_python_sdk_runs_nothing_of_a_strangers_repository(work, tmp_path):
    head = with_files(work)
    written = hostile(work, tmp_path)
    change(work)
    done = subprocess.run(
        [sys.executable, "-c", "from hone.repository import git\n"
         "print(git('rev-parse', 'HEAD') + git('diff', '--no-ext-diff', '--no-textconv', 'HEAD'))"],
        cwd=work, env={**os.environ, "PYTHONPATH": str(ROOT / "sdk" / "python")},
        capture_output=True, text=True, check=True)
    assert done.stdout.startswith(head) and done.stdout.count("diff --git") == 3, done
    assert not written.exists(), written.read_text()


@pytest.mark.parametrize("number", ["SIGTERM", "SIGKILL", None])
def test_a_fetch_to_stdout_left_a_file_that_all_could_read(server, tmp_path, number):
    server.submit(one_run())
    grant = server.acquire(server.join())
    model = save(server, grant, 0, "x" * 5_000_000)
    folder = tmp_path / "tmp"
    folder.mkdir()
    process = subprocess.Popen(
        [program("hone"), "fetch", model, "-o", "-"], stdout=subprocess.PIPE,
        env={**os.environ, "HONE_SERVER": f"http://127.0.0.1:{server.port}",
             "TMPDIR": str(folder)})
    process.stdout.read(1)  # it is downloaded, and waits for its reader
    (kept,) = folder.iterdir()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o700
    if number is None:
        process.stdout.read()
    else:
        process.send_signal(getattr(signal, number))
    process.wait(30)
    process.stdout.close()
    wait_for(lambda: not list(folder.iterdir()), 30)
