"""What others wrote runs on a user's machine only after the user has seen it and agreed: code that a
worker sent, commands of a sweep, and programs that a repository's configuration names."""
import hashlib
import os
import signal
import stat
import subprocess
import sys

import pytest

from commands import hone, ok, write_spec
from conftest import ROOT, program, sweep_spec
from repositories import commit, git, repository
from test_worker import wait_for
from trained import save

PROGRAM = "print('@hone {\"report\": {\"step\": 30, \"value\": 1}}')\n"


@pytest.fixture
def work(tmp_path):
    return repository(tmp_path / "work", PROGRAM)


def one_run(**changes):
    return sweep_spec(command=[sys.executable, "-B", "train.py"],
                      parameters={"lr": {"type": "fixed", "value": 0.5}},
                      search={"method": "random", "trials": 1},
                      budget={"unit": "steps", "per_run": 30, "phases": 1}, **changes)


def rogue_run(server, work, tmp_path):
    """A run whose worker sent another patch than the submitter's; the file that it would write."""
    written = tmp_path / "written"
    head = commit(work, 1)
    server.submit(one_run(), workflow={"git_commit": head, "command": ["train.py"]})
    (work / "train.py").write_text(f"open({str(written)!r}, 'w')\n" + PROGRAM)
    patch = git(work, "diff", "--binary", "HEAD").encode() + b"\n"
    git(work, "checkout", "-q", "train.py")
    digest = hashlib.sha256(patch).hexdigest()
    grant = server.acquire(server.join())
    assert server.ask("PUT", f"/v1/blobs/{digest}", patch).status in (200, 201)
    server.post(f"/v1/leases/{grant['lease']}/code",
                {"workflow": {"git_commit": head, "patch_sha256": digest}})
    server.report(grant, 0, 1)
    return written


def test_the_code_of_a_rogue_worker_ran_unseen(server, work, tmp_path):
    written = rogue_run(server, work, tmp_path)
    for words in ((), ("--quiet",), ("--format", "json")):
        refused = hone("reproduce", "rn_1.0", *words, server=server, cwd=work)
        assert refused.returncode == 2 and "--yes" in refused.stderr, refused
        assert "sent by the worker wk_1" in refused.stderr
        assert "in 1 file (train.py)" in refused.stderr and "WARNING" in refused.stderr
        assert f"{sys.executable} -B train.py" in refused.stderr and not written.exists()
    agreed = hone("reproduce", "rn_1.0", "--yes", server=server, cwd=work)
    assert agreed.returncode == 0 and written.exists(), agreed
    assert "sent by the worker wk_1" in agreed.stderr


def test_an_evaluating_command_runs_only_with_consent(server, tmp_path):
    written = tmp_path / "written"
    source = f"open({str(written)!r}, 'w'); print('@hone {{\"report\": {{\"value\": 1}}}}')"
    server.submit(one_run(evaluate=[sys.executable, "-c", source, "${hone.model}"]))
    grant = server.acquire(server.join())
    model = save(server, grant, 0, "content")
    server.report(grant, 0, 1)
    refused = hone("evaluate", model, server=server)
    assert refused.returncode == 2 and "--yes" in refused.stderr and source in refused.stderr
    assert not written.exists()
    ok("evaluate", model, "--yes", server=server)
    assert written.exists()


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


def test_submitting_from_a_strangers_repository_runs_nothing_of_it(server, work, tmp_path):
    head = with_files(work)
    written = hostile(work, tmp_path)
    change(work)
    spec = write_spec(tmp_path, **one_run())
    sweep = ok("submit", str(spec), "-q", server=server, cwd=work).strip()
    recorded = server.get(f"/v1/workflows/{server.get(f'/v1/sweeps/{sweep}')['workflow']}")
    assert recorded["git_commit"] == head and recorded["patch_sha256"]
    patch = ok("fetch", recorded["id"], "uncommitted.patch", "-o", "-", server=server)
    assert patch.count("diff --git") == 3 and "+2" in patch
    assert not written.exists(), written.read_text()


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


def test_reproducing_in_a_strangers_repository_runs_nothing_of_it(server, work, tmp_path):
    head = with_files(work)
    server.submit(one_run(), workflow={"git_commit": head})
    grant = server.acquire(server.join())
    server.report(grant, 0, 1)
    written = hostile(work, tmp_path)
    done = hone("reproduce", "rn_1.0", "--yes", "--repository", str(work), server=server,
                cwd=tmp_path)
    assert done.returncode == 0, done
    assert not written.exists(), written.read_text()


def test_a_repository_with_its_work_tree_elsewhere_sent_files_that_nobody_saw(server, work,
                                                                              tmp_path):
    """core.worktree named the user's own folder, and its changes became the patch."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "value.py").write_text("secret\n")
    commit(work, 1)
    git(work, "config", "core.worktree", str(home))
    spec = write_spec(tmp_path, **one_run())
    sweep = ok("submit", str(spec), "-q", server=server, cwd=work).strip()
    recorded = server.get(f"/v1/workflows/{server.get(f'/v1/sweeps/{sweep}')['workflow']}")
    assert recorded["git_commit"] == "" and recorded["patch_sha256"] == ""


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
