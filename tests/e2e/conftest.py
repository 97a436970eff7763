"""Shared by the end-to-end tests: the built programs, and servers on free ports with their data folders.

Standard library only. HONE_BIN names the folder of the programs; the default is build/bin.
"""
import http.client
import json
import os
import pathlib
import re
import resource
import select
import signal
import socket
import subprocess
import uuid

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("HONE_BIN", ROOT / "build" / "bin"))
# Where ./test installs Gymnasium and ALE.
GYM_PYTHON = ROOT / "build" / "libraries" / "gym" / "bin" / "python"
if GYM_PYTHON.exists():
    os.environ.setdefault("HONE_PYTHON", str(GYM_PYTHON))
VERSION = re.search(r"project\(hone VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
# How much longer programs may take under sanitizers (tests/e2e/sanitized).
SLOWER = 5 if "ASAN_OPTIONS" in os.environ else 1
START_SECONDS = 30 * SLOWER
STOP_SECONDS = 15 * SLOWER


def program(name):
    path = BIN / name
    if not path.exists():
        pytest.skip(f"{path} is not built")
    return str(path)


class Answer:
    def __init__(self, response, body):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {self.body[:500]!r}"


class Server:
    """A hone-server on a free port, with its data in `folder`."""

    scheme = "http"
    host = "127.0.0.1"  # where it listens; it is spoken to on this machine

    def __init__(self, folder, *extra, file_bytes_max=None):
        self.folder = pathlib.Path(folder)
        self.extra = list(extra)
        self.file_bytes_max = file_bytes_max  # a disk that is full from there on
        self.process = None
        self.port = None
        self.log = None

    def start(self, port=0):
        command = [program("hone-server"), "--data", str(self.folder), "--listen",
                   f"{self.host}:{port}",
                   "--die-with-parent", *self.extra]
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        self.log = open(self.folder.parent / f"{self.folder.name}.log", "ab")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log,
                                        preexec_fn=self._bound_files, restore_signals=False)
        ready, _, _ = select.select([self.process.stdout], [], [], START_SECONDS)
        line = self.process.stdout.readline().decode() if ready else ""
        assert line.startswith(f"hone-server listening on {self.scheme}://"), self.log_text()
        self.port = int(line.rsplit(":", 1)[1])
        return self

    def _bound_files(self):
        if self.file_bytes_max is not None:  # Python ignores SIGXFSZ, and its child inherits that
            resource.setrlimit(resource.RLIMIT_FSIZE, (self.file_bytes_max, self.file_bytes_max))

    def log_text(self):
        return (self.folder.parent / f"{self.folder.name}.log").read_text(errors="replace")

    def stop(self):
        """Sends SIGTERM; returns the exit status."""
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(STOP_SECONDS)
        self._close()
        return status

    def kill(self):
        """Kills the server (SIGKILL)."""
        self.process.kill()
        self.process.wait(STOP_SECONDS)
        self._close()

    def _close(self):
        self.process.stdout.close()
        self.log.close()
        self.process = None

    def raw(self, data, timeout=20):
        """Sends raw bytes on a new connection and reads until the server closes it."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as connection:
            connection.sendall(data)
            received = b""
            while chunk := connection.recv(65536):
                received += chunk
            return received

    def connect(self, timeout=40):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def ask(self, method, path, body=None, headers=None, timeout=40):
        """Sends one request. A `body` of bytes is sent unchanged, any other as JSON."""
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
        connection = self.connect(timeout)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            response = connection.getresponse()
            return Answer(response, response.read())
        finally:
            connection.close()

    def get(self, path, **more):
        answer = self.ask("GET", path, **more)
        assert answer.status == 200, answer
        return answer.json

    def post(self, path, body, status=None):
        answer = self.ask("POST", path, body)
        assert answer.status == status if status else answer.status in (200, 201), answer
        return answer.json

    # The life of a sweep, in words.

    def submit(self, spec, request_id=None, workflow=None):
        body = {"request_id": request_id or str(uuid.uuid4()), "spec": spec}
        if workflow is not None:
            body["workflow"] = workflow
        return self.post("/v1/sweeps", body)["sweep"]

    def join(self, cpus=64, gpus=0):
        return self.post("/v1/workers", {"request_id": str(uuid.uuid4()), "host": "testhost",
                                         "pid": 4242,
                                         "cpus": cpus, "gpus": gpus,
                                         "hone_version": VERSION})["worker"]

    def acquire(self, worker, wait=0.0, cpus=1, request_id=None):
        return self.post("/v1/leases", {"request_id": request_id or str(uuid.uuid4()),
                                        "worker": worker,
                                        "cpus": cpus, "gpus": 0, "wait": wait})["grant"]

    def report(self, grant, phase, value, step=None):
        budget = grant["budget"]
        end = budget["per_run"] * (phase + 1) // budget["phases"]
        return self.post(f"/v1/leases/{grant['lease']}/reports",
                         {"phase": phase, "step": end if step is None else step, "value": value})

    def end(self, grant, reason="budget_reached", exit_code=0, detail="", log_tail=""):
        return self.post(f"/v1/leases/{grant['lease']}/end",
                         {"reason": reason, "exit_code": exit_code, "detail": detail,
                          "log_tail": log_tail})


def sweep_spec(**changes):
    """A small sweep of a user's command; top-level keys can be changed, None removes one."""
    spec = {
        "name": "small", "project": "tests", "seed": 17,
        "objective": {"metric": "return", "goal": "maximize"},
        "command": ["python3", "train.py", "--lr", "${lr}"],
        "parameters": {"lr": {"type": "float", "min": 1e-5, "max": 1e-2, "scale": "log"},
                       "depth": {"type": "int", "min": 1, "max": 8}},
        "search": {"method": "random", "trials": 4},
        "terminator": {"rule": "none"},
        "budget": {"unit": "frames", "per_run": 1000, "phases": 4},
    }
    spec.update(changes)
    if "command" not in changes and "lr" not in (spec["parameters"] or {}):
        spec["command"] = ["python3",
                           "train.py"]  # a command may name only parameters that there are
    return {key: value for key, value in spec.items() if value is not None}


def problem(answer, status, code, at=None, words=()):
    assert answer.status == status, answer
    body = answer.json
    assert set(body) == {"code", "detail", "at", "retryable"}, body
    assert body["code"] == code, body
    if at is not None:
        assert body["at"] == at, body
    for word in words:
        assert word in body["detail"], body
    return body


@pytest.fixture
def server(tmp_path):
    one = Server(tmp_path / "data").start()
    yield one
    if one.process is not None:
        assert one.stop() == 0, one.log_text()


@pytest.fixture(scope="module")
def shared_server(tmp_path_factory):
    """A server for tests that change nothing."""
    one = Server(tmp_path_factory.mktemp("shared") / "data").start()
    yield one
    assert one.stop() == 0, one.log_text()
