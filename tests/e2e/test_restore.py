"""Backups that are restored under running workers: nothing of the lost time is booked elsewhere.

HONE_RESTORES is the number of restores of the drill (5).
"""
import contextlib
import hashlib
import json
import os
import random
import shutil
import sqlite3
import sys

import pytest

from conftest import Server, problem, sweep_spec
from test_worker import Worker, sweep_ended, wait_for

RESTORES = int(os.environ.get("HONE_RESTORES", "5"))
REPORTS_MAX = 40  # between the backup and the loss of the ledger

# Reports its parameter in each phase and notes what it sent and what it was answered: a report of
# another trial has another value.
TRAINER = r'''
import json, os, socket, sys, time
run = json.load(open(os.environ["HONE_RUN_FILE"]))
link = socket.socket(socket.AF_UNIX)
link.connect(os.environ["HONE_SOCKET"])
lines = link.makefile("rw")
notes = open(os.path.join(sys.argv[1], f"{os.getpid()}.jsonl"), "a", buffering=1)
for phase in range(run["next_phase"], run["budget"]["phases"]):
    time.sleep(float(sys.argv[2]))
    report = {"phase": phase, "step": 10 * (phase + 1), "value": run["params"]["x"]}
    notes.write(json.dumps({"sent": report}) + "\n")
    lines.write(json.dumps({"report": report}) + "\n")
    lines.flush()
    answer = json.loads(lines.readline() or "{}")
    notes.write(json.dumps({"answer": answer}) + "\n")
    if answer.get("verdict") != "continue":
        break
'''


def numbered_sweep(number, trainer, notes, pause, trials=200):
    """The values of x, and so the reports, tell one sweep from another."""
    return sweep_spec(
        name=f"number {number}", seed=number, search={"method": "random", "trials": trials},
        command=[sys.executable, str(trainer), str(notes), str(pause)],
        parameters={"x": {"type": "float", "min": 100.0 * number, "max": 100.0 * number + 1}},
        budget={"unit": "steps", "per_run": 40, "phases": 4})


def recorded(server):
    """What the ledger has: (the trial's x, phase, the reported value) of every report."""
    x_of, reports = {}, []
    with contextlib.closing(sqlite3.connect(f"file:{server.folder}/hone.db?mode=ro",
                                            uri=True)) as raw:
        rows = raw.execute("SELECT kind, body FROM event WHERE kind IN"
                           " ('trial_proposed', 'report_recorded') ORDER BY seq")
        for kind, body in ((kind, json.loads(body)) for kind, body in rows):
            if kind == "trial_proposed":
                x_of[body["trial"]] = body["params"].get("x")
            else:
                trial = "tr_" + body["run"][len("rn_"):].split(".")[0]
                reports.append((x_of[trial], body["phase"], body["value"]))
    return reports


def back_up(server, to):
    """A copy of the database as of now, as `hone db backup --no-blobs` makes it."""
    to.mkdir()
    with contextlib.closing(sqlite3.connect(f"file:{server.folder}/hone.db?mode=ro",
                                            uri=True)) as raw, \
            contextlib.closing(sqlite3.connect(to / "hone.db")) as copy:
        raw.backup(copy)


def put_back(server, backup):
    """Kills the server, puts the database of the backup into its folder, and starts it again."""
    port = server.port
    server.kill()
    for name in ("hone.db", "hone.db-wal", "hone.db-shm", "ledger.mark", "book.snapshot"):
        (server.folder / name).unlink(missing_ok=True)
    shutil.copy(backup / "hone.db", server.folder / "hone.db")
    server.start(port)


def refused_by(worker):
    """The values in the reports that the worker keeps since no server took them."""
    values = []
    for path in sorted((worker.folder / "refused").glob("le_*")):
        grant, *lines = path.read_text().splitlines()
        assert json.loads(grant)["grant"]["lease"] == path.name
        for line in map(json.loads, lines):
            if "report" in line:
                values.append((line["report"]["value"], line["report"]["phase"]))
        assert str(path) in worker.log_text(), "the log names the file"
    return values


@pytest.fixture
def place(tmp_path):
    class Place:
        trainer = tmp_path / "train.py"
        notes = tmp_path / "notes"
        workers = []

        def worker(self, server, name):
            one = Worker(server, tmp_path / name)
            self.workers.append(one)
            one.ready()
            return one

        def noted(self):
            """Every report that a trial sent, with its answer if it got one."""
            reports = []
            for path in sorted(self.notes.iterdir()):
                for line in map(json.loads, path.read_text().splitlines()):
                    if "sent" in line:
                        reports.append([line["sent"], None])
                    else:
                        reports[-1][1] = line["answer"]
            return reports

    one = Place()
    one.workers = []
    one.trainer.write_text(TRAINER)
    one.notes.mkdir()
    yield one
    for worker in one.workers:
        if worker.process is not None:
            worker.kill()


def test_a_report_of_the_lost_time_is_not_booked_on_another_trial(tmp_path):
    """Two lives of a ledger granted le_1 to two workers: the report of the first was recorded for
    the trial of the second."""
    server = Server(tmp_path / "data").start()
    join = {"request_id": "worker-a", "host": "a", "pid": 1, "cpus": 1, "hone_version": "0"}
    first = server.post("/v1/workers", join)
    spec = sweep_spec(parameters={"lr": {"type": "float", "min": 100, "max": 101}})
    server.submit(spec)
    back_up(server, tmp_path / "copy")
    lost = server.acquire(first["worker"])
    second = server.post("/v1/workers", {**join, "request_id": "worker-b"})
    put_back(server, tmp_path / "copy")

    other = server.post("/v1/workers", {**join, "request_id": "worker-c"})
    assert other["worker"] == second["worker"], "both lives number their workers alike"
    grant = server.acquire(other["worker"])
    assert grant["attempt"] == lost["attempt"] and grant["lease"] != lost["lease"]
    digest = hashlib.sha256(b"state").hexdigest()
    assert server.ask("PUT", f"/v1/blobs/{digest}", b"state").status in (200, 201)
    for what, body in (("reports", {"phase": 0, "step": 250, "value": 1}),
                       ("metrics", {"points": [{"name": "loss", "step": 1, "value": 1}]}),
                       ("models", {"sha256": digest, "bytes": 5, "step": 250, "phase": 0}),
                       ("end", {"reason": "exit_code", "exit_code": 1})):
        answer = server.ask("POST", f"/v1/leases/{lost['lease']}/{what}", body)
        problem(answer, 409, "stale_epoch", words=["restored"])
    beat = {"leases": [lost["lease"]], "epoch": second["epoch"]}
    answer = server.ask("POST", f"/v1/workers/{second['worker']}/beat", beat)
    problem(answer, 409, "stale_epoch", at="/epoch")
    answer = server.post(f"/v1/workers/{first['worker']}/beat",
                         {"leases": [lost["lease"]], "epoch": first["epoch"]})
    assert answer["leases"][0]["order"] == "gone" and answer["leases"][0]["stale_epoch"]
    assert server.get(f"/v1/runs/{grant['attempt'].split('#')[0]}/curve")["items"] == []
    assert server.report(grant, 0, 2.0)["verdict"] == "continue"
    assert server.stop() == 0, server.log_text()


def test_a_lease_that_the_backup_has_outlives_the_restore(tmp_path):
    server = Server(tmp_path / "data").start()
    worker = server.join()
    server.submit(sweep_spec())
    grant = server.acquire(worker)
    back_up(server, tmp_path / "copy")
    put_back(server, tmp_path / "copy")
    assert server.report(grant, 0, 2.0)["verdict"] == "continue"
    assert server.stop() == 0, server.log_text()


def drill(server, place, tmp_path, chance, number):
    """One restore of a backup of random age. Returns the reports that the ledger had before it."""
    copy = tmp_path / f"copy-{number}"
    server.submit(numbered_sweep(2 * number + 1, place.trainer, place.notes, 0.02))
    back_up(server, copy)
    until = len(recorded(server)) + chance.randrange(REPORTS_MAX)
    wait_for(lambda: len(recorded(server)) >= until)
    before = recorded(server)
    put_back(server, copy)
    server.submit(numbered_sweep(2 * number + 2, place.trainer, place.notes, 0.02))
    return before


def test_restores_under_running_workers_book_no_report_on_another_trial(tmp_path, place):
    chance = random.Random(int(os.environ.get("HONE_SEED", "7")))
    server = Server(tmp_path / "data", "--lease", "5").start()
    workers = [place.worker(server, f"worker-{i}") for i in range(2)]
    had = set()
    for number in range(RESTORES):
        had |= set(drill(server, place, tmp_path, chance, number))
        after = len(recorded(server)) + 5
        wait_for(lambda: len(recorded(server)) >= after)
    sweeps = [sweep["id"] for sweep in server.get("/v1/sweeps?limit=1000")["items"]]
    for sweep in sweeps:
        server.post(f"/v1/sweeps/{sweep}/steer", {"verb": "kill"})
    for sweep in sweeps:
        wait_for(sweep_ended(server, sweep))
    kept = recorded(server)
    assert [one for one in kept if one[0] != one[2]] == [], "a report on another trial"
    for worker in workers:
        assert worker.stop() == 0, worker.log_text()
    refused = {value for worker in workers for value in refused_by(worker)}
    account(place.noted(), {(x, phase) for x, phase, _ in kept},
            {(x, phase) for x, phase, _ in had}, refused)
    assert server.stop() == 0, server.log_text()


def account(noted, kept, had, refused):
    """Every report that a trial sent is in the ledger, was in a ledger that was replaced, is kept
    by its worker, or was refused with an error that the trial got. Prints those not in the
    ledger."""
    fates = {"in the ledger": 0, "lost with the ledger": 0, "kept by its worker": 0,
             "refused with an error": 0, "its run was killed before an answer": 0}
    for report, answer in noted:
        key = (report["value"], report["phase"])
        if key in kept:
            fates["in the ledger"] += 1
            continue
        fate = ("lost with the ledger" if key in had or answer and "verdict" in answer else
                "kept by its worker" if key in refused else
                "refused with an error" if answer else "its run was killed before an answer")
        fates[fate] += 1
        print(f"x {report['value']}, phase {report['phase']}: {fate}")
    print(fates)
    assert fates["in the ledger"] > 0
    # Only the orders at the end of the drill kill runs that a server still knows.
    assert fates["its run was killed before an answer"] <= 4, fates
