"""`hone db`: check a data folder, back it up while a server writes to it, and damage it."""
import hashlib
import json
import shutil
import sqlite3
import subprocess

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
