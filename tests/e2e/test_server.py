"""hone-server as a process: what survives a crash, and when it refuses to start."""
import hashlib
import http.client
import os
import socket
import subprocess
import sys
import time

import pytest

from conftest import STOP_SECONDS, Server, program, sweep_spec


def test_kill_and_restart_keeps_everything(server):
    sweep = server.submit(sweep_spec(), request_id="kept")
    worker = server.join()
    grant = server.acquire(worker)
    run = grant["attempt"].split("#")[0]
    assert server.report(grant, 0, 3.5)["verdict"] == "continue"
    blob = b"state"
    digest = hashlib.sha256(blob).hexdigest()
    server.ask("PUT", f"/v1/blobs/{digest}", blob)
    model = server.post(f"/v1/leases/{grant['lease']}/models",
                        {"sha256": digest, "bytes": 5, "step": 250, "phase": 0})["model"]
    reads = [f"/v1/sweeps/{sweep}", f"/v1/runs/{run}", f"/v1/runs/{run}/curve",
             f"/v1/models/{model}",
             f"/v1/runs/{run}/explain", f"/v1/lineage/{model}"]
    def answers():
        """Without what grows while a run trains: the time left and the time of its work."""
        return [{key: value for key, value in server.get(path).items()
                 if key not in ("eta", "work")} for path in reads]

    before = answers()
    server.kill()
    server.start()
    assert answers() == before
    assert server.ask("GET", f"/v1/blobs/{digest}").body == blob
    assert server.submit(sweep_spec(), request_id="kept") == sweep
    beat = server.post(f"/v1/workers/{worker}/beat", {"leases": [grant["lease"]]})
    assert beat["leases"][0]["order"] == "none"
    assert server.report(grant, 1, 4.5)["verdict"] == "continue"


def test_full_disk_ends_the_server_and_loses_nothing_it_acknowledged(tmp_path):
    server = Server(tmp_path / "data", file_bytes_max=1_500_000).start()
    acknowledged = []
    with pytest.raises((http.client.HTTPException, ConnectionError)):
        while len(acknowledged) < 10_000:
            acknowledged.append(server.submit(sweep_spec(), request_id=f"r{len(acknowledged)}"))
    assert server.process.wait(STOP_SECONDS) == 70
    assert "could not be written" in server.log_text()
    assert acknowledged
    again = Server(tmp_path / "data").start()
    for number, sweep in enumerate(acknowledged[-20:], len(acknowledged) - len(acknowledged[-20:])):
        assert again.submit(sweep_spec(), request_id=f"r{number}") == sweep
    again.stop()


def test_server_ends_with_its_parent(tmp_path):
    parent = (
        "import subprocess, sys; child = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE); "
              "print(child.stdout.readline().decode(), flush=True)")
    done = subprocess.run([sys.executable, "-c", parent, program("hone-server"), "--data",
                           str(tmp_path / "data"),
                           "--listen", "127.0.0.1:0", "--die-with-parent"], capture_output=True,
                          text=True, timeout=30)
    port = int(done.stdout.strip().rsplit(":", 1)[1])
    deadline = time.monotonic() + STOP_SECONDS
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
        except ConnectionRefusedError:
            return
    pytest.fail("the server outlived its parent")


def start_and_fail(*arguments):
    done = subprocess.run([program("hone-server"), *arguments], capture_output=True, text=True,
                          timeout=30)
    assert done.stdout == ""
    return done.returncode, done.stderr


def test_second_server_on_the_same_data_is_refused(server):
    status, text = start_and_fail("--data", str(server.folder), "--listen", "127.0.0.1:0")
    assert status == 1 and text.count("\n") == 1
    assert str(server.process.pid) in text
    assert server.get("/healthz")["status"] == "ok"


def test_port_in_use_is_refused(server, tmp_path):
    status, text = start_and_fail("--data", str(tmp_path / "other"), "--listen",
                                  f"127.0.0.1:{server.port}")
    assert status == 1 and text.count("\n") == 1
    assert str(server.port) in text and "--listen" in text


def test_open_address_needs_insecure(tmp_path):
    status, text = start_and_fail("--data", str(tmp_path / "data"), "--listen", "0.0.0.0:0")
    assert status == 1 and "--insecure" in text and "TLS" in text
    assert not (tmp_path / "data").exists()


def test_bad_command_lines_are_refused(tmp_path):
    assert start_and_fail()[0] == 2
    assert start_and_fail("--data", str(tmp_path / "d"), "--lsten", "127.0.0.1:0")[0] == 2
    status, text = start_and_fail("--data", str(tmp_path / "d"), "--listen", "here")
    assert status == 1 and "127.0.0.1:7777" in text
    status, text = start_and_fail("--data", "/proc/hone", "--listen", "127.0.0.1:0")
    assert status == 1 and "/proc/hone" in text


def test_a_failed_sync_ends_the_server_and_loses_nothing_it_acknowledged(tmp_path, monkeypatch):
    broken = tmp_path / "broken"
    monkeypatch.setenv("LD_PRELOAD", program("failing_sync.so"))
    monkeypatch.setenv("HONE_FAILING_SYNC", str(broken))
    server = Server(tmp_path / "data").start()
    assert server.submit(sweep_spec(), request_id="kept") == "sw_1"
    broken.touch()
    with pytest.raises((OSError, http.client.HTTPException)):
        server.submit(sweep_spec(), request_id="in doubt")
    assert server.process.wait(STOP_SECONDS) == 70
    assert "could not be written" in server.log_text()
    broken.unlink()
    server.start()
    assert server.submit(sweep_spec(), request_id="kept") == "sw_1"
    assert server.submit(sweep_spec(), request_id="in doubt") == "sw_2"
    assert server.stop() == 0


def test_a_folder_that_may_not_be_written_is_refused(tmp_path):
    server = Server(tmp_path / "data").start()
    server.submit(sweep_spec())
    assert server.stop() == 0
    stranger = 65534 if os.geteuid() == 0 else None  # root may write anywhere
    for entry in [server.folder, *server.folder.rglob("*")]:
        entry.chmod(0o555 if entry.is_dir() else 0o444)
    os.chmod(tmp_path, 0o755)
    done = subprocess.run([program("hone-server"), "--data", str(server.folder), "--listen",
                           "127.0.0.1:0"],
                          capture_output=True, text=True, timeout=30, user=stranger)
    for entry in [server.folder, *server.folder.rglob("*")]:
        entry.chmod(0o755 if entry.is_dir() else 0o644)
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and str(
        server.folder) in done.stderr, done.stderr
    assert server.start().submit(sweep_spec()) == "sw_2"
    assert server.stop() == 0


def test_data_of_another_program_is_refused(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "hone.db").write_bytes(b"this is no database" * 1000)
    status, text = start_and_fail("--data", str(tmp_path / "data"), "--listen", "127.0.0.1:0")
    assert status == 1 and text.strip()
