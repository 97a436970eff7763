"""Trial programs that misbehave: each ends in a named state and leaves no process behind."""
import sys

import pytest

from commands import hone, ok, write_spec
from conftest import sweep_spec
from playing import playing, strays
from test_worker import Worker, wait_for

PRELUDE = r'''
import json, os, signal, sys, time
out = sys.stdout
def report(phase):
    report = {"phase": phase, "step": (phase + 1) * 10, "value": 1.0}
    print("@hone " + json.dumps({"report": report}), flush=True)
'''


@pytest.fixture
def play(server, tmp_path):
    """Runs one program as the only trial of a sweep; its run when it has ended."""
    with playing(server, tmp_path) as play_sweep:
        def play_one(program, limits=None, phases=1, trials=1, **changes):
            path = tmp_path / "program.py"
            path.write_text(PRELUDE + program)
            return play_sweep(sweep_spec(
                command=[sys.executable, str(path), str(tmp_path)],
                search={"method": "random", "trials": trials},
                budget={"unit": "steps", "per_run": 10 * phases, "phases": phases},
                limits=limits or {"max_retries": 0},
                **changes))

        yield play_one


@pytest.mark.parametrize("program, state, reason, failure", [
    ("os.kill(os.getpid(), signal.SIGKILL)", "failed", "retries_exhausted", "infra"),
    ("os.kill(os.getpid(), signal.SIGSEGV)", "failed", "retries_exhausted", "crash"),
    ("os.kill(os.getpid(), signal.SIGTERM)", "failed", "retries_exhausted", None),
    ("raise ValueError('lr')", "failed", "exit_code", "user_error"),
    ("raise MemoryError('a lot')", "failed", "retries_exhausted", "oom"),
    (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (1 << 28, 1 << 28)); bytearray(1 << 30)",
     "failed", "retries_exhausted", "oom"),
    ("raise OSError(28, os.strerror(28))", "failed", "retries_exhausted", "infra"),
    ("sys.exit(86)", "failed", "infeasible", "infeasible"),
    ("sys.exit(0)", "failed", "no_report", "user_error"),
], ids=["sigkill", "sigsegv", "sigterm", "exception", "memory_error", "address_space", "disk_full",
        "infeasible", "silent"])
def test_every_end_has_its_class(play, program, state, reason, failure):
    if failure is None:
        # A preemption costs no retry: it would be tried again a thousand times.
        program = ("if os.path.exists(sys.argv[1] + '/second'): report(0); sys.exit(0)\n"
                   "open(sys.argv[1] + '/second', 'w')\n" + program)
        assert play(program)["state"] == "completed"
        return
    run = play(program)
    assert (run["state"], run["reason"], run["failure"]) == (state, reason, failure), run


def test_a_program_that_hangs_is_ended_and_tried_once_more(play):
    run = play("report(0)\ntime.sleep(1000)", limits={"phase": 1, "max_retries": 5}, phases=3)
    assert (run["state"], run["reason"], run["failure"],
            run["attempts"]) == ("stopped", "time_limit", "timed_out", 2), run
    assert run["phase"] == 1


def test_a_program_that_ignores_term_is_killed(play):
    run = play("signal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(1000)", limits={"run": 1})
    assert (run["state"], run["reason"], run["failure"]) == ("failed", "time_limit",
                                                             "timed_out"), run


def test_children_in_sessions_of_their_own_end_with_it(play, tmp_path):
    run = play("for own in (False, True, True):\n"
               "    if os.fork() == 0:\n"
               "        if own: os.setsid()\n"
               "        if own and os.fork(): os._exit(0)\n"
               "        os.execv('/bin/sleep', ['sleep', '1000'])\n"
               "report(0)")
    assert run["state"] == "completed"
    wait_for(lambda: not strays(tmp_path))


def test_a_program_that_stops_its_keeper_still_ends(play):
    """Its run stayed `running`, and its slot taken: the stopped keeper did not see its end."""
    run = play("def stopped():\n"
               "    with open(f'/proc/{os.getppid()}/stat') as stat:\n"
               "        return stat.read().rsplit(')', 1)[1].split()[0] == 'T'\n"
               "os.kill(os.getppid(), signal.SIGSTOP)\n"
               "while stopped(): time.sleep(0.01)\n"
               "report(0)\nos.kill(os.getppid(), signal.SIGSTOP)")
    assert run["state"] == "completed", run


def test_children_end_when_the_worker_is_killed(server, tmp_path):
    (tmp_path / "program.py").write_text(
        "import os, time\nfor own in (False, True):\n    if os.fork() == 0:\n        if own: os.setsid()\n"
        "        os.execv('/bin/sleep', ['sleep', '1000'])\nopen('%s/up', 'w')\ntime.sleep(1000)\n"
        % tmp_path)
    server.submit(sweep_spec(command=[sys.executable, str(tmp_path / "program.py")]))
    worker = Worker(server, tmp_path / "worker", slots=1)
    worker.ready()
    wait_for(lambda: (tmp_path / "up").exists() and len(strays(tmp_path)) == 3)
    worker.kill()
    wait_for(lambda: not strays(tmp_path))


def test_binary_output_and_long_lines_harm_nothing(play):
    run = play("os.write(1, bytes(range(256)) * 5000 + b'\\n')\n"
               "os.write(2, b'\\xff\\xfe\\x00 not text \\xc3\\x28\\n')\n"
               "os.write(1, b'@hone {\"report\": \\xff}\\n')\nreport(0)\nsys.exit(3)", phases=2)
    assert (run["state"], run["failure"]) == ("failed", "user_error"), run
    assert run["phase"] == 1


def test_watching_tells_what_a_failed_run_wrote_last(server, tmp_path):
    """One reads why at once, without asking for the runs and for one of them."""
    (tmp_path / "program.py").write_text("raise FileNotFoundError('no data here')\n")
    worker = Worker(server, tmp_path / "worker")
    worker.ready()
    file = write_spec(tmp_path, command=[sys.executable, str(tmp_path / "program.py")])
    watched = hone("submit", str(file), "--watch", server=server)
    assert watched.returncode == 10
    assert "4 runs failed" in watched.stderr
    assert "failed: FileNotFoundError: no data here\n" in watched.stderr
    assert "hone explain rn_" in watched.stderr
    assert worker.stop() == 0, worker.log_text()


def test_the_log_of_a_failed_run_follows_its_cause(play, server):
    """Slots and memory came first; the sentence about its attempt was one line with the log."""
    run = play("print('  the last words of the program')\nsys.exit(3)")
    text = ok("explain", run["id"], server=server)
    assert ":\n  the last words of the program\n\n" in text, text
    rest = text.partition("the last words of the program\n\n")[2]
    assert rest.startswith(f"Attempt {run['attempts']} started at"), text
    assert max(map(len, text.splitlines())) <= 80, text


def test_a_million_lines_harm_nothing(play, tmp_path):
    run = play("out.write('a line of no meaning\\n' * 1_000_000)\nout.flush()\nreport(0)")
    assert run["state"] == "completed", run


def test_a_million_metrics_harm_nothing(play):
    run = play(
        "line = '@hone ' + json.dumps({'metric': {'name': 'loss', 'step': 1, 'value': 1.0}}) + '\\n'\n"
               "out.write(line * 200_000)\nout.flush()\nreport(0)")
    assert run["state"] == "completed", run
