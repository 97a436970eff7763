"""The value of phase p is that of training p: however a program reports, and whatever happens to it.

The full matrix of ways, rules and situations runs with HONE_SEAM_LONG=1.
"""
import itertools
import os

import pytest

import counting
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
    for sweep in sweeps.values():
        assert all(run["attempts"] > 1 for run in counting.runs_of(server, sweep)
                   if run["phase"] > 3), "it did not crash"


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
        server.post(f"/v1/sweeps/{sweep}/enqueue", {
            "request_id": way, "params": {"x": 0.5}, "fork": {"run": origin["id"], "phase": 5}})
    for way, sweep in sweeps.items():
        forks[way] = wait_for(lambda sweep=sweep: [
            run for run in counting.runs_of(server, sweep)
            if run["origin"] and run["phase"] == 9])[0]
    for way, fork in forks.items():
        curve = server.get(f"/v1/runs/{fork['id']}/curve")["items"]
        assert [int(point["value"]) for point in curve] == list(range(1, 10)), (way, curve)
        assert {point["value"] % 1 for point in curve[6:]} == {0.5}, (way, curve)
        server.post(f"/v1/sweeps/{sweeps[way]}/steer", {"verb": "cancel"})
