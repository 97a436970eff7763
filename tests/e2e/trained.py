"""Sweeps whose runs trained to their end, for tests of results."""
import hashlib

import pytest

from conftest import sweep_spec


def train(server, worker, value, models=False, metrics=False):
    """One run to its end; None when there is nothing to train."""
    grant = server.acquire(worker)
    if grant is None:
        return None
    if metrics:
        server.post(f"/v1/leases/{grant['lease']}/metrics",
                    {"points": [{"name": "loss", "step": 100, "value": 0.5},
                                {"name": "loss", "step": 200, "value": 0.25}]})
    for phase in range(grant["budget"]["phases"]):
        if models:
            save(server, grant, phase)
        server.report(grant, phase, value + phase)
    return grant


def save(server, grant, phase, text=None):
    data = (text or f"{grant['attempt']} {phase}").encode()
    digest = hashlib.sha256(data).hexdigest()
    server.ask("PUT", f"/v1/blobs/{digest}", data)
    step = grant["budget"]["per_run"] * (phase + 1) // grant["budget"]["phases"]
    return server.post(f"/v1/leases/{grant['lease']}/models",
                       {"sha256": digest, "bytes": len(data), "step": step,
                        "phase": phase})["model"]


@pytest.fixture
def done(server):
    """sw_1 has ended: four trials with values 3, 13, 23, 33."""
    sweep = server.submit(sweep_spec(), workflow={"git_commit": "3487c" + "0" * 35,
                                                  "command": ["hone", "submit"]})
    worker = server.join()
    for trial in range(4):
        train(server, worker, 10 * trial, models=True, metrics=trial == 3)
    assert server.get(f"/v1/sweeps/{sweep}")["state"] == "completed"
    return sweep


def play_edited(server, edit):
    """A sweep of three workers in turns, edited after a while and its server killed later;
    completed."""
    sweep = server.submit(sweep_spec(search={"method": "tpe", "trials": 24},
                                     terminator={"rule": "hypertrick", "eviction_rate": 0.25}))
    workers = [server.join() for _ in range(3)]
    grants = {}
    for turn in range(400):
        worker = workers[turn % 3]
        grant = grants.pop(worker, None) or server.acquire(worker)
        if grant is None:
            continue
        phase = grant.setdefault("at", grant["next_phase"])
        verdict = server.report(grant, phase, -abs(grant["params"]["depth"] - 3) - 1 / (phase + 1))
        grant["at"] += 1
        if verdict["verdict"] == "continue":
            grants[worker] = grant
        if turn == 20:
            edit(sweep)
        if turn == 40:
            server.kill()
            server.start()
    assert server.get(f"/v1/sweeps/{sweep}")["state"] == "completed"
    return sweep
