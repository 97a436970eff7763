"""A worker in words, over HTTP: it leases runs and trains them phase by phase."""
import hashlib
import uuid


def ask_tell(server, sweep):
    """Every trial of the sweep, told by one asker."""
    while server.get(f"/v1/sweeps/{sweep}")["state"] == "running":
        trial = server.post(f"/v1/sweeps/{sweep}/ask", {"asker": "ada"})
        value = trial["params"]["depth"] + trial["seed"] % 7 / 10
        server.post(f"/v1/trials/{trial['trial']}/tell", {"value": value})


def save(server, grant, phase, step):
    data = f"{grant['attempt']} {phase}".encode()
    digest = hashlib.sha256(data).hexdigest()
    assert server.ask("PUT", f"/v1/blobs/{digest}", data).status in (200, 201)
    saved = {"sha256": digest, "bytes": len(data), "step": step, "phase": phase}
    server.post(f"/v1/leases/{grant['lease']}/models", saved)
    folder = grant["step"]["name"] if grant.get("step") else "log"
    server.post(f"/v1/leases/{grant['lease']}/artifacts",
                {"name": f"{folder}/{phase}.txt", "sha256": digest, "bytes": len(data)})


def train(server, grant):
    """A phase of the lease with its checkpoint and report. Returns whether it has further ones. The
    first attempt of each third trial is queued again."""
    lease, budget = grant["lease"], grant["budget"]
    phase = grant.setdefault("at", grant["next_phase"])
    if grant["attempt"].startswith("rn_3.") and grant["attempt"].endswith("#1"):
        server.end(grant, "requeue_requested", 85, "again")
        return False
    if phase < budget["phases"]:
        server.post(f"/v1/leases/{lease}/metrics",
                    {"points": [{"name": "loss", "step": phase, "value": 0.5}]})
        step = budget["per_run"] * (phase + 1) // budget["phases"]
        save(server, grant, phase, step)
        report = {"phase": phase, "step": step,
                  "value": grant["params"].get("depth", 1) * (phase + 1) + grant["seed"] % 5 / 8}
        if grant["sweep_name"] == "several objectives":
            report["further"] = [1 / (phase + 1)]
        verdict = server.post(f"/v1/leases/{lease}/reports", report)["verdict"]
        grant["at"] += 1
        if verdict == "stop":
            server.end(grant, "evicted")
        if verdict != "continue":
            return False
    if grant["at"] < budget["phases"]:
        return True
    if grant.get("step"):
        server.end(grant)
    return False


def acquire(server, worker):
    return server.post("/v1/leases", {"request_id": str(uuid.uuid4()), "worker": worker, "cpus": 64,
                                      "gpus": 0, "wait": 0, "steps": True})["grant"]


def run_all(server, worker, sweep):
    """Three runs at a time, so that the members of a population are compared."""
    live = []
    for _ in range(400):
        if server.get(f"/v1/sweeps/{sweep}")["state"] not in ("running", "stopping"):
            return
        while len(live) < 3 and (grant := acquire(server, worker)):
            live.append(grant)
        live = [grant for grant in live if train(server, grant)]
    raise AssertionError(f"{sweep} did not end: {server.get(f'/v1/sweeps/{sweep}')}")
