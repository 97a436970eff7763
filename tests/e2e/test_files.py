"""Files of servers and workers: their modes, and what a start makes of damaged ones."""
import os
import random
import shutil
import sqlite3
import stat
import subprocess

import pytest

from conftest import START_SECONDS, Server, program, sweep_spec

DAMAGES = int(os.environ.get("HONE_DAMAGES", "40"))  # 400 take two minutes
NOTES = 200


def open_to_others(folder):
    """The paths that other accounts may use, as far as they can come."""
    def mode(path):
        return stat.S_IMODE(path.lstat().st_mode)

    if not mode(folder) & 0o077:
        return []
    return [path for path in folder.rglob("*") if not path.is_socket() and mode(path) & 0o077]


def test_data_folder_is_for_its_owner_alone(tmp_path):
    old = os.umask(0)
    try:
        server = Server(tmp_path / "deep" / "data").start()
    finally:
        os.umask(old)
    server.submit(sweep_spec())
    assert stat.S_IMODE(server.folder.stat().st_mode) == 0o700
    server.folder.chmod(0o755)  # as the folder of an earlier hone
    assert open_to_others(server.folder) == []
    (server.folder / "hone.db").chmod(0o644)
    assert server.stop() == 0
    server.start()
    assert stat.S_IMODE(server.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((server.folder / "hone.db").stat().st_mode) == 0o600
    backup = tmp_path / "backup"
    subprocess.run([program("hone"), "db", "backup", str(backup), "--data", str(server.folder)],
                   check=True, capture_output=True)
    assert stat.S_IMODE(backup.stat().st_mode) == 0o700
    assert server.stop() == 0, server.log_text()


def test_folders_of_workers_are_for_their_owner_alone(server, tmp_path):
    data = tmp_path / "worker"
    data.mkdir(mode=0o755)  # made by the user: it keeps its mode
    report = "echo '@hone {\"report\": {\"step\": 1, \"value\": 1}}'"
    server.submit(sweep_spec(command=["sh", "-c", report]))
    subprocess.run([program("hone-worker"), "--server", f"http://127.0.0.1:{server.port}",
                    "--data", str(data), "--until-idle"], check=True, capture_output=True)
    for name in ("runs", "logs", "spool", "cache"):
        assert stat.S_IMODE((data / name).stat().st_mode) == 0o700, name


def refusal(server):
    """The sentence with which a server refuses to start."""
    command = [program("hone-server"), "--data", str(server.folder), "--listen", "127.0.0.1:0"]
    done = subprocess.run(command, capture_output=True, timeout=START_SECONDS, text=True)
    assert done.returncode == 1, (done.returncode, done.stderr)
    return done.stderr


@pytest.fixture
def killed(tmp_path):
    """A server that was killed, so that its newest events are in the log alone."""
    server = Server(tmp_path / "data").start()
    server.submit(sweep_spec())
    for number in range(NOTES):
        server.post("/v1/notes", {"request_id": str(number), "on": "sw_1", "text": "x" * 100})
    server.kill()
    assert (server.folder / "hone.db-wal").stat().st_size > 0
    return server


def cut(log):
    os.truncate(log, log.stat().st_size // 2)


def scribble(log):
    with open(log, "r+b") as file:
        file.seek(log.stat().st_size // 3)
        file.write(b"\xa5" * 4096)


@pytest.mark.parametrize("damage", [cut, scribble, os.remove])
def test_a_log_that_lost_acknowledged_events_is_refused_and_left_alone(killed, tmp_path, damage):
    log = killed.folder / "hone.db-wal"
    shutil.copy(log, tmp_path / "kept")
    damage(log)
    damaged = log.read_bytes() if log.exists() else None
    said = refusal(killed)
    assert f"but event {NOTES + 3} was acknowledged" in said and "ledger.mark" in said, said
    assert (log.read_bytes() if log.exists() else None) in (damaged, b"", None)
    shutil.copy(tmp_path / "kept", log)
    killed.start()
    assert len(killed.get("/v1/about/sw_1")["notes"]) == NOTES
    assert killed.stop() == 0


def test_an_older_database_is_opened_once_the_user_accepts_the_loss(tmp_path):
    server = Server(tmp_path / "data").start()
    server.submit(sweep_spec(name="first"))
    assert server.stop() == 0
    shutil.copy(server.folder / "hone.db", tmp_path / "older")
    server.start()
    server.submit(sweep_spec(name="second"))
    assert server.stop() == 0
    shutil.copy(tmp_path / "older", server.folder / "hone.db")
    assert "was acknowledged" in refusal(server)
    os.remove(server.folder / "hone.db")
    assert "ends with event 0" in refusal(server), "a database that is gone is not a new one"
    shutil.copy(tmp_path / "older", server.folder / "hone.db")
    (server.folder / "ledger.mark").unlink()
    server.start()
    assert [sweep["name"] for sweep in server.get("/v1/sweeps")["items"]] == ["first"]
    assert server.stop() == 0


def quick_check(file):
    """Whether SQLite finds the structure of the database intact."""
    try:
        with sqlite3.connect(file) as db:
            return db.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok"
    except sqlite3.DatabaseError:
        return False


def test_a_database_with_a_damaged_structure_is_refused(tmp_path):
    server = Server(tmp_path / "data").start()
    server.submit(sweep_spec())
    for number in range(NOTES):
        server.post("/v1/notes", {"request_id": str(number), "on": "sw_1", "text": "x" * 100})
    assert server.stop() == 0
    original = (server.folder / "hone.db").read_bytes()
    found = 0
    for seed in range(DAMAGES):
        rng = random.Random(seed)
        at = rng.randrange(len(original) - 64)
        database = bytearray(original)
        database[at:at + 64] = rng.randbytes(64)
        for name in ("hone.db-wal", "hone.db-shm", "book.snapshot"):
            (server.folder / name).unlink(missing_ok=True)
        (server.folder / "hone.db").write_bytes(database)
        if quick_check(server.folder / "hone.db"):
            continue  # the damage is in a value, or in no value
        found += 1
        assert refusal(server).startswith("hone-server: "), (seed, at)
    assert found >= DAMAGES // 10, "the damages damage nothing"
