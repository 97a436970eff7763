"""`hone doctor --fix`: what it finds wrong it changes, after a question or with --yes, and nothing else."""
import hashlib
import json
import os
import pty
import sqlite3
import stat
import subprocess

from commands import hone, written_on
from conftest import ROOT, program, sweep_spec


def lines(done):
    """Health and detail by what was looked at."""
    return {one["what"]: (one["health"], one["detail"]) for one in json.loads(done.stdout)}


def doctor(server, *words):
    return hone("doctor", "--data", server.folder, *words, "--format", "json", server=server)


def answered(server, answer):
    """`hone doctor --fix` on a terminal where a user types `answer`."""
    controller, terminal = pty.openpty()
    environment = {**os.environ, "HONE_SERVER": f"http://127.0.0.1:{server.port}"}
    process = subprocess.Popen([program("hone"), "doctor", "--data", server.folder, "--fix"],
                               stdin=terminal, stderr=terminal, stdout=subprocess.PIPE,
                               env=environment)
    os.close(terminal)
    os.write(controller, answer)
    out, _ = process.communicate(timeout=60)
    text = written_on(controller)
    return process.returncode, out.decode(), text.decode()


def mode(folder):
    return stat.S_IMODE(folder.stat().st_mode)


def test_a_folder_that_others_may_read(server):
    assert "access" not in lines(doctor(server))
    server.folder.chmod(0o755)
    health, detail = lines(doctor(server))["access"]
    assert health == "warn" and "other users" in detail and mode(server.folder) == 0o755
    refused = doctor(server, "--fix")
    assert refused.returncode == 2 and "add --yes" in refused.stderr
    status, out, text = answered(server, b"n\n")
    assert status == 0 and "let only you read" in text and mode(server.folder) == 0o755
    status, out, text = answered(server, b"y\n")
    assert status == 0 and "only you can read" in out and mode(server.folder) == 0o700
    server.folder.chmod(0o750)
    assert lines(doctor(server, "--yes"))["access"][0] == "ok" and mode(server.folder) == 0o700
    assert "nothing here is for hone doctor to fix" in doctor(server, "--yes").stderr


def test_a_quarantined_worker(server):
    first = server.join()
    server.join()
    server.submit(sweep_spec(search={"method": "random", "trials": 9}))
    for _ in range(3):
        lease = server.acquire(first)["lease"]
        server.post(f"/v1/leases/{lease}/end", {"reason": "exit_code", "exit_code": 1,
                                                "detail": "the disk is gone", "log_tail": "",
                                                "failure": "infra"})
    health, detail = lines(doctor(server))["quarantine"]
    assert health == "warn" and detail.startswith(f"{first} on ") and "hone workers allow" in detail
    assert server.get(f"/v1/workers/{first}")["aside_until"]
    assert lines(doctor(server, "--yes"))["quarantine"] == ("ok", f"{first} gets runs again")
    assert server.get(f"/v1/workers/{first}")["aside_until"] is None
    assert "quarantine" not in lines(doctor(server))


def older_folder(folder):
    """A data folder without the newest step of the schema."""
    steps = sorted((ROOT / "db" / "migrations").glob("*.sql"))[:-1]
    folder.mkdir(mode=0o700)
    with sqlite3.connect(folder / "hone.db") as raw:
        raw.execute(f"PRAGMA application_id = {int.from_bytes(b'hone', 'big')}")
        raw.execute("CREATE TABLE migration (version INTEGER PRIMARY KEY, name TEXT NOT NULL, "
                    "sha256 TEXT NOT NULL) STRICT")
        for version, step in enumerate(steps, 1):
            raw.executescript(step.read_text())
            raw.execute("INSERT INTO migration VALUES (?, ?, ?)",
                        (version, step.stem, hashlib.sha256(step.read_bytes()).hexdigest()))
            raw.execute(f"PRAGMA user_version = {version}")


def test_a_folder_of_an_older_hone(tmp_path):
    folder = tmp_path / "data"
    older_folder(folder)

    def look(*words):
        return lines(hone("doctor", "--data", folder, *words, "--format", "json"))

    assert look()["schema"][0] == "warn"
    assert look("--yes")["schema"] == ("ok", "upgraded; the copy is next to it")
    assert "schema" not in look() and list(folder.glob("*.backup"))
