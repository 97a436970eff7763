"""`hone up`: a server and workers in one command, without processes left behind."""
import os
import re
import signal
import sqlite3
import sys
import textwrap

import pytest

from commands import Up, hone, ok, write_spec

TRAINER = textwrap.dedent("""
    import json, sys, time
    lr, seconds = float(sys.argv[1]), float(sys.argv[2])
    for phase in range(2):
        time.sleep(seconds)
        report = {"phase": phase, "step": 500 * (phase + 1), "value": lr * (phase + 1)}
        print("@hone", json.dumps({"report": report}), flush=True)
""")


def command_spec(folder, seconds):
    """A sweep of a program that reports twice and takes so long for each."""
    (folder / "train.py").write_text(TRAINER)
    return write_spec(folder, command=[sys.executable, str(folder / "train.py"), "${lr}",
                                       str(seconds)],
                      parameters={"lr": {"type": "float", "min": 0.1, "max": 1.0}},
                      search={"method": "random", "trials": 3},
                      budget={"unit": "frames", "per_run": 1000, "phases": 2})


def test_up_runs_a_sweep_and_leaves_nothing_behind(tmp_path):
    up = Up(tmp_path / "data", "--slots", "2")
    try:
        file = command_spec(tmp_path, 0)
        result = hone("submit", str(file), "--watch", server=up, timeout=120)
        assert result.returncode == 0, result.stderr + result.stdout
        assert "completed  100%  6/6 phases" in result.stdout
        assert ok("best", "-n", "1", "--format", "value", "--columns", "phases", server=up) == "2\n"
        assert "2 slots" in ok("doctor", server=up, timeout=60)
    finally:
        status, errors = up.stop()
    assert status == 0, errors
    up.wait_gone()
    assert (tmp_path / "data" / "logs" / "server.log").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_up_leaves_nothing_behind_in_the_middle_of_a_run(tmp_path, number):
    up = Up(tmp_path / "data", "--slots", "2", "--workers", "2")
    ok("submit", str(command_spec(tmp_path, 600)), "-q", server=up)
    up.wait_for("train.py")
    up.stop(number)
    up.wait_gone()


def test_up_starts_a_dead_worker_again(tmp_path):
    up = Up(tmp_path / "data")
    try:
        os.kill(up.wait_for("hone-worker"), signal.SIGKILL)
        line = up.process.stderr.readline()
        assert "worker 1 ended (signal 9" in line and "starting it again" in line
        up.wait_for("hone-worker")
    finally:
        up.stop()


def test_up_ends_when_the_server_dies(tmp_path):
    up = Up(tmp_path / "data")
    os.kill(up.wait_for("hone-server"), signal.SIGKILL)
    _, errors = up.process.communicate(timeout=60)
    assert up.process.returncode == 1
    assert "the server ended (signal 9" in errors and "run `hone up` again to continue" in errors
    up.wait_gone()


def up_fails(*words):
    result = hone("up", *words, timeout=60)
    assert result.returncode == 1, result.stdout + result.stderr
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1, result.stderr  # a sentence, not a log
    return result.stderr


def test_up_says_that_the_port_is_taken(server, tmp_path):
    assert re.search(rf"port {server.port} .*--listen", up_fails(
        "--data", str(tmp_path / "other"), "--listen", f"127.0.0.1:{server.port}"))


def test_up_says_that_the_data_folder_is_in_use(server):
    assert str(server.folder) in up_fails("--data", str(server.folder), "--listen", "127.0.0.1:0")


def test_up_says_that_the_data_folder_is_newer(tmp_path):
    up = Up(tmp_path / "data", "--workers", "0")
    assert up.stop()[0] == 0
    database = next((tmp_path / "data").glob("*.db"))
    with sqlite3.connect(database) as connection:
        connection.execute("PRAGMA user_version = 9999")
    assert re.search("newer", up_fails("--data", str(tmp_path / "data"), "--listen", "127.0.0.1:0"))


def test_up_says_that_the_data_folder_cannot_be_made():
    result = hone("up", "--data", "/proc/nowhere")
    assert result.returncode == 2 and "/proc/nowhere" in result.stderr and "--data" in result.stderr
