"""The value of phase p is that of training p, however a program reports and whatever happens.

The full matrix of ways, rules and situations runs with HONE_SEAM_LONG=1.
"""
import itertools
import os
import sys

import pytest

import counting
from commands import ok
from conftest import ROOT
from test_worker import Worker, wait_for

LONG = "HONE_SEAM_LONG" in os.environ
RULES = ["none", "asha", "sha", "hyperband", "hone", "hypertrick", "pbt"]
PAUSING = {"asha", "sha", "hyperband", "hone"}
ROWS = [way for way in counting.WAYS if way not in ("sdk", "hone")]


def cells(*lists):
    """All combinations; in the short version every value of the longest list once."""
    if LONG:
        return list(itertools.product(*lists))
    count = max(map(len, lists))
    return [tuple(one[i % len(one)] for one in lists) for i in range(count)]


@pytest.fixture
def plays(server, tmp_path):
    """Runs sweeps to their ends, all at once; their names by the given keys."""
    worker = Worker(server, tmp_path / "worker", slots=6)
    worker.ready()

    def play(specs):
        sweeps = {key: server.submit(spec) for key, spec in specs.items()}
        ends = ("completed", "failed", "canceled")
        wait_for(lambda: all(server.get(f"/v1/sweeps/{sweep}")["state"] in ends
                             for sweep in sweeps.values()), seconds=600 if LONG else 120)
        return sweeps

    yield play
    assert worker.stop() == 0, worker.log_text()


def check(server, sweeps, complete=True):
    """Every value is that of its phase; each sweep has a run with all of its phases."""
    wrong = {key: found for key, sweep in sweeps.items()
             if (found := counting.wrong_phases(server, sweep))}
    assert not wrong, wrong
    for key, sweep in sweeps.items():
        most = max(run["phase"] for run in counting.runs_of(server, sweep))
        assert most == 9 or not complete, (key, counting.runs_of(server, sweep))


def test_every_way_to_report_in_a_fresh_run_is_true(server, tmp_path, plays):
    check(server, plays({cell: counting.spec(tmp_path, cell[0], rule=cell[1], trials=4)
                         for cell in cells(list(counting.WAYS), RULES)}))


@pytest.mark.parametrize("order", ["before", "after"])
def test_paused_and_resumed_runs_hold_the_value_of_their_training(server, tmp_path, plays, order):
    sweeps = plays({cell: counting.spec(tmp_path, cell[0], order, rule=cell[1], trials=9)
                    for cell in cells(list(counting.WAYS), sorted(PAUSING))})
    check(server, sweeps)
    resumed = [run for sweep in sweeps.values() for run in counting.runs_of(server, sweep)
               if run["attempts"] > 1]
    assert len(resumed) >= len(sweeps), "no run was resumed: nothing is tested"


@pytest.mark.parametrize("manner", [
    "crash", "after,crash",   # after the report; the checkpoint before or after it
    "between",                # between a checkpoint and its report
    "rarely,crash",           # the checkpoint is older than the newest report
    "forgets,crash",          # without a checkpoint
])
def test_crashed_and_resumed_runs_hold_the_value_of_their_training(server, tmp_path, plays, manner):
    ways = [way for way in counting.WAYS if not ("forgets" in manner and way == "sdk")]
    sweeps = plays({cell: counting.spec(tmp_path, cell[0], manner, rule=cell[1], trials=3)
                    for cell in cells(ways, RULES if "forgets" not in manner else RULES[:1])})
    check(server, sweeps)
    for cell, sweep in sweeps.items():
        # A fork that begins with the fourth epoch or later never trains it, so it does not crash.
        calm = [run for run in counting.runs_of(server, sweep)
                if counting.epochs_before(run) < 4 <= run["phase"] and run["attempts"] < 2]
        assert not calm, f"{cell}: they did not crash: {calm}"


@pytest.mark.parametrize("manner", ["", "own", "crash", "own,crash", "own,after,crash"])
def test_a_second_step_of_a_pipeline_counts_from_the_end_of_the_first(server, tmp_path, plays,
                                                                      manner):
    rules = [rule for rule in RULES if rule != "pbt"]  # rejects pipelines
    check(server, plays({cell: counting.pipeline(tmp_path, cell[0], manner, rule=cell[1], trials=4)
                         for cell in cells(list(counting.WAYS), rules)}))


@pytest.mark.parametrize("manner", ["before", "after", "rarely", "crash"])
def test_a_fork_counts_from_the_checkpoint_of_its_origin(server, tmp_path, plays, manner):
    sweeps = {way: server.submit(counting.spec(tmp_path, way, manner, trials=30,
                                               limits={"concurrency": 1}))
              for way in counting.WAYS}
    forks = {}
    for way, sweep in sweeps.items():
        origin = wait_for(lambda sweep=sweep: [
            run for run in counting.runs_of(server, sweep) if run["phase"] >= 6])[0]
        fork = {"request_id": way, "params": {"x": 0.5},
                "fork": {"run": origin["id"], "phase": 5}}
        # Its checkpoint may arrive after its report.
        wait_for(lambda sweep=sweep, fork=fork: server.ask(
            "POST", f"/v1/sweeps/{sweep}/enqueue", fork).status < 300)
    for way, sweep in sweeps.items():
        forks[way] = wait_for(lambda sweep=sweep: [
            run for run in counting.runs_of(server, sweep)
            if run["origin"] and run["phase"] == 9])[0]
    for way, fork in forks.items():
        curve = server.get(f"/v1/runs/{fork['id']}/curve")["items"]
        assert [int(point["value"]) for point in curve] == list(range(1, 10)), (way, curve)
        assert {point["value"] % 1 for point in curve[6:]} == {0.5}, (way, curve)
        server.post(f"/v1/sweeps/{sweeps[way]}/steer", {"verb": "cancel"})


def ended(server, plays, program, collect, phases=1, **command):
    """The only run of a sweep of a Python program, and its curve."""
    sweep = plays({0: counting.sweep_spec(
        command={"run": [sys.executable, "-S", "-c", program], "collect": collect, **command},
        objective={"metric": "loss", "goal": "minimize"}, limits={"max_retries": 0},
        parameters={"x": {"type": "fixed", "value": 1}}, search={"method": "random", "trials": 1},
        budget={"unit": "epochs", "per_run": phases, "phases": phases})})[0]
    run = counting.runs_of(server, sweep)[0]
    curve = server.get(f"/v1/runs/{run['id']}/curve")["items"]
    return run, [point["value"] for point in curve]


LOSS = {"format": "regex", "pattern": r"loss=(?<loss>\S+)"}


@pytest.mark.parametrize("program, collect, words", [
    ("import logging; logging.basicConfig(level=20); logging.info('epoch 1 loss=0.5')",
     {"stdout": True, **LOSS}, ["its values are in its standard error", "add stderr: true"]),
    ("print('loss=0.5')", {"stderr": True, **LOSS}, ["its standard output", "add stdout: true"]),
    ("open('/dev/null')", {"file": "out/results.csv"},
     ["there is no out/results.csv at ", "/files/out/results.csv"]),
    ("print('loss=12.5%')", {"stdout": True, **LOSS}, ["'12.5%' in 'loss' is not a number"]),
    ("pass", {"stdout": True, **LOSS}, ["its standard output was empty"]),
    ("print('hello')", {"stdout": True, **LOSS}, ["0 of the 1 line of its standard output match"]),
])
def test_a_run_without_a_report_says_what_was_missing(server, plays, program, collect, words):
    run, values = ended(server, plays, program, collect)
    assert values == [] and run["reason"] == "no_report", run
    assert all(word in run["detail"] for word in words), run["detail"]


def test_a_logger_on_stderr_is_collected(server, plays):
    _, values = ended(server, plays, "import logging; logging.basicConfig(level=20)\n"
                      "logging.info('epoch 1 loss=0.5')", {"stderr": True, **LOSS})
    assert values == [0.5]


def test_each_update_of_a_progress_bar_is_a_row(server, plays):
    _, values = ended(server, plays, "import sys\n"
                      "for e in range(1, 6):\n"
                      "    sys.stdout.write(f'\\r{e*10:3d}%|{\"#\"*e:<10}| {e}/5 [loss={1/e:.3f}]')\n"
                      "print()", {"stdout": True, "format": "regex", "step": "step",
                                  "pattern": r"(?<step>\d+)/5 .*loss=(?<loss>[-+.e\d]+)"}, phases=5)
    assert values == [1.0, 0.5, 0.333, 0.25, 0.2]


@pytest.mark.parametrize("shown", ["nan", "np.float64(nan)"])
def test_a_run_that_explodes_does_not_keep_its_best_value(server, plays, shown):
    """Rows and @hone lines with NaN, as json.dumps writes it, were thrown away."""
    loop = "import json\nfor e in range(1, 6):\n    loss = float('nan') if e > 2 else 1 / e\n    "
    rows = loop + "print(json.dumps({'loss': loss, 'other': float('inf')}))"
    run, values = ended(server, plays, rows, {"stdout": True, "format": "jsonl"}, phases=5)
    assert values == [1.0, 0.5, "diverged"] and run["state"] == "stopped", run
    lines = loop + "print('@hone', json.dumps({'report': {'step': e, 'value': loss}}))"
    run, values = ended(server, plays, lines, None, phases=5)
    assert values == [1.0, 0.5, "diverged"], run
    text = f"for e in range(1, 6): print('loss=' + ('{shown}' if e > 2 else str(1 / e)))"
    run, values = ended(server, plays, text, {"stdout": True, **LOSS}, phases=5)
    assert values == [1.0, 0.5, "diverged"], run


def test_a_mean_return_without_an_episode_is_no_divergence(server, plays):
    program = ("print('step,loss')\n"
               "for e in range(1, 11): print(f'{e},' + ('nan' if e < 3 else str(e)))")
    run, values = ended(server, plays, program, {"stdout": True, "step": "step"}, phases=10)
    assert values == [3, 3, 3, 4, 5, 6, 7, 8, 9, 10] and run["state"] == "completed", run


def test_only_the_needed_field_costs_a_row(server, plays):
    program = r"""for e in range(1, 4):
    print(r'{"epoch": %d, "lr": NaN, "note": "C:\x", "loss": %r}' % (e, 1 / e))"""
    _, values = ended(server, plays, program, {"stdout": True, "format": "jsonl", "step": "epoch"},
                      phases=3)
    assert values == [1, 0.5, 1 / 3]


def test_a_column_that_begins_again_with_each_attempt_is_added_to_the_checkpoint(server, tmp_path,
                                                                                 plays):
    restarts = {"csv": {"restarts": "epoch"}, "tensorboard": {"restarts": "step"}}
    specs = {}
    for way, manner in (("csv", "restarts,crash"), ("tensorboard", "restarts,crash")):
        spec = counting.spec(tmp_path, way, manner)
        spec["command"]["collect"]["step"] = restarts[way]
        specs[way] = spec
    check(server, plays(specs))


def test_a_resumed_run_is_reproduced_with_its_steps(server, tmp_path, plays):
    sweep = plays({0: counting.spec(tmp_path, "csv", "crash")})[0]
    run = counting.runs_of(server, sweep)[0]
    assert run["attempts"] > 1
    ok("reproduce", "--yes", run["id"], "--repository", str(ROOT), server=server)
