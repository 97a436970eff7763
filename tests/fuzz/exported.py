"""Ended sweeps of every kind on a real server, and their exports: what imports.py mutates."""
import json

from changed import SWEEPS
from training import acquire, ask_tell, run_all, train


def specs(sweep_spec):
    """A spec for each kind of sweep, by name."""
    command = {"run": ["python3", "train.py", "--lr", "${lr}"], "may_change": ["lr"]}
    members = {"population": 4, "quantile": 0.4, "ready": 1}
    budget = {"unit": "frames", "per_run": 90, "phases": 3}
    population = {"command": command, "budget": budget, "checkpoints": {"keep": "all"}}
    steps = [{"name": name, "command": {"run": ["python3", name]}} for name in ("prepare", "train")]
    return {
        "plain": sweep_spec(budget=budget),
        "early stops": sweep_spec(search={"method": "tpe", "trials": 8}, budget=budget,
                                  terminator={"rule": "median"}, seed=3),
        "hyperband": sweep_spec(search={"method": "bohb", "trials": 9}, seed=5,
                                terminator={"rule": "hyperband"}, budget=budget),
        "dehb": sweep_spec(search={"method": "dehb", "trials": 9}, seed=6, budget=budget,
                           terminator={"rule": "dehb"}),
        "seeds": sweep_spec(replicates={"seeds": 3}, budget=budget, confirm={"top": 1, "seeds": 2}),
        "instances": sweep_spec(budget=budget, replicates={
            "instances": {"parameter": "depth", "values": [2, 3], "normalize": "ranks"}},
            command=["python3", "train.py"],
            parameters={"lr": {"type": "float", "min": 0, "max": 1}}),
        "pbt": sweep_spec(search={"method": "pbt", **members}, terminator={"rule": "pbt"},
                          **population),
        "pb2": sweep_spec(search={"method": "pb2", **members}, terminator={"rule": "pbt"},
                          **population),
        "pipeline": sweep_spec(command=None, steps=steps, budget=budget),
        "reach": sweep_spec(budget=budget, objective={"metric": "return", "reach": 6,
                                                      "clock": "seconds"}),
        "several objectives": sweep_spec(
            name="several objectives", objective=None, budget=budget,
            objectives=[{"metric": "return", "goal": "maximize"},
                        {"metric": "loss", "goal": "minimize"}]),
        "shared": sweep_spec(budget=budget, share=7, by="2h", slots={"min": 1, "max": 5},
                             resources={"cpus": 2, "memory": "1GiB"},
                             limits={"duration": "1h", "concurrency": 3}),
        "conditions": sweep_spec(command=["python3", "train.py"], budget=budget, parameters={
            "depth": {"type": "int", "min": 1, "max": 8},
            "kind": {"type": "choice", "values": ["a", "b"]},
            "width": {"type": "int", "min": 1, "max": 64, "scale": "log", "when": "kind == 'a'"},
            "both": {"expr": "2 * depth"}}, constraints=["depth < 8"]),
    }


def fork(server, sweep, worker):
    """A forked run in the running sweep, after its first run."""
    grant = acquire(server, worker)
    while train(server, grant):
        pass
    run = grant["attempt"].split("#")[0]
    server.post(f"/v1/sweeps/{sweep}/enqueue",
                {"request_id": "fork", "params": {"lr": 0.002}, "fork": {"run": run, "phase": 0}})


def exports(server, sweep_spec):
    """The export of one ended sweep of each kind: {kind: document}."""
    worker = server.post("/v1/workers", {"request_id": "trainer", "host": "h", "pid": 1, "cpus": 64,
                                         "gpus": 0, "hone_version": "0", "memory": 2 ** 36,
                                         "labels": ["fast"]})["worker"]
    ended = {}
    for kind, spec in specs(sweep_spec).items():
        ended[kind] = server.submit(spec)
        run_all(server, worker, ended[kind])
    command = {"run": ["python3", "train.py", "--lr", "${lr}"], "may_change": ["lr"]}
    ended["forks"] = server.submit(sweep_spec(command=command, checkpoints={"keep": "all"}, seed=8))
    fork(server, ended["forks"], worker)
    run_all(server, worker, ended["forks"])
    ended["asked"] = server.submit(sweep_spec(trainer={"name": "ask"}, command=None, budget=None))
    ask_tell(server, ended["asked"])
    server.post("/v1/notes", {"request_id": "n", "on": ended["plain"], "text": "seen"})
    for kind in ("plain", "pbt"):  # that of a population trains schedules
        made = server.post(f"/v1/sweeps/{ended[kind]}/confirm",
                           {"request_id": kind, "top": 2, "seeds": 2})["sweep"]
        run_all(server, worker, made)
        ended[f"confirmation of {kind}"] = made
    for kind, make in SWEEPS.items():
        ended[kind] = make(server, worker, sweep_spec)
    killed = server.submit(sweep_spec(seed=9))
    acquire(server, worker)
    server.post(f"/v1/sweeps/{killed}/steer", {"verb": "kill"})
    ended["killed"] = killed
    return {kind: json.loads(server.ask("GET", f"/v1/sweeps/{sweep}/export").body)
            for kind, sweep in ended.items()
            if server.ask("GET", f"/v1/sweeps/{sweep}/export").status == 200}
