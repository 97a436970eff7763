"""Run `hone` from tests: one command, or `hone up` on a free port; what is written on terminals."""
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import time

from conftest import SLOWER, START_SECONDS, program, sweep_spec


def hone(*words, server=None, cwd=None, timeout=60, **environment):
    """Runs `hone`; the result has returncode, stdout and stderr."""
    clean = {key: value for key,
             value in os.environ.items() if key not in ("HONE_SERVER", "NO_COLOR", "COLUMNS")}
    clean.update(environment)
    if server is not None:
        clean["HONE_SERVER"] = f"http://127.0.0.1:{server.port}"
    return subprocess.run([program("hone"), *words], capture_output=True, text=True, env=clean,
                          cwd=cwd,
                          timeout=timeout * SLOWER)


def ok(*words, **more):
    result = hone(*words, **more)
    assert result.returncode == 0, result.stderr
    return result.stdout


def write_spec(folder, **changes):
    path = pathlib.Path(folder) / "sweep.json"
    path.write_text(json.dumps(sweep_spec(**changes)))
    return path


class Up:
    """`hone up` on a free port."""

    def __init__(self, data, *extra, cwd=None):
        program("hone-server"), program("hone-worker")
        self.data = data
        self.process = subprocess.Popen(
            [program("hone"), "up", "--data", str(data), "--listen", "127.0.0.1:0", *extra],
            cwd=cwd,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.text = ""
        while "stop" not in self.text:
            line = self.process.stdout.readline()
            assert line, self.process.stderr.read()
            self.text += line
        self.port = int(re.search(r"http://127\.0\.0\.1:(\d+)", self.text)[1])

    def children(self):
        """pid -> command line of every process of this data folder, and of their children."""
        found = {}
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
                environment = (folder / "environ").read_bytes()
            except OSError:
                continue
            mine = any(str(self.data).encode() in word
                       for word in words) or str(self.data).encode() in environment
            if mine and words != [b""] and int(folder.name) != self.process.pid:
                found[int(folder.name)] = b" ".join(words).decode()
        return found

    def wait_for(self, program_name):
        """Waits for the process of that name and returns it."""
        limit = time.monotonic() + START_SECONDS
        while time.monotonic() < limit:
            for pid, words in self.children().items():
                if program_name in words:
                    return pid
            time.sleep(0.05)
        raise AssertionError(f"no {program_name} among {self.children()}")

    def wait_gone(self, seconds=25):
        limit = time.monotonic() + seconds
        while self.children() and time.monotonic() < limit:
            time.sleep(0.05)
        assert self.children() == {}

    def stop(self, number=signal.SIGINT):
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=60)
        return self.process.returncode, errors


def written_on(controller):
    """The bytes that a program writes to the terminal of `controller` until its end; closes it."""
    text = b""
    with contextlib.suppress(OSError):  # EIO: the other side is closed and everything was read
        while piece := os.read(controller, 65536):
            text += piece
    os.close(controller)
    return text
