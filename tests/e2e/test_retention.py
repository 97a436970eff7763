"""The bytes of checkpoints that are no longer needed leave the disk; those in `best` stay."""
import hashlib
import time

import pytest

from commands import hone, ok
from conftest import Server, sweep_spec

PATIENCE_SECONDS = 60


@pytest.fixture
def server(tmp_path):
    one = Server(tmp_path / "data", "--blob-grace", "2").start()
    yield one
    assert one.stop() == 0, one.log_text()


def put(server, data):
    digest = hashlib.sha256(data).hexdigest()
    assert server.ask("PUT", f"/v1/blobs/{digest}", data).status == 201
    return digest


def trained(server, checkpoints, keep):
    """A sweep of one run with a checkpoint (value, bytes) before each report; the sweep and the
    digests."""
    budget = {"unit": "frames", "per_run": 1000, "phases": len(checkpoints)}
    sweep = server.submit(sweep_spec(search={"method": "random", "trials": 1}, budget=budget,
                                     checkpoints={"keep": keep}))
    grant = server.acquire(server.join())
    digests = []
    for phase, (value, data) in enumerate(checkpoints):
        digests.append(put(server, data))
        step = 1000 * (phase + 1) // len(checkpoints)
        server.post(f"/v1/leases/{grant['lease']}/models",
                    {"sha256": digests[-1], "bytes": len(data), "step": step, "phase": phase})
        server.report(grant, phase, value)
    return sweep, digests


def is_there(server, digest):
    return server.ask("GET", f"/v1/blobs/{digest}").status == 200


def wait_until_gone(server, *digests):
    limit = time.monotonic() + PATIENCE_SECONDS
    while any(is_there(server, digest) for digest in digests):
        assert time.monotonic() < limit, "the blobs were not deleted"
        time.sleep(0.05)


def test_a_dropped_checkpoint_leaves_the_disk_and_the_best_one_stays(server):
    _, everything = trained(server, [(1, b"a"), (3, b"b"), (2, b"c")], "all")
    sweep, (first, best, middle, newest) = trained(server, [(1, b"0"), (3, b"1"), (2, b"2"),
                                                            (0, b"3")], "best")
    wait_until_gone(server, first, middle)
    assert all(is_there(server, digest) for digest in [best, newest, *everything])
    named = server.get(f"/v1/sweeps/{sweep}/best")["items"][0]["model"]
    assert server.get(f"/v1/models/{named}")["sha256"] == best
    dropped = [model["id"] for model in server.get(f"/v1/models?sweep={sweep}")["items"]
               if model["dropped_at"]]
    assert len(dropped) == 2
    refused = hone("fetch", dropped[0], "-o", "-", server=server)
    assert refused.returncode == 3 and "keep: all" in refused.stderr
    assert "hone ls models rn_2.0" in refused.stderr
    assert ok("fetch", named, "-o", "-", server=server) == "1"
    assert "dropped" in ok("show", dropped[0], server=server)


def test_bytes_stay_while_one_kept_checkpoint_shares_them(server):
    _, (shared,) = trained(server, [(1, b"same")], "all")
    sweep, _ = trained(server, [(1, b"same"), (2, b"better")], "best")
    nameless = put(server, b"an upload that no command ever named")
    wait_until_gone(server, nameless)  # every folder has been looked through since
    assert is_there(server, shared)
    assert server.get(f"/v1/models?sweep={sweep}")["items"][0]["dropped_at"]
