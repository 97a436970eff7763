"""`hone pause`, `resume`, `cancel` and `watch` against a running sweep."""
import os
import signal
import subprocess

from commands import hone, ok, write_spec
from conftest import program


def test_steer(server, tmp_path):
    sweep = ok("submit", str(write_spec(tmp_path)), "-q", server=server).strip()
    assert ok("pause", sweep, server=server) == f"{sweep} paused\n"
    assert ok("resume", sweep, server=server) == f"{sweep} running\n"
    assert hone("stop", "tr_1", server=server).returncode == 2
    assert hone("stop", "sw_9", server=server).returncode == 3
    assert ok("cancel", sweep, server=server).startswith(sweep)
    assert hone("pause", sweep, server=server).returncode == 4  # it has ended


def test_watch_follows_to_the_end(server, tmp_path):
    sweep = ok("submit", str(write_spec(tmp_path)), "-q", server=server).strip()
    watching = subprocess.Popen([program("hone"), "watch", sweep, "--every", "0.1"],
                                stdout=subprocess.PIPE, text=True,
                                stderr=subprocess.DEVNULL,
                                env={**os.environ,
                                     "HONE_SERVER": f"http://127.0.0.1:{server.port}"})
    first = watching.stdout.readline()
    assert f"{sweep}  running  0%" in first and "ETA --" in first
    ok("cancel", sweep, server=server)
    rest, _ = watching.communicate(timeout=30)
    assert "canceled" in rest.splitlines()[-1]
    assert watching.returncode == 11


def test_watch_leaves_the_sweep_alone_on_ctrl_c(server, tmp_path):
    sweep = ok("submit", str(write_spec(tmp_path)), "-q", server=server).strip()
    watching = subprocess.Popen([program("hone"), "watch", sweep], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True,
                                env={**os.environ,
                                     "HONE_SERVER": f"http://127.0.0.1:{server.port}"})
    watching.stdout.readline()
    watching.send_signal(signal.SIGINT)
    watching.communicate(timeout=30)
    assert watching.returncode in (130, -signal.SIGINT)
    assert server.get(f"/v1/sweeps/{sweep}")["state"] == "running"
