"""A large import is written in parts: others' writes come between them, no read sees a part of it,
and what a killed server leaves of one does not exist."""
import json
import shutil
import sqlite3
import threading
import uuid

import pytest

from commands import hone, ok
from conftest import sweep_spec
from slurm import until
from standby_pair import SECONDS, caught_up, health, promote, sync_pair  # noqa: F401 (fixture)

TRIALS, PHASES = 120, 5  # some 1,300 events: 6 parts


@pytest.fixture(scope="module")
def document(shared_server):
    """The export of a sweep of many trials, with telemetry."""
    server = shared_server
    sweep = server.submit(sweep_spec(search={"method": "random", "trials": TRIALS},
                                     budget={"unit": "steps", "per_run": 50, "phases": PHASES}))
    worker = server.join()
    for number in range(TRIALS):
        grant = server.acquire(worker)
        if number % 40 == 0:
            points = [{"name": "loss", "step": step, "value": 0.5} for step in range(2000)]
            server.post(f"/v1/leases/{grant['lease']}/metrics", {"points": points})
        for phase in range(PHASES):
            server.report(grant, phase, float(number % 7 + phase))
    assert server.get(f"/v1/sweeps/{sweep}")["state"] == "completed"
    return server.get(f"/v1/sweeps/{sweep}/export")


def send(server, document, request_id=None):
    return server.ask("POST", "/v1/imports", {"request_id": request_id or str(uuid.uuid4()),
                                              "export": document}, timeout=120)


def rows(server, query, *values):
    database = sqlite3.connect(f"file:{server.folder}/hone.db?mode=ro", uri=True)
    try:
        return database.execute(query, values).fetchall()
    finally:
        database.close()


def parts(server):
    """(seq, part, events) of each event of an import."""
    return [(seq, json.loads(body).get("part", "whole"), len(json.loads(body)["past"]))
            for seq, body in rows(server, "SELECT seq, body FROM event"
                                          " WHERE kind = 'sweep_imported' ORDER BY seq")]


def in_background(call):
    answers = []
    thread = threading.Thread(target=lambda: answers.append(call()))
    thread.start()
    return thread, answers


def test_others_write_between_the_parts_of_an_import(server, document):
    own = server.submit(sweep_spec())
    importing, answers = in_background(lambda: send(server, document))
    notes = 0
    while importing.is_alive():
        notes += 1
        server.post("/v1/notes", {"request_id": f"note {notes}", "on": own, "text": "a note"})
    assert answers[0].status == 201, answers[0]
    found = parts(server)
    assert [part for _, part, _ in found] == ["first"] + ["further"] * (len(found) - 2) + ["last"]
    assert sum(count for _, _, count in found) == len(document["events"])
    assert max(count for _, _, count in found) <= 256
    between = rows(server, "SELECT count(*) FROM event WHERE kind = 'note_added' AND seq > ?"
                           " AND seq < ?", found[0][0], found[-1][0])[0][0]
    assert between >= 1, (notes, found)


def test_no_read_sees_a_part_of_an_import(server, document):
    server.submit(sweep_spec())
    importing, answers = in_background(lambda: send(server, document))
    seen = set()
    while importing.is_alive():
        sweeps = server.get("/v1/sweeps")["items"]
        if len(sweeps) > 1:
            assert sweeps[0]["state"] == "completed" and sweeps[0]["trials"]["proposed"] == TRIALS
        seen.add(len(sweeps))
        trial = server.ask("GET", "/v1/trials/tr_1")
        assert trial.status == 404 or trial.json["state"] == "completed", trial
        refused = server.ask("POST", "/v1/notes", {"request_id": str(uuid.uuid4()), "on": "tr_2",
                                                   "text": "too early"})
        assert refused.status in (201, 200, 404), refused
    assert answers[0].status == 201 and seen <= {1, 2}
    moved = server.get("/v1/sweeps/sw_2/export")["events"]
    assert [event for event in moved if event["kind"] != "note_added"] == document["events"]


def test_an_import_again_after_its_answer_is_the_same_sweep(server, document):
    first, again = send(server, document, "once"), send(server, document, "once")
    assert (first.status, again.status) == (201, 200) and first.json == again.json
    other = send(server, {**document, "ledger": "other"}, "once")
    assert other.status == 409, other


def kill_in_an_import(server, document):
    """Kills the server between two parts; the seq of the first."""
    for _ in range(20):
        importing, _ = in_background(lambda: try_to_send(server, document))
        before = len(parts(server))
        while importing.is_alive() and len(parts(server)) == before:
            pass
        server.kill()
        importing.join()
        found = parts(server)
        if len(found) > before and found[-1][1] in ("first", "further"):
            return
        server.start()
    raise AssertionError("no kill fell between two parts")


def try_to_send(server, document):
    try:
        return send(server, document)
    except OSError:
        return None


def half(server):
    """The newest sweep of which a part was imported. After a late kill an earlier one is whole."""
    return f"sw_{rows(server, 'SELECT max(sweep) FROM unfinished_import')[0][0]}"


def listed(server):
    return {one["id"] for one in server.get("/v1/sweeps")["items"]}


def test_a_server_that_was_killed_in_an_import_had_half_of_a_sweep(server, document):
    own = server.submit(sweep_spec())
    kill_in_an_import(server, document)
    for _ in range(2):
        server.start()
        assert [part for _, part, _ in parts(server)][-1] == "dropped"
        dropped = half(server)
        assert dropped not in listed(server)
        assert server.ask("GET", f"/v1/sweeps/{dropped}").status == 404
        request = {"request_id": str(uuid.uuid4())}
        for path, body in ((f"/v1/sweeps/{dropped}/edit", {**request, "trials": 9}),
                           ("/v1/notes", {**request, "on": dropped, "text": "x"}),
                           ("/v1/tags", {"on": dropped, "add": ["x"]}),
                           (f"/v1/sweeps/{dropped}/archive", {"archived": True})):
            answer = server.ask("POST", path, body)
            assert answer.status == 404, answer
        server.kill()
        (server.folder / "book.snapshot").unlink(missing_ok=True)
    server.start()
    again = send(server, document)
    assert again.status == 201
    sweep = again.json["sweep"]
    assert server.get(f"/v1/sweeps/{sweep}/export") == document
    assert server.get(f"/v1/sweeps/{own}")["state"] == "running"
    server.stop()
    server.start()
    assert server.get(f"/v1/sweeps/{sweep}/export") == document


def test_an_import_in_parts_replays_and_moves_on(server, document):
    sweep = send(server, document).json["sweep"]
    replayed = server.get(f"/v1/sweeps/{sweep}/replay")
    assert replayed["differing"] == 0 and replayed["leases"] == TRIALS, replayed
    note = server.ask("POST", "/v1/notes", {"request_id": "n", "on": "tr_3", "text": "of a trial"})
    assert note.status in (200, 201), note
    server.post(f"/v1/sweeps/{sweep}/edit", {"request_id": "e", "trials": TRIALS + 1})
    grant = server.acquire(server.join())
    assert grant["attempt"].startswith(f"rn_{TRIALS + 1}.")


def test_a_standby_that_takes_over_in_an_import_drops_it(sync_pair, document):  # noqa: F811
    a, b = sync_pair.a, sync_pair.b
    own = a.submit(sweep_spec())
    assert ends_in_an_import(a, b, document)
    dropped = half(b)
    assert own in listed(b) and dropped not in listed(b)
    promote(b)
    shutil.rmtree(a.folder)
    sync_pair.follow(a, b)
    assert until(lambda: health(b).get("role") == "primary", SECONDS)
    assert [part for _, part, _ in parts(b)][-1] == "dropped"
    assert own in listed(b) and dropped not in listed(b)
    caught_up(a, b)
    assert parts(a) == parts(b)
    sweep = send(b, document).json["sweep"]
    caught_up(a, b)
    for one in (a, b):
        assert one.get(f"/v1/sweeps/{sweep}/export") == document


def ends_in_an_import(primary, standby, document):
    """Kills the primary once its standby has a part of an import, but not the last."""
    port = primary.port
    for _ in range(20):
        before = len(parts(standby))
        importing, _ = in_background(lambda: try_to_send(primary, document))
        while importing.is_alive() and len(parts(standby)) == before:
            pass
        primary.kill()
        importing.join()
        if parts(standby)[-1][1] in ("first", "further"):
            return True
        primary.start(port)
        caught_up(standby, primary)
    return False


def check(server):
    return ok("db", "check", "--data", str(server.folder))


def test_a_folder_with_half_of_an_import_has_nothing_to_repair(server, document):
    server.submit(sweep_spec())
    kill_in_an_import(server, document)
    for _ in range(2):
        check(server)
        assert "nothing to repair" in ok("db", "repair", "--data", str(server.folder))
        server.start()
        assert [part for _, part, _ in parts(server)][-1] == "dropped"
        server.stop()


def damage(server, seq):
    """As test_doors: an event that cannot be read, in a folder of an earlier hone."""
    for name in ("book.snapshot", "ledger.mark"):
        (server.folder / name).unlink(missing_ok=True)
    with sqlite3.connect(server.folder / "hone.db") as db:
        db.execute("DROP TRIGGER IF EXISTS event_kept")
        db.execute("UPDATE event SET body = replace(body, '\"request_id\":', '\"odd\":')"
                   " WHERE seq = ?", (seq,))
        db.execute("UPDATE event SET link = NULL")
        db.commit()


@pytest.mark.parametrize("damaged", [0, 1, -1])
def test_an_import_of_which_a_part_cannot_be_read_is_repaired(server, document, damaged):
    own = server.submit(sweep_spec())
    sweep = send(server, document).json["sweep"]
    server.post("/v1/notes", {"request_id": "n", "on": "tr_3", "text": "of its trial"})
    server.stop()
    damage(server, parts(server)[damaged][0])
    server.start()
    assert server.get(f"/v1/sweeps/{sweep}")["state"] == "quarantined"
    assert server.get(f"/v1/sweeps/{own}")["state"] == "running"
    server.stop()
    assert hone("db", "check", "--data", str(server.folder)).returncode != 0
    report = json.loads(ok("db", "repair", "--data", str(server.folder), "--format", "json"))
    assert [one["sweep"] for one in report["sweeps"]] == [sweep], report
    check(server)
    server.start()
    assert [one["id"] for one in server.get("/v1/sweeps")["items"]] == [own]
    assert server.ask("GET", f"/v1/sweeps/{sweep}").status == 404
    again = send(server, document).json["sweep"]
    assert server.get(f"/v1/sweeps/{again}/export") == document
    server.stop()
    check(server)
