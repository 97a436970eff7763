"""Logs of runs over real sockets: running and ended runs, workers that die, and hostile output."""
import base64
import json
import subprocess
import sys

import pytest

from commands import hone, ok
from conftest import START_SECONDS, Server, program, sweep_spec
from test_worker import Worker, wait_for

REPORT = "print('@hone ' + '{\"report\": {\"step\": 10, \"value\": 1}}', flush=True)\n"
# Waits for a file, so that a test decides when the program continues.
WAIT = "import os, time\nwhile not os.path.exists({0!r}): time.sleep(0.02)\n"


class Lab:
    def __init__(self, server, folder):
        self.server, self.folder = server, folder
        self.worker = Worker(server, folder / "worker", slots=1)
        self.worker.ready()

    def start(self, code, retries=0):
        """Submits a sweep of one run of the program; the run's id once it is running."""
        script = self.folder / "program.py"
        script.write_text(code)
        sweep = self.server.submit(sweep_spec(
            command={"run": [sys.executable, "-u", str(script)]}, objective={"metric": "score"},
            parameters={"lr": {"type": "fixed", "value": 0.5}},
            search={"method": "random", "trials": 1},
            budget={"unit": "steps", "per_run": 10, "phases": 1},
            limits={"max_retries": retries}))
        wait_for(lambda: self.server.get(f"/v1/sweeps/{sweep}/trials")["items"])
        trial = self.server.get(f"/v1/sweeps/{sweep}/trials")["items"][0]["id"]
        run = "rn_" + trial[3:] + ".0"
        wait_for(lambda: self.server.get(f"/v1/runs/{run}")["attempts"] > 0)
        return run

    def go(self, name="go"):
        (self.folder / name).touch()

    def ended(self, run):
        wait_for(lambda: self.server.get(f"/v1/runs/{run}")["ended_at"], seconds=60)
        wait_for(lambda: not self.server.get(f"/v1/runs/{run}/log")["growing"], seconds=60)

    def wait(self, name="go"):
        return WAIT.format(str(self.folder / name))


@pytest.fixture
def server(tmp_path):
    """Leases of 5 s: a heartbeat every second, after which a worker knows that its log is read."""
    one = Server(tmp_path / "data", "--lease", "5").start()
    yield one
    assert one.stop() == 0, one.log_text()


@pytest.fixture
def lab(server, tmp_path):
    lab = Lab(server, tmp_path)
    yield lab
    if lab.worker.process:
        lab.worker.stop()


def read_line(process):
    return process.stdout.readline()


def follow(server, run, *words):
    return subprocess.Popen([program("hone"), "--server", f"http://127.0.0.1:{server.port}",
                             "logs", run, "--follow", *words],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_the_log_of_a_running_run_is_shown_and_followed_to_its_end(lab, server):
    run = lab.start("print('first')\n" + lab.wait() + "print('second')\n" + REPORT)
    assert ok("logs", run, server=server) == "first\n"
    follower = follow(server, run)
    assert read_line(follower) == "first\n"
    lab.go()
    out, err = follower.communicate(timeout=60)
    assert follower.returncode == 0, err
    assert out.startswith("second\n") and "@hone" in out


def test_the_log_of_a_completed_run_stays_also_after_a_restart(lab, server):
    run = lab.start("import sys\nprint('to stderr', file=sys.stderr)\n"
                    "for i in range(100): print('line', i)\n" + REPORT)
    lab.ended(run)
    text = ok("logs", run, server=server)
    assert "to stderr\n" in text and "line 0\n" in text and "line 99\n" in text
    # The last one says that the program read no parameter.
    assert ok("logs", run, "--tail", "3", server=server).splitlines()[0] == "line 99"
    answer = server.get(f"/v1/runs/{run}/log?from=10&encoding=base64")
    assert base64.b64decode(answer["base64"]).decode() == text[10:]
    port = server.port
    server.stop()
    server.start(port)
    assert ok("logs", run, server=server) == text


def test_every_attempt_has_its_log_and_a_follower_moves_to_the_next(lab, server):
    run = lab.start("import json, os, sys\n"
                    "n = str(json.load(open(os.environ['HONE_RUN_FILE']))['attempt'])\n"
                    "print('attempt', n)\n" + lab.wait() +
                    "if n == '1': sys.exit(85)\n" + REPORT, retries=1)
    follower = follow(server, run)
    assert read_line(follower) == "attempt 1\n"
    lab.go()
    out, err = follower.communicate(timeout=60)
    assert out.startswith("attempt 2\n"), (out, err)
    assert f"--- {run}#2 ---" in err
    lab.ended(run)
    assert ok("logs", run, "--attempt", "1", server=server) == "attempt 1\n"
    assert ok("logs", f"{run}#1", server=server) == "attempt 1\n"
    assert hone("logs", run, "--attempt", "3", server=server).returncode == 3


def test_a_follower_ends_when_the_worker_dies_and_its_run_fails(lab, server):
    run = lab.start("print('alive')\n" + lab.wait())
    follower = follow(server, run, "--attempt", "1")
    assert read_line(follower) == "alive\n"
    lab.worker.kill()
    out, err = follower.communicate(timeout=90)
    assert follower.returncode == 0 and out == "", (out, err)
    assert not server.get(f"/v1/runs/{run}/log?attempt=1")["growing"]


def test_a_log_of_a_gigabyte_stays_bounded(lab, server):
    run = lab.start("import sys\nline = 'x' * 1023 + '\\n'\n"
                    "for _ in range(1024): sys.stdout.write(line * 1024)\n"
                    "print('the end')\n" + REPORT)
    lab.ended(run)
    answer = server.get(f"/v1/runs/{run}/log")
    assert answer["next"] > 2**30 and answer["next"] - answer["begins"] == 256 * 1024
    assert "the end\n" in ok("logs", run, "--tail", "3", server=server)
    kept = list((server.folder / "logs").iterdir())
    assert [file.stat().st_size for file in kept] == [256 * 1024]
    assert sum(f.stat().st_size for f in (lab.folder / "worker/logs").iterdir()) < 65 * 2**20


HOSTILE = b"\x1b]0;owned\x07\x1b[2J\x1b[31mred\x1b[0m\r50%\r\n\xe2\x80\xae\xc2\x9b1m\xff\x00\x7f\n"


def test_hostile_escape_sequences_are_shown_and_not_obeyed(lab, server):
    run = lab.start(f"import sys\nsys.stdout.buffer.write({HOSTILE!r})\nsys.stdout.flush()\n" +
                    REPORT)
    lab.ended(run)
    shown = ok("logs", run, server=server)
    harmless = "^[]0;owned^G^[[2Jred\n50%\n<U+202E><U+009B>1m\ufffd^@^?\n"
    assert shown.startswith(harmless), repr(shown)
    assert not set(shown.encode()) & (set(range(0x20)) - {0x0a, 0x09})
    raw = subprocess.run([program("hone"), "logs", run, "--raw", "--server",
                          f"http://127.0.0.1:{server.port}"], capture_output=True,
                         timeout=START_SECONDS)
    assert raw.stdout.startswith(HOSTILE)


def test_a_run_that_has_not_started_and_one_that_wrote_nothing_are_named(lab, server):
    run = lab.start("import json, os, socket\nlink = socket.socket(socket.AF_UNIX)\n"
                    "link.connect(os.environ['HONE_SOCKET'])\nlines = link.makefile('rw')\n"
                    "report = {'report': {'phase': 0, 'step': 10, 'value': 1}}\n"
                    "lines.write(json.dumps(report) + '\\n')\n"
                    "lines.flush(); lines.readline()\n")
    wait_for(lambda: server.get(f"/v1/runs/{run}")["ended_at"])
    silent = hone("logs", run, server=server)
    assert silent.returncode == 0 and silent.stdout == "" and "left no log" in silent.stderr
    assert hone("logs", "rn_99.0", server=server).returncode == 3


def test_a_worker_sends_logs_of_its_own_leases_only(server):
    worker, other = server.join(), server.join()
    server.submit(sweep_spec())
    grant = server.acquire(worker)
    path = f"/v1/workers/{other}/log?lease={grant['lease']}&last=true"
    answer = server.ask("POST", path, b"forged", {"Content-Type": "application/octet-stream"})
    assert answer.status == 409 and answer.json["code"] == "stale_lease", answer
    too_long = server.ask("POST", path.replace(other, worker), b"x" * (256 * 1024 + 1))
    assert too_long.status == 413, too_long
    run = grant["attempt"].split("#")[0]
    assert not server.get(f"/v1/runs/{run}/log")["received"]
    beat = server.post(f"/v1/workers/{worker}/beat", {"leases": [grant["lease"]]})
    assert beat["leases"][0]["log_wanted"] is True


def test_what_the_server_refuses_of_a_program_is_in_the_log_of_its_run(lab, server):
    """It was in the worker's log alone, and the run ended "without any report"."""
    further = {"report": {"step": 10, "value": 1, "further": [2]}}
    run = lab.start(f"print('@hone ' + '{json.dumps(further)}', flush=True)\n"
                    "for i in range(9):\n"
                    "    print('@hone {\"checkpoint\": {\"path\": \"/etc/passwd\", "
                    "\"step\": 10}}', flush=True)\n")
    wait_for(lambda: server.get(f"/v1/runs/{run}")["ended_at"])
    wait_for(lambda: "checkpoint was refused" in hone("logs", run, server=server).stdout)
    log = ok("logs", run, server=server)
    assert log.count("[hone: its report was refused: ") == 1, log
    assert log.count("is not inside HONE_CHECKPOINT_DIR") == 5, log
    assert "(further ones are not logged)" in log
    explained = ok("explain", run, server=server)
    assert "without any report: its report was refused: " in " ".join(explained.split()), explained
