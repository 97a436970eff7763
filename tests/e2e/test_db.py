"""`hone db`: check a data folder, back it up while a server writes to it, and damage it."""
import hashlib
import json
import shutil
import sqlite3
import subprocess

import pytest

from commands import hone, ok
from conftest import Server, program, sweep_spec


def db(*words, expect=0):
    done = subprocess.run([program("hone"), "db", *map(str, words), "--format", "json"],
                          capture_output=True, text=True,
                          timeout=60)
    assert done.returncode == expect, done.stdout + done.stderr
    return json.loads(done.stdout) if expect in (0, 1) and done.stdout else done.stderr


def health(folder, expect=0):
    return {one["what"]: one for one in db("check", "--data", folder, expect=expect)}


def fill(server):
    """A sweep with one run, its report and its checkpoint. Answers the checkpoint's digest."""
    server.submit(sweep_spec(), request_id="kept")
    grant = server.acquire(server.join())
    server.report(grant, 0, 3.5)
    digest = hashlib.sha256(b"state").hexdigest()
    server.ask("PUT", f"/v1/blobs/{digest}", b"state")
    server.post(f"/v1/leases/{grant['lease']}/models", {"sha256": digest, "bytes": 5, "step": 250,
                                                        "phase": 0})
    return digest


def test_check_finds_a_sound_folder_sound_while_its_server_runs(server):
    fill(server)
    found = health(server.folder)
    assert {one["health"] for one in found.values()} == {"ok"}, found
    assert set(found) == {"file", "foreign keys", "ledger", "links", "snapshot", "query tables",
                          "blobs", "orphans"}


def test_backup_of_a_running_server_is_a_data_folder(server, tmp_path):
    digest = fill(server)
    copy = tmp_path / "copy"
    done = db("backup", copy, "--data", server.folder)
    assert done["blobs"] == 1 and done["events"] > 5
    server.submit(sweep_spec(), request_id="later")
    assert {one["health"] for one in health(copy).values()} == {"ok"}
    assert "exists already" in db("backup", copy, "--data", server.folder, expect=4)
    restored = Server(copy).start()
    assert restored.submit(sweep_spec(), request_id="kept") == "sw_1"
    assert restored.ask("GET", f"/v1/blobs/{digest}").body == b"state"
    assert len(restored.get("/v1/sweeps")["items"]) == 1
    restored.stop()


def test_check_names_what_is_damaged(server, tmp_path):
    digest = fill(server)
    copy = tmp_path / "copy"
    db("backup", copy, "--data", server.folder)
    blob = copy / "blobs" / digest[:2] / digest[2:]
    blob.write_bytes(b"stale")
    found = health(copy, expect=1)
    assert found["blobs"]["health"] == "fail" and "1 damaged" in found["blobs"]["detail"]
    blob.unlink()
    assert "1 missing" in health(copy, expect=1)["blobs"]["detail"]
    with sqlite3.connect(copy / "hone.db") as raw:
        raw.execute("UPDATE run SET reports = 7")
    assert "run" in health(copy, expect=1)["query tables"]["detail"]
    shutil.copytree(copy, tmp_path / "cut")
    with open(tmp_path / "cut" / "hone.db", "r+b") as file:
        file.truncate(8 * 4096)
    done = subprocess.run([program("hone"), "db", "check", "--data", str(tmp_path / "cut")],
                          capture_output=True, text=True,
                          timeout=60)
    assert done.returncode in (1, 2) and "restore" in done.stdout + done.stderr


def test_upgrade_has_nothing_to_do_and_refuses_beside_a_server(server):
    assert "another hone server" in db("upgrade", "--data", server.folder, expect=4)
    server.stop()
    assert db("upgrade", "--data", server.folder) == {"upgraded": False, "from": None, "to": None,
                                                      "backup": None}


def test_a_folder_without_a_database_is_not_found(tmp_path):
    assert "--data" in db("check", "--data", tmp_path, expect=3)
    assert f"--data {tmp_path}" in db("check", tmp_path, expect=2)


def tamper(folder, *statements):
    """Changes the database as another program can: without the triggers that keep the ledger."""
    with sqlite3.connect(folder / "hone.db") as raw:
        triggers = raw.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for (name,) in triggers:
            raw.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            assert raw.execute(statement).rowcount > 0, statement


def link_anew(folder):
    """Gives every event the link that fits it, as a forger would who has read hone's source."""
    with sqlite3.connect(folder / "hone.db") as raw:
        link = b""
        for seq, at, kind, sweep, body in raw.execute(
                "SELECT seq, at, kind, sweep, body FROM event ORDER BY seq").fetchall():
            head = f"{seq} {at} {kind} {'-' if sweep is None else sweep}\n"
            link = hashlib.sha256(link + head.encode() + body.encode()).digest()
            raw.execute("UPDATE event SET link = ? WHERE seq = ?", (link, seq))


@pytest.fixture
def judged(server):
    """A sweep of two runs whose second was stopped; the ledger's newest link, as its user kept it.
    """
    spec = sweep_spec()
    spec["search"]["trials"] = 2
    spec["terminator"] = {"rule": "median", "min_runs": 1, "grace": 1}
    server.submit(spec)
    worker = server.join()
    for value in (9.0, 1.0):
        grant = server.acquire(worker)
        for phase in range(spec["budget"]["phases"]):
            if server.report(grant, phase, value)["verdict"] == "stop":
                break
    return server, ok("events", "--head", server=server).strip()


VALUE = "'$.value', 7.5"
TAMPERED = {
    "a report's row": ["UPDATE report SET value = 7.5 WHERE trial = 2 AND phase = 0"],
    "a report in the ledger": [f"UPDATE event SET body = json_set(body, {VALUE}) WHERE seq = "
                               "(SELECT max(seq) FROM event WHERE kind = 'report_recorded')"],
    "a verdict's inputs": ["UPDATE event SET body = json_set(body, '$.inputs', json('{}'))"
                           " WHERE seq = (SELECT max(seq) FROM event WHERE kind = 'verdict_given')"],
    "a best value": ["UPDATE trial SET cost = -7.5 WHERE id = 2"],
}


@pytest.mark.parametrize("what", TAMPERED)
def test_a_changed_data_folder_is_told_from_a_sound_one(judged, what):
    server, _ = judged
    server.stop()
    assert health(server.folder)["links"]["health"] == "ok"
    tamper(server.folder, *TAMPERED[what])
    findings = health(server.folder, expect=1)
    broken = {name for name, one in findings.items() if one["health"] == "fail"}
    expected = "query tables" if what in ("a report's row", "a best value") else "links"
    assert expected in broken, findings
    told = findings[expected]["detail"]
    assert "was changed" in told or "another program changed" in told


def test_a_forger_who_links_the_events_anew_is_revealed_by_a_kept_link(judged):
    server, kept = judged
    server.stop()
    assert health_with(server.folder, kept)["kept link"]["health"] == "ok"
    tamper(server.folder, TAMPERED["a report in the ledger"][0])
    link_anew(server.folder)
    assert health(server.folder, expect=1)["links"]["health"] == "ok"
    found = health_with(server.folder, kept, expect=1)
    assert found["kept link"]["health"] == "fail" and "was changed" in found["kept link"]["detail"]


def health_with(folder, kept, expect=0):
    found = db("check", "--data", folder, "--link", kept, expect=expect)
    return {one["what"]: one for one in found}


def test_a_link_that_is_none_is_refused(server):
    assert "EVENT:DIGITS" in db("check", "--data", server.folder, "--link", "7:abc", expect=2)


def test_explain_recomputes_a_verdict_from_the_reports_and_not_from_its_own_inputs(judged):
    server, _ = judged
    ok("explain", "rn_2.0", "--recompute", server=server)
    server.stop()
    tamper(server.folder, *TAMPERED["a report in the ledger"])
    link_anew(server.folder)
    (server.folder / "book.snapshot").unlink(missing_ok=True)
    server.start()
    done = hone("explain", "rn_2.0", "--recompute", server=server)
    assert done.returncode == 1, done.stdout
    assert "do not follow from its reports" in done.stderr
