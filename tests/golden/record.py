#!/usr/bin/env python3
"""Records golden ledgers from a real server: tests/golden/NAME.jsonl, and NAME.book by golden_book.

tests/golden/record.py [--bin DIR] NAME...   records these; refuses one that there is
tests/golden/record.py --list                what each of them holds

A ledger is recorded once, when its kinds of events are new, and never again: the golden test shows
that every later hone reads it as it was. To add one, write a function here and add it to LEDGERS.
"""
import argparse
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import uuid

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUDGET = {"unit": "frames", "per_run": 90, "phases": 3}
TOKENS = ("read", "submit", "worker", "admin", "replica")


class Recording:
    """A server in a folder of its own, workers and sweeps in words."""

    def __init__(self, folder):
        from conftest import Server
        self.folder, self.server = folder, Server(folder / "data", "--log-level", "error").start()

    def restart(self):
        self.server.kill()
        self.server.start()

    def join(self, name, **more):
        return self.server.post("/v1/workers", {
            "request_id": name, "host": name, "pid": 4242, "cpus": 8, "gpus": 0,
            "hone_version": "0.1.0", **more})["worker"]

    def submit(self, **changes):
        from conftest import sweep_spec
        return self.server.submit(sweep_spec(**{"budget": BUDGET, **changes}))

    def acquire(self, worker, cpus=8, **more):
        body = {"request_id": str(uuid.uuid4()), "worker": worker, "cpus": cpus, "gpus": 0,
                "wait": 0, "steps": True, **more}
        return self.server.post("/v1/leases", body)["grant"]

    def run_all(self, worker, sweep):
        from training import run_all
        run_all(self.server, worker, sweep)


def changed(*names):
    """The sweeps of these names of tests/fuzz/changed.py."""
    def record(one):
        """The same as in tests/fuzz/changed.py."""
        from changed import SWEEPS
        from conftest import sweep_spec
        worker = one.join("node1", memory=2 ** 36, labels=["fast", "zone=a"])
        for name in names:
            SWEEPS[name](one.server, worker, sweep_spec)
    return record


def exported(*names):
    """The sweeps of these names of tests/fuzz/exported.py."""
    def record(one):
        """The same as in tests/fuzz/exported.py."""
        from conftest import sweep_spec
        from exported import specs
        worker = one.join("node1", memory=2 ** 36, labels=["fast"])
        for name in names:
            one.run_all(worker, one.server.submit(specs(sweep_spec)[name]))
    return record


def pauses(one):
    """Runs that pause and are promoted, or are closed; a sweep that is paused and stopped."""
    from training import train
    exported("hyperband", "dehb")(one)
    worker = one.join("node2")
    sweep = one.submit(search={"method": "random", "trials": 9}, terminator={"rule": "asha"})
    grants = [one.acquire(worker) for _ in range(4)]
    live = [grant for grant in grants if train(one.server, grant)]
    for verb in ("pause", "resume", "stop"):
        one.server.post(f"/v1/sweeps/{sweep}/steer", {"verb": verb})
    while live:
        live = [grant for grant in live if train(one.server, grant)]


def forks(one):
    """A user's fork, and the forks of populations."""
    from training import train
    command = {"run": ["python3", "train.py", "--lr", "${lr}"], "may_change": ["lr"]}
    sweep = one.submit(command=command, checkpoints={"keep": "all"}, seed=8)
    worker = one.join("node1")
    grant = one.acquire(worker)
    while train(one.server, grant):
        pass
    run = grant["attempt"].split("#")[0]
    trial = "tr_" + run[3:].split(".")[0]
    for body in ({"params": {"lr": 0.002}, "fork": {"run": run, "phase": 0}},
                 {"params": {"lr": 0.004}, "from": trial}):
        one.server.post(f"/v1/sweeps/{sweep}/enqueue", {"request_id": str(uuid.uuid4()), **body})
    one.run_all(worker, sweep)
    exported("pbt", "pb2")(one)


def confirmations(one):
    """Leaders that are trained again on other seeds, also by the schedule of a population."""
    exported("seeds", "pbt")(one)
    worker = one.join("node2")
    made = one.server.post("/v1/sweeps/sw_3/confirm",
                           {"request_id": "again", "top": 2, "seeds": 2})["sweep"]
    one.run_all(worker, made)


def imports(one):
    """The exports of two sweeps and of a confirmation, imported into an empty ledger."""
    confirmations(one)
    for sweep in ("sw_1", "sw_2", "sw_3"):
        if one.server.get(f"/v1/sweeps/{sweep}")["state"] == "running":
            one.run_all(one.join("node3"), sweep)
    texts = [one.server.ask("GET", f"/v1/sweeps/{sweep}/export").body
             for sweep in ("sw_1", "sw_2")]
    one.server.kill()
    one.__init__(one.folder / "imported")
    for number, text in enumerate(texts):
        one.server.post("/v1/imports",
                        {"request_id": f"import {number}", "export": json.loads(text)})


def asked(one):
    """Trials that a client asks for and tells."""
    from training import ask_tell
    sweep = one.submit(trainer={"name": "ask"}, command=None, budget=None)
    ask_tell(one.server, sweep)
    failed = one.submit(trainer={"name": "ask"}, command=None, budget=None, seed=5)
    for told in ({"told": "failed", "detail": "it does not compile"}, {"value": 1.0}):
        trial = one.server.post(f"/v1/sweeps/{failed}/ask", {"asker": "bo"})
        one.server.ask("POST", f"/v1/trials/{trial['trial']}/tell", told)
    one.server.post(f"/v1/sweeps/{failed}/steer", {"verb": "cancel"})


def commands(one):
    """A command that is edited into each of its forms, while a run trains and after the end."""
    from changed import blob, edit
    from training import train
    run = ["python3", "train.py", "--lr=${lr}"]
    code = b"an archive of the code"
    forms = [
        run, "python3 train.py --lr ${lr}", {"run": run, "params": "flags", "folder": "fresh"},
        {"run": run, "env": {"OMP_NUM_THREADS": "1"}, "prepare": ["make"], "artifacts": ["*.csv"],
         "disk": "1GiB", "may_change": ["depth"], "collect": {"file": "out.csv", "step": "step",
                                                              "objective": "score", "nan": "skip"}},
        {"run": run, "cwd": "/srv/project", "python": "/opt/venv/bin/python"},
        {"run": run,
         "submitter": {"folder": "/home/ada/project", "python": "/usr/bin/python3"},
         "code": {"sha256": blob(one.server, code), "bytes": len(code)}}]
    worker = one.join("node1")
    sweep = one.submit(command=forms[-1], search={"method": "random", "trials": 2})
    grant = one.acquire(worker)
    for form in forms:
        edit(one.server, sweep, command=form)
    while train(one.server, grant):
        pass
    one.run_all(worker, sweep)
    edit(one.server, sweep, trials=3, command=forms[2])
    one.run_all(worker, sweep)


def workers(one):
    """A worker on which runs fail is quarantined and allowed again, another falls silent, and the
    server starts again under live leases."""
    from changed import end, until
    bad, good = one.join("node1"), one.join("node2", gpus=2, gpu_memory=[2 ** 34, 2 ** 34])
    sweep = one.submit(search={"method": "random", "trials": 6}, limits={"max_retries": 5})
    for _ in range(3):
        end(one.server, one.acquire(bad), reason="cannot_start", failure="infra",
            detail="the disk is full")
    assert one.server.get(f"/v1/workers/{bad}")["aside_until"]
    one.server.post(f"/v1/workers/{bad}/allow", {})
    one.acquire(bad)
    one.restart()
    silent = one.server.get(f"/v1/sweeps/{sweep}")["runs"]["leased"]
    assert silent == 1
    until(lambda: one.server.get(f"/v1/sweeps/{sweep}")["runs"]["leased"] == 0)
    one.run_all(good, sweep)
    one.restart()


def sent(server, token, path, body):
    """The answer to a request with this token."""
    answer = server.ask("POST", path, body, token=token)
    assert answer.status in (200, 201), answer
    return answer.json


def tokens(one):
    """Tokens of each scope, one that ends by itself, one that is revoked; a worker with a token."""
    from guarded import Guarded
    one.server.kill()
    server = one.server = Guarded(one.folder / "guarded", "--log-level", "error").start()
    made = {scope: server.create(scope) for scope in TOKENS}
    server.create("read", "submit", expires_in=3600)
    join = {"request_id": "node1", "host": "node1", "pid": 1, "cpus": 8, "gpus": 0,
            "hone_version": "0.1.0"}
    sent(server, made["worker"][1], "/v1/workers", join)
    administrator, server.token = server.token, made["admin"][1]
    second = server.create("worker")
    assert server.ask("POST", f"/v1/tokens/{second[0]}/revoke", {}).status == 200
    from conftest import sweep_spec
    submitted = {"request_id": "s", "spec": sweep_spec(budget=BUDGET)}
    sweep = sent(server, made["submit"][1], "/v1/sweeps", submitted)["sweep"]
    for body in ({"params": {"lr": 0.002}}, {"params": {"depth": 3}}):
        sent(server, made["submit"][1], f"/v1/sweeps/{sweep}/enqueue",
             {"request_id": str(body), **body})
    for _ in range(2):
        sent(server, made["worker"][1], "/v1/leases",
             {"request_id": str(uuid.uuid4()), "worker": "wk_1", "cpus": 8, "gpus": 0, "wait": 0})
    server.token = administrator
    server.ask("POST", f"/v1/tokens/{made['read'][0]}/revoke", {})


def slots(one):
    """Runs whose slots are a range, sweeps that share slots, and runs that share GPUs."""
    from training import train
    worker = one.join("node1", cpus=4, memory=2 ** 34)
    wide = one.submit(name="wide", resources={"cpus": {"min": 1, "max": 4}}, share=2,
                      search={"method": "random", "trials": 2})
    grants = [one.acquire(worker, cpus=4)]
    other = one.submit(name="other", seed=5, search={"method": "random", "trials": 3})
    third = one.submit(name="third", seed=6, search={"method": "random", "trials": 3}, by="1h")
    for _ in range(200):
        grants = [grant for grant in grants if train(one.server, grant)]
        while len(grants) < 4 and (grant := one.acquire(worker, cpus=4)):
            grants.append(grant)
        if not grants:
            break
    for sweep in (wide, other, third):
        one.run_all(worker, sweep)
    node = one.join("node2", gpus=2, gpu_memory=[2 ** 34, 2 ** 34])
    gpus = one.submit(name="gpus", resources={"cpus": 1, "gpus": 1, "gpu_memory": "6GiB"},
                      search={"method": "random", "trials": 4})
    grants = [one.acquire(node, gpus=2, gpu_free=[2 ** 34, 2 ** 34]) for _ in range(3)]
    from changed import end
    end(one.server, grants[0], reason="exit_code", exit_code=1, failure="oom", gpu_full=True,
        detail="CUDA out of memory")
    for grant in grants[1:]:
        while train(one.server, grant):
            pass
    one.server.post(f"/v1/sweeps/{gpus}/steer", {"verb": "cancel"})


def rule_hone(one):
    """The rule hone: it pauses, promotes and forks; a later sweep knows how its ranks agreed. Reports
    with all that a worker may send along."""
    command = {"run": ["python3", "train.py", "--lr", "${lr}"], "may_change": ["lr"]}
    worker = one.join("node1")
    first = None
    for number in range(2):
        search = {"method": "random", "trials": 14, **({"warm_start": [first]} if first else {})}
        sweep = one.submit(name="hone", seed=40 + number, command=command, search=search,
                           terminator={"rule": "hone", "version": 4 if first else 2, "forks": 0.5},
                           budget={"unit": "frames", "per_run": 600, "phases": 6},
                           checkpoints={"keep": "all"})
        while grant := one.acquire(worker):
            curve(one.server, grant)
        first = sweep
    copy = {"request_id": "copy", "forked_from": first,
            "spec": {**one.server.get(f"/v1/sweeps/{first}")["spec"], "name": "copy"}}
    one.server.post("/v1/sweeps", copy)


def curve(server, grant):
    """Trains a lease to its verdict; a good run is good early."""
    from changed import blob
    verdict, phase = "continue", grant["next_phase"]
    while verdict == "continue" and phase < grant["budget"]["phases"]:
        step = 100 * (phase + 1)
        data = f"{grant['attempt']} {phase}".encode()
        server.post(f"/v1/leases/{grant['lease']}/models", {
            "sha256": blob(server, data), "bytes": len(data), "step": step, "phase": phase})
        verdict = server.post(f"/v1/leases/{grant['lease']}/reports", {
            "phase": phase, "step": step, "value": grant["params"]["depth"] * (phase + 1) + grant["seed"] % 3,
            "seed_applied": True, "resumable": True, "phase_seconds": 0.001 * (phase + 1),
            "seconds": 0.5, "cpu_seconds": 0.4})["verdict"]
        phase += 1
    if verdict == "stop":
        server.end(grant, "evicted")


# The programs of an imagined batch system: they keep its jobs as lines "HANDLE STATE TOKEN".
SUBMIT = 'n=$(wc -l < "$1"); echo "$n running $2" >> "$1"; echo "$n"'
CANCEL = 'sed -i "s/^$2 running/$2 ended/" "$1"'


def fleets(one):
    """A fleet that wants pilots, sees them start and end, cancels some, fails and stops."""
    from changed import until
    jobs = one.folder / "jobs"
    jobs.write_text("")
    spec = {"name": "cluster", "engine": "command", "min": 1, "max": 3, "idle": "5m", "slots": 2,
            "labels": ["fast"], "url": "http://127.0.0.1:7777", "wall": "1h", "drain": "1m",
            "commands": {"submit": ["sh", "-c", SUBMIT, "submit", str(jobs), "{token}"],
                         "list": ["cat", str(jobs)],
                         "cancel": ["sh", "-c", CANCEL, "cancel", str(jobs), "{handle}"]}}
    fleet = one.server.post("/v1/fleets", {"request_id": "fleet", "spec": spec})["fleet"]

    def pilots(state):
        items = one.server.get(f"/v1/fleets/{fleet}/pilots")["items"]
        return [pilot["id"] for pilot in items if pilot["state"] == state]
    until(lambda: pilots("running"))
    token = jobs.read_text().split()[2]
    worker = one.join("node7", pilot=token, cpus=2, labels=["fast"])
    sweep = one.submit(search={"method": "random", "trials": 8})
    until(lambda: len(pilots("running")) == 3)
    one.run_all(worker, sweep)
    jobs.write_text(jobs.read_text().replace("1 running", "1 failed"))
    until(lambda: pilots("ended"))
    again = {**spec, "max": 1, "commands": {**spec["commands"], "submit": ["false"]}}
    one.server.post("/v1/fleets", {"request_id": "again", "fleet": fleet, "spec": again})
    jobs.write_text(jobs.read_text().replace(" running", " ended"))
    until(lambda: any(pilot["end_rule"] == "rejected" for pilot in one.server.get(
        f"/v1/fleets/{fleet}/pilots")["items"]))
    one.server.post(f"/v1/fleets/{fleet}/stop", {})
    until(lambda: one.server.get(f"/v1/fleets/{fleet}")["state"] == "stopped")


def speeds(programs):
    """Runs that slow each other down, and runs that change their slots, in simulated time."""
    run = subprocess.run([f"{programs}/golden_speeds"], check=True, capture_output=True, text=True)
    return run.stdout


LEDGERS = {
    "pauses": pauses, "forks": forks, "pipelines": exported("pipeline"), "fleets": fleets,
    "tokens": tokens, "edits": changed("edited"), "marks": changed("marked"),
    "failures": changed("failing"), "seeds": changed("racing"), "confirmations": confirmations,
    "imports": imports, "asked": asked, "workers": workers, "slots": slots, "speeds": speeds,
    "rule_hone": rule_hone, "commands": commands, "noisy": changed("noisy"),
    "objectives": exported("reach", "several objectives", "instances", "conditions", "shared")}


def rows(database, folder):
    """The ledger's rows as JSON, without the names of this machine."""
    names = {str(folder): "/data/hone", os.uname().nodename: "node1"}
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    for seq, at, kind, body in connection.execute(
            "SELECT seq, at, kind, body FROM event ORDER BY seq"):
        for here, there in names.items():
            body = body.replace(here, there)
        yield (f'{{"seq":{seq},"at":{at},"kind":{json.dumps(kind)},"body":{body}}}\n')


def served(name):
    """The rows of what a real server did."""
    with tempfile.TemporaryDirectory(prefix="hone-golden-") as folder:
        one = Recording(pathlib.Path(folder))
        try:
            LEDGERS[name](one)
        finally:
            one.server.kill()
        return "".join(rows(one.server.folder / "hone.db", folder))


def record(name, programs):
    file = HERE / f"{name}.jsonl"
    if file.exists():
        sys.exit(f"{file.name} is recorded already: a ledger is never recorded again")
    file.write_text(speeds(programs) if name == "speeds" else served(name))
    book = subprocess.run([f"{programs}/golden_book", str(file)], check=True, capture_output=True)
    file.with_suffix(".book").write_bytes(book.stdout)
    print(f"{name}: {len(file.read_text().splitlines())} events")


def main():
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("names", nargs="*", metavar="NAME", choices=[[], *LEDGERS])
    options.add_argument("--list", action="store_true", help="what each of them holds")
    options.add_argument("--bin", default=str(ROOT / "build" / "test" / "bin"))
    options = options.parse_args()
    if options.list:
        for name, function in LEDGERS.items():
            print(f"{name:14} {(function.__doc__ or name).splitlines()[0]}")
    os.environ["HONE_BIN"] = options.bin
    sys.path[:0] = [str(ROOT / "tests" / "e2e"), str(ROOT / "tests" / "fuzz")]
    for name in options.names:
        record(name, options.bin)


if __name__ == "__main__":
    main()
