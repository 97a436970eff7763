"""Sweeps that users edit, mark and measure, and whose runs fail, wait and race: the kinds of events
that a sweep which is left alone does not have. For exported.py and tests/golden/record.py."""
import hashlib
import time

from training import acquire, run_all, save, train

WORKFLOW = {"command": ["hone", "submit", "sweep.yaml"], "cwd": "/home/ada/walker", "host": "node1",
            "user": "ada", "git_commit": "c0ffee" + 34 * "0", "git_branch": "main",
            "patch_sha256": "", "hone_version": "0.1.0", "name": "walker", "version": "3",
            "description": "gaits on slopes"}


def kinds(server, after=0):
    """The kinds of the ledger's events, oldest first."""
    found = []
    while page := server.get(f"/v1/events?limit=1000&after={after}")["items"]:
        found += [event["kind"] for event in page]
        after = page[-1]["seq"]
    return found


def until(there, seconds=60):
    """Repeats a question until its answer is true."""
    end = time.monotonic() + seconds
    while not (answer := there()):
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)
    return answer


def blob(server, data):
    digest = hashlib.sha256(data).hexdigest()
    assert server.ask("PUT", f"/v1/blobs/{digest}", data).status in (200, 201)
    return digest


def run_of(grant):
    return grant["attempt"].split("#")[0]


def trial_of(grant):
    return "tr_" + run_of(grant)[3:].split(".")[0]


def edit(server, sweep, **changes):
    server.post(f"/v1/sweeps/{sweep}/edit", {"request_id": f"{sweep} {changes}"[:128], **changes})


def edited(server, worker, sweep_spec):
    """Every member of an edit, one at a time, while the sweep trains and once after its end."""
    sweep = server.submit(sweep_spec(
        name="edited", seed=31, search={"method": "tpe", "trials": 3},
        budget={"unit": "frames", "per_run": 90, "phases": 3},
        parameters={"lr": {"type": "float", "min": 1e-4, "max": 1e-2, "scale": "log"},
                    "depth": {"type": "int", "min": 1, "max": 8},
                    "kind": {"type": "choice", "values": ["a", "b"]}}), workflow=WORKFLOW)
    grant = acquire(server, worker)
    edit(server, sweep, trials=5)
    edit(server, sweep, concurrency=2)
    edit(server, sweep, share=3)
    edit(server, sweep, slots={"min": 1, "max": 6})
    edit(server, sweep, by="2h")
    edit(server, sweep, command={"run": ["python3", "train.py"], "params": "flags", "cwd": "/srv"})
    edit(server, sweep, widen=[{"name": "lr", "min": 1e-5, "max": 0.1},
                               {"name": "depth", "max": 12},
                               {"name": "kind", "values": ["c"]}])
    server.post(f"/v1/sweeps/{sweep}/steer", {"verb": "pause"})
    server.post(f"/v1/sweeps/{sweep}/steer", {"verb": "resume"})
    while train(server, grant):
        pass
    edit(server, sweep, concurrency=0)
    edit(server, sweep, by="none")
    run_all(server, worker, sweep)
    edit(server, sweep, trials=6)  # it had ended, and runs again
    run_all(server, worker, sweep)
    return sweep


def marked(server, worker, sweep_spec):
    """Notes and tags on each kind of object; pins; code and evaluations; taken off and put back."""
    dataset = {"name": "digits", "version": "2", "digest": "d" * 64, "location": "node3:/digits"}
    sweep = server.post("/v1/sweeps", {
        "request_id": "marked", "dataset": dataset, "workflow": WORKFLOW,
        "spec": sweep_spec(name="marked", seed=32, search={"method": "random", "trials": 3},
                           terminator={"rule": "asha"},
                           budget={"unit": "frames", "per_run": 90, "phases": 3})})["sweep"]
    grant = acquire(server, worker)
    lease, run, trial = grant["lease"], run_of(grant), trial_of(grant)
    code = {"command": [], "git_commit": "decade" + 34 * "0", "hone_version": "0.1.0",
            "environment_sha256": blob(server, b"numpy 1.26"), "hone_commit": 40 * "b" + "+",
            "patch_sha256": blob(server, b"a patch")}
    server.post(f"/v1/leases/{lease}/code", {"workflow": code})
    save(server, grant, 0, 30)
    model = server.get(f"/v1/models?run={run}")["items"][0]["id"]
    server.post(f"/v1/trials/{trial}/pin", {"pinned": True})
    values = {"request_id": f"measured {model}", "metric": "return", "values": [10, 12.5, 9],
              "environment": "CartPole-v1", "seed": 3, "sample": True, "author": "ada@node3"}
    evaluation = server.post(f"/v1/models/{model}/evaluations", values)["evaluation"]
    known = server.get(f"/v1/sweeps/{sweep}")
    marked_objects = [sweep, trial, run, grant["attempt"], model, known["workflow"],
                      known["dataset"]]
    for number, one in enumerate(marked_objects):
        server.post("/v1/notes", {"request_id": f"{sweep} {one}", "on": one, "author": "ada",
                                  "text": f"seen {number} times"})
        server.post("/v1/tags", {"on": one, "add": ["good", "draft"]})
        server.post("/v1/tags", {"on": one, "add": ["final"], "remove": ["draft"]})
    server.post("/v1/notes", {"request_id": f"{sweep} {evaluation}", "on": sweep, "text": "noted"})
    while train(server, grant):
        pass
    run_all(server, worker, sweep)
    server.post(f"/v1/trials/{trial}/pin", {"pinned": False})
    for archived in (True, False, True):
        server.post(f"/v1/sweeps/{sweep}/archive", {"archived": archived})
    return sweep


def end(server, grant, **how):
    server.post(f"/v1/leases/{grant['lease']}/end", {"detail": "", "log_tail": "", **how})


def failing(server, worker, sweep_spec):
    """Attempts that fail in each way that allows another one, and some that do not. The runs rest,
    and a worker that trains for long renews its lease."""
    sweep = server.submit(sweep_spec(
        name="failing", seed=33, search={"method": "random", "trials": 6},
        budget={"unit": "frames", "per_run": 90, "phases": 3},
        limits={"max_retries": 3, "run": "1h", "phase": "30m", "max_failed": 5}))
    grants = [acquire(server, worker) for _ in range(6)]
    ways = [{"reason": "exit_code", "exit_code": 1, "failure": "oom", "log_tail": "out of memory\n",
             "detail": "it exited with status 1"},
            {"reason": "signal", "exit_code": 11, "failure": "crash", "detail": "signal 11"},
            {"reason": "cannot_start", "failure": "infra", "detail": "the disk is full"},
            {"reason": "requeue_requested", "exit_code": 85, "failure": "preempted"},
            {"reason": "infeasible", "exit_code": 86, "failure": "infeasible"}]
    for grant, way in zip(grants, ways):
        end(server, grant, **way)
    last, before = grants[5], len(kinds(server))

    def renewed():
        server.post(f"/v1/workers/{worker}/beat", {"leases": [last["lease"]]})
        return "lease_renewed" in kinds(server)[before:]
    until(renewed)
    until(lambda: server.get(f"/v1/sweeps/{sweep}")["runs"]["queued"] == 4
          and "run_ready" in kinds(server)[before:])
    while train(server, last):
        pass
    run_all(server, worker, sweep)
    return sweep


def racing(server, worker, sweep_spec):
    """Trials that get further seeds as long as they may be the best."""
    sweep = server.submit(sweep_spec(
        name="racing", seed=34, search={"method": "random", "trials": 4},
        replicates={"seeds": {"min": 2, "max": 5}, "aggregate": "iqm"},
        budget={"unit": "frames", "per_run": 90, "phases": 3}))
    run_all(server, worker, sweep)
    return sweep


def noisy(server, worker, sweep_spec):
    """Single runs whose values follow from no parameter: a model expects about the same of all."""
    sweep = server.submit(sweep_spec(
        name="noisy", seed=35, search={"method": "random", "trials": 20},
        budget={"unit": "frames", "per_run": 10, "phases": 1}))
    while grant := acquire(server, worker):
        luck = hashlib.sha256(trial_of(grant).encode()).digest()[0] / 256
        server.post(f"/v1/leases/{grant['lease']}/reports",
                    {"phase": 0, "step": 10, "value": luck})
    return sweep


SWEEPS = {"edited": edited, "marked": marked, "failing": failing, "racing": racing, "noisy": noisy}
