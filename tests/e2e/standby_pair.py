"""Two servers of one ledger: a primary and its standby."""
import hashlib
import os
import socket
import subprocess

import pytest

from commands import ok
from conftest import STOP_SECONDS, Server, program, sweep_spec
from slurm import until

SECONDS = 30


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Pair:
    """Two servers of one ledger: `a`, and `b` that follows it."""

    def __init__(self, folder, *extra):
        self.a = Server(folder / "a", *extra)
        self.b = Server(folder / "b", *extra)
        self.ports = {self.a: free_port(), self.b: free_port()}
        self.a.start(self.ports[self.a])
        self.follow(self.b, self.a)

    def follow(self, one, primary):
        one.extra = [word for word in one.extra if not word.startswith("--follow")]
        one.extra.append(f"--follow=http://127.0.0.1:{self.ports[primary]}")
        one.start(self.ports[one])

    @property
    def urls(self):
        return ",".join(f"http://127.0.0.1:{port}" for port in self.ports.values())

    def close(self):
        for one in (self.a, self.b):
            if one.process is not None:
                one.kill()


@pytest.fixture
def pair(tmp_path):
    both = Pair(tmp_path)
    yield both
    both.close()


@pytest.fixture
def sync_pair(tmp_path):
    both = Pair(tmp_path, "--sync-replica", "--sync-wait=0.5")
    yield both
    both.close()


def health(server):
    """{} while the server is away, as a follower is for a moment when it becomes the primary."""
    try:
        return server.get("/healthz")
    except OSError:
        return {}


def is_complete(standby, primary):
    found = health(standby)
    return (found.get("seq") == health(primary).get("seq") and found["lag_events"] == 0
            and "trouble" not in found and found["missing_blobs"] == 0)


def caught_up(standby, primary):
    assert until(lambda: is_complete(standby, primary), SECONDS), health(standby)


def promote(standby, *words):
    return ok("db", "promote", "--data", str(standby.folder), *words)


def put(server, content):
    digest = hashlib.sha256(content).hexdigest()
    assert server.ask("PUT", f"/v1/blobs/{digest}", content).status == 201
    return digest


def start_alone(folder):
    """The end of a server that refuses to start on the folder."""
    return subprocess.run([program("hone-server"), "--data", str(folder), "--listen",
                           "127.0.0.1:0"], capture_output=True, text=True, timeout=STOP_SECONDS)


def with_checkpoint(server):
    """A sweep with a report and a checkpoint."""
    sweep = server.submit(sweep_spec())
    grant = server.acquire(server.join())
    blob = os.urandom(300_000)
    digest = put(server, blob)
    server.post(f"/v1/leases/{grant['lease']}/models",
                {"sha256": digest, "bytes": len(blob), "step": 250, "phase": 0})
    server.post(f"/v1/leases/{grant['lease']}/metrics",
                {"points": [{"name": "loss", "step": 250, "value": 0.25}]})
    server.report(grant, 0, 1.5)
    return sweep, grant, digest, blob
