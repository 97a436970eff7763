"""Programs against a server whose replies would take far more memory than they have bytes."""
import os
import subprocess

import pytest

from commands import program
from listener import Listener

MIB = 1 << 20
LIST = b"[" + b"[]," * (20 << 20) + b"0]"  # 60 MiB; as a tree 1.6 GiB
BOUND = 640 * MIB  # sdk/cpp/reply.hpp
SLACK = 256 * MIB  # the text, which moves while it grows, and the program itself


@pytest.fixture
def server():
    """Answers every request with a large list."""
    def answer(handler):
        handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(LIST)))
        handler.end_headers()
        handler.wfile.write(LIST)

    with Listener(answer) as one:
        yield f"http://127.0.0.1:{one.port}"


def peak_of(process):
    """The exit status of a program and the largest memory that it had."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_maxrss * 1024


def check(peak):
    if "ASAN_OPTIONS" not in os.environ:  # what was freed stays in quarantine
        assert peak < BOUND + SLACK, peak // MIB


@pytest.mark.parametrize("words", [["ls"], ["show", "sw_1"], ["lineage", "sw_1"]])
def test_a_command_refuses_a_reply_that_takes_too_much_memory(server, words, tmp_path):
    with open(tmp_path / "output", "w+") as output:
        command = [program("hone"), *words, "--server", server]
        status, peak = peak_of(subprocess.Popen(command, stdout=output, stderr=output))
        output.seek(0)
        printed = " ".join(output.read().split())
    assert status != 0 and "640 MiB of memory" in printed, printed[-2000:]
    check(peak)


def test_a_worker_refuses_a_reply_that_takes_too_much_memory(server, tmp_path):
    """It reports it and tries again: a proxy may have answered in place of the server."""
    command = [program("hone-worker"), "--server", server, "--data", str(tmp_path / "data")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True) as worker:
        try:
            seen = ""
            while "640 MiB of memory" not in seen:
                line = worker.stdout.readline()
                assert line, seen
                seen += line
        finally:
            worker.terminate()
        check(peak_of(worker)[1])
