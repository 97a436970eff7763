"""What others wrote runs on a user's machine only after the user has seen it and agreed: code that a
worker sent, commands of a sweep, and programs that a repository's configuration names."""
import hashlib
import json
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


def probing(written, port):
    """A program that writes down what it can reach, and reports a value."""
    return "\n".join([
        "import json, os, socket",
        "def reached():",
        "    try:",
        f"        socket.create_connection(('127.0.0.1', {port}), timeout=5).close()",
        "        return True",
        "    except OSError:",
        "        return False",
        "secrets = [name for name in os.environ if name.startswith('HONE_T')]",
        f"json.dump({{'server': reached(), 'pid': os.getpid(), 'secrets': secrets}},",
        f"          open({str(written)!r}, 'w'))",
        "print('@hone {\"report\": {\"value\": 1}}')"])


def saved_model(server, source):
    server.submit(one_run(evaluate=[sys.executable, "-c", source, "${hone.model}"]))
    grant = server.acquire(server.join())
    model = save(server, grant, 0, "content")
    server.report(grant, 0, 1)
    return model


def may_be_private():
    """Whether the system lets this account make namespaces."""
    return subprocess.run(["unshare", "--user", "--net", "--pid", "--fork", "--mount-proc", "true"],
                          capture_output=True).returncode == 0


def test_a_program_of_others_got_the_token_of_its_user(server, tmp_path):
    written = tmp_path / "written"
    model = saved_model(server, probing(written, server.port))
    ok("evaluate", model, "--yes", server=server, HONE_TOKEN="hone_secret")
    assert json.loads(written.read_text())["secrets"] == []


def test_a_sandbox_has_no_network_and_no_other_processes(server, tmp_path):
    if not may_be_private():
        pytest.skip("this system allows no private namespaces: unshare --user fails")
    written = tmp_path / "written"
    model = saved_model(server, probing(written, server.port))
    ok("evaluate", model, "--yes", server=server)
    assert json.loads(written.read_text())["server"]
    ok("evaluate", model, "--yes", "--sandbox", server=server)
    found = json.loads(written.read_text())
    assert not found["server"] and found["pid"] == 1, found


def test_a_sandbox_that_the_system_refuses_runs_nothing(server, tmp_path):
    written = tmp_path / "written"
    model = saved_model(server, probing(written, server.port))
    words = [program("hone"), "evaluate", model, "--yes", "--sandbox"]
    if may_be_private():  # a namespace in which no further one may be made
        forbid = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\""
        words = ["unshare", "--user", "--map-root-user", "sh", "-c", forbid, "sh", *words]
    refused = subprocess.run(words, text=True, capture_output=True, env={
        **os.environ, "HONE_SERVER": f"http://127.0.0.1:{server.port}"})
    assert refused.returncode == 4 and "private namespaces" in refused.stderr, refused
    assert not written.exists()


def test_a_run_is_reproduced_in_a_sandbox(server, work, tmp_path):
    if not may_be_private():
        pytest.skip("this system allows no private namespaces: unshare --user fails")
    head = commit(work, 1)
    server.submit(one_run(), workflow={"git_commit": head, "command": ["train.py"]})
    grant = server.acquire(server.join())
    server.report(grant, 0, 1)
    again = hone("reproduce", "rn_1.0", "--yes", "--sandbox", server=server, cwd=work)
    assert "private namespaces" not in again.stderr and "equal, bit by bit" in again.stdout, again


def test_a_picker_of_a_stranger_ran_unseen(server, tmp_path):
    written = tmp_path / "written"
    source = f"open({str(written)!r}, 'w')"
    server.submit(sweep_spec(command=None, budget=None, trainer={"name": "ask"}, search={
        "method": "external", "trials": 2, "command": [sys.executable, "-c", source]}))
    refused = hone("picker", "sw_1", server=server)
    assert refused.returncode == 2 and "--yes" in refused.stderr and source in refused.stderr
    assert not written.exists()
    hone("picker", "sw_1", "--yes", server=server)
    assert written.exists()
