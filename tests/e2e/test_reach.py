"""Objectives of time: the time until a metric first reached a bar, by real programs."""
import datetime
import json
import re

import pytest

from commands import hone, ok
from conftest import ROOT, sweep_spec
from test_code import ended
from test_reproduce import start  # noqa: F401 (a fixture)

# Each phase takes 0.2 s and brings `depth` x 10: a bar of 60 is reached after 1, 2 or 3 phases of 4
# or never.
PROGRAM = r'''
import json, sys, time
for phase in range(4):
    time.sleep(0.2)
    value = 10 * int(sys.argv[1]) * (phase + 1)
    print("@hone", json.dumps({"report": {"step": 250 * (phase + 1), "value": value}}), flush=True)
time.sleep(60)
'''

# The first attempt is lost after its checkpoint and 1.2 s of work; the second continues it.
RESUMED = r'''
import json, os, sys, time
run = json.load(open(os.environ["HONE_RUN_FILE"]))
first = run["resume"] is None
def line(**one):
    print("@hone", json.dumps(one), flush=True)
time.sleep(0.2)
if first:
    path = os.path.join(os.environ["HONE_CHECKPOINT_DIR"], "model")
    open(path, "w").write("weights")
    line(checkpoint={"path": path, "step": 500, "phase": 0})
    line(report={"step": 500, "value": 1})
    time.sleep(1.2)
    sys.exit(85)
line(report={"step": 1000, "value": 100})
time.sleep(60)
'''


def submitted(server, tmp_path, program=PROGRAM, **changes):
    (tmp_path / "reach.py").write_text(program)
    spec = sweep_spec(**{
        "command": ["python3", str(tmp_path / "reach.py"), "${depth}"],
        "objective": {"metric": "return", "reach": 60, "clock": "seconds"},
        "parameters": {"depth": {"values": [1, 2, 3, 6]}},
        "search": {"method": "grid", "trials": 4}, **changes})
    return server.submit(spec)


def at(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def ranked(server, sweep):
    items = server.get(f"/v1/sweeps/{sweep}/best")["items"]
    return [(item["params"]["depth"], item["value"]) for item in items]


def test_the_fastest_is_best_and_one_that_never_reached_is_last(server, start, tmp_path):  # noqa
    start(slots=1)
    sweep = submitted(server, tmp_path)
    ended(server, sweep)
    order = ranked(server, sweep)
    assert order[3] == (1, "not_reached"), order
    times = [value for _, value in order[:3]]
    assert times == sorted(times), order  # which is the fastest is for the machine to decide
    took = dict(order)
    assert took[6] >= 0.2 and took[3] >= 0.4 and took[2] >= 0.6, order
    runs = server.get(f"/v1/sweeps/{sweep}/curves")["items"]
    assert {run["params"]["depth"]: len(run["curve"]) for run in runs} == {1: 4, 2: 3, 3: 2, 6: 1}
    assert {run["reason"] for run in runs if run["params"]["depth"] > 1} == {"bar_reached"}
    curves = {run["params"]["depth"]: [point["value"] for point in run["curve"]] for run in runs}
    assert curves[3] == [30, 60]

    best = ok("best", sweep, server=server)
    assert "not reached" in best, best
    assert "soonest return >= 60, in seconds" in ok("show", sweep, server=server)
    texts = {run["params"]["depth"]: " ".join(ok("explain", run["run"], server=server).split())
             for run in runs}
    assert re.search(r"It reached return >= 60 after [\d.]+ s\.", texts[6]), texts[6]
    assert "It had not reached return >= 60 in " in texts[1], texts[1]
    trials = ok("trials", sweep, "--format", "csv", server=server)
    assert "not_reached" in trials, trials
    assert ",60.0," in ok("export", sweep, "--format", "csv", server=server)
    assert json.loads(ok("replay", sweep, "--format", "json", server=server))["same"]
    found = ok("find", f"trial where sweep = {sweep} and value < 100", "--format", "csv",
               server=server)
    assert len(found.splitlines()) == 4, found

    server.stop()
    server.start(server.port)
    assert ranked(server, sweep) == order


def test_the_time_that_a_restart_lost_does_not_count(server, start, tmp_path):  # noqa: F811
    start(slots=1)
    sweep = submitted(server, tmp_path, RESUMED, parameters={"depth": {"values": [1]}},
                      search={"method": "random", "trials": 1},
                      budget={"per_run": 1000, "phases": 2})
    ended(server, sweep)
    run = server.get(f"/v1/sweeps/{sweep}/curves")["items"][0]
    assert [point["value"] for point in run["curve"]] == [1, 100], run
    curve = server.get(f"/v1/runs/{run['run']}/curve")["items"]
    spent = [point["spent"] for point in curve]
    ((_, value),) = ranked(server, sweep)
    assert value == spent[1] > spent[0] >= 0.2, (value, spent)
    attempts = server.get(f"/v1/runs/{run['run']}/attempts")["items"]
    assert len(attempts) == 2
    trained = sum((at(one["ended_at"]) - at(one["granted_at"])).total_seconds() for one in attempts)
    assert value < trained - 1, (spent, attempts)
    assert json.loads(ok("replay", sweep, "--format", "json", server=server))["same"]


@pytest.mark.parametrize("clock", ["cpu_seconds", "steps"])
def test_processor_time_and_steps_are_other_clocks(server, start, tmp_path, clock):  # noqa: F811
    start(slots=1)
    sweep = submitted(server, tmp_path, objective={"metric": "return", "reach": 60, "clock": clock})
    ended(server, sweep)
    order = dict(ranked(server, sweep))
    assert order.pop(1) == "not_reached"
    if clock == "steps":
        assert list(order.items()) == [(6, 250), (3, 500), (2, 750)]
    else:  # it sleeps: the interpreter's start alone uses the processor
        assert all(0 < value < 60 for value in order.values()), order


def reached_after(server, worker, *phases):
    """Trains a run for each number: it reaches the bar with that phase; 0: never."""
    for phase in phases:
        grant = server.acquire(worker)
        for number in range(phase or 4):
            server.report(grant, number, 60 if number + 1 == phase else number)


def test_a_seed_that_never_reached_its_bar_has_no_interval(server):
    """The 95 % interval of a time was 'not reached .. -1.205e15'; the value was 'the last report'."""
    sweep = server.submit(sweep_spec(objective={"metric": "return", "reach": 60, "clock": "steps"},
                                     search={"method": "random", "trials": 3},
                                     replicates={"seeds": 3, "aggregate": "median"}))
    worker = server.join()
    reached_after(server, worker, 1, 3, 2, 1, 0, 1, 2, 2, 3)
    items = server.get(f"/v1/sweeps/{sweep}/best")["items"]
    assert [one["value"] for one in items] == [250, 500, 500]
    assert [one["interval"] is None for one in items] == [True, False, False]
    for one in items[1:]:
        assert 0 <= one["interval"][0] < 500 < one["interval"][1] < 2000, one
    assert all(one["expected"] is None and one["ranks"] is None for one in items)
    seen = hone("best", sweep, server=server)
    assert "e1" not in seen.stdout and "expected:" not in seen.stderr, seen
    assert "value: the median time of the seeds until return >= 60, in frames." in seen.stderr
    meaning = "(median time of 3 seeds until return >= 60, in frames)"
    for words in (("show", sweep), ("show", "tr_2"), ("explain", "tr_2")):
        assert meaning in " ".join(ok(*words, server=server).split()), words
    assert "tr_2 ranks 1 of 3" in ok("explain", "tr_2", server=server)

    ok("confirm", sweep, "--start", "--top", "2", "--seeds", "4", server=server)
    reached_after(server, worker, 1, 1, 0, 2, 2, 2, 1, 2)
    report = server.get(f"/v1/sweeps/{sweep}/confirm")
    whole, censored = sorted(report["items"], key=lambda one: one["interval"] is None)
    assert whole["interval"][0] <= whole["iqm"] <= whole["interval"][1] < 2000
    assert censored["interval"] is None and censored["min"] == "not_reached"
    assert all(250 <= one["bar"]["value"] <= 500 for one in report["items"])
    assert "e1" not in ok("confirm", sweep, server=server)


def test_a_python_function_is_timed_until_its_bar(server, tmp_path, monkeypatch):
    monkeypatch.setenv("HONE_DATA", str(tmp_path / "home"))
    monkeypatch.syspath_prepend(str(ROOT / "sdk" / "python"))
    import hone as sdk
    with sdk.Client(f"http://127.0.0.1:{server.port}") as client:
        sweep = sdk.Sweep({"rise": [1, 2, 4]}, {"metric": "score", "reach": 4, "clock": "steps"},
                          search="grid", trials=3, phases=3, terminator="none", client=client)

        def train(run):
            for phase in run.phases():
                run.report(phase, run.params["rise"] * (phase.number + 1))
        best = sweep.run(train)
        assert best["params"]["rise"] == 4 and best["value"] == 1
        values = {row["params.rise"]: row["value"] for row in sweep.trials()}
        assert values == {4: 1, 2: 2, 1: "not_reached"}
        assert "not_reached" in sweep._repr_html_()


# Phase k reports 10 x depth x k + 10 x (seed % 5): no seed lifts depth 1 over a bar of 100.
SEEDS = r'''
import json, os, sys
seed = json.load(open(os.environ["HONE_RUN_FILE"]))["seed"]
for phase in range(4):
    value = 10 * int(sys.argv[1]) * (phase + 1) + 10 * (seed % 5)
    report = {"step": 250 * (phase + 1), "value": value}
    print("@hone", json.dumps({"report": report}), flush=True)
'''


def replay_of(depth, seed):
    """The steps until the bar of 100, or None."""
    for phase in range(4):
        if 10 * depth * (phase + 1) + 10 * (seed % 5) >= 100:
            return 250 * (phase + 1)
    return None


def seeds_of(server, trial, count):
    number = trial.removeprefix("tr_")
    return [server.get(f"/v1/runs/rn_{number}.{one}")["seed"] for one in range(count)]


def test_the_value_of_several_seeds_is_their_mean_time(server, start, tmp_path):  # noqa: F811
    """Intervals and expected values were computed with the number that stands for 'not reached'."""
    start()
    sweep = submitted(server, tmp_path, SEEDS, replicates={"seeds": 3},
                      objective={"metric": "return", "reach": 100, "clock": "steps"},
                      parameters={"depth": {"values": [1, 4, 6, 8]}})
    ended(server, sweep)
    items = server.get(f"/v1/sweeps/{sweep}/best")["items"]
    assert len(items) == 4
    for item in items:
        depth = item["params"]["depth"]
        times = [replay_of(depth, seed) for seed in seeds_of(server, item["id"], 3)]
        if None in times:
            assert depth == 1 and item["value"] == "not_reached" and item["interval"] is None, item
        else:
            assert item["value"] == pytest.approx(sum(times) / 3), (item, times)
            low, high = item["interval"]
            assert -2000 < low <= item["value"] <= high < 2000, item
        assert item["expected"] is None, item  # a seed of the sweep is below the bar
    assert items[-1]["params"]["depth"] == 1
    values = [item["value"] for item in items[:3]]
    assert values == sorted(values)
    shown = ok("best", sweep, server=server)
    assert "e+" not in shown and "e1" not in shown, shown
    assert json.loads(ok("replay", sweep, "--format", "json", server=server))["same"]


def test_explain_shows_no_number_for_a_bar_not_reached(server, start, tmp_path):  # noqa: F811
    """'aggregate=-1.3e+15' was among the numbers of a verdict."""
    start()
    sweep = submitted(server, tmp_path, SEEDS, replicates={"seeds": 2},
                      objective={"metric": "return", "reach": 100, "clock": "steps"},
                      parameters={"depth": {"values": [1, 2, 4, 8]}},
                      terminator={"rule": "hypertrick", "eviction_rate": 0.3})
    ended(server, sweep)
    judged = []
    for number in range(1, 5):
        report = server.get(f"/v1/trials/tr_{number}/explain")
        judged += [one["inputs"]["aggregate"] for one in report["verdicts"]
                   if "aggregate" in one["inputs"]]
        text = ok("explain", f"tr_{number}", server=server)
        assert "e+1" not in text and "e1" not in text, text
    assert "not_reached" in judged, judged
    assert all(one == "not_reached" or 0 < one <= 1000 for one in judged), judged


def test_a_confirmation_ranks_by_time(server, start, tmp_path):  # noqa: F811
    """A slower confirmed time was called less, and the worst seed min."""
    start()
    sweep = submitted(server, tmp_path, SEEDS, search={"method": "grid", "trials": 3},
                      objective={"metric": "return", "reach": 100, "clock": "steps"},
                      parameters={"depth": {"values": [1, 4, 8]}})
    ended(server, sweep)
    tuned = dict(ranked(server, sweep))
    ok("confirm", sweep, "--start", "--top", "3", "--seeds", "4", server=server)
    ended(server, "sw_2")
    report = server.get(f"/v1/sweeps/{sweep}/confirm")
    assert report["objective"] == {"metric": "return", "goal": "soonest"}
    assert [item["params"]["depth"] for item in report["items"]] == [8, 4, 1]
    for item in report["items"]:
        depth = item["params"]["depth"]
        times = [replay_of(depth, seed) for seed in seeds_of(server, item["trial"], 4)]
        reached = [time for time in times if time]
        assert item["tuned_value"] == tuned[depth]
        if len(reached) == 4:
            middle = sorted(times)[1:3]
            assert item["iqm"] == sum(middle) / 2 and item["mean"] == sum(times) / 4
            assert item["min"] == max(times) and item["max"] == min(times)  # the worst, the best
            assert item["interval"][1] < 3000 and item["optimism"] == item["iqm"] - tuned[depth]
        else:
            assert depth == 1 and item["iqm"] == "not_reached", (item, times)
            assert item["interval"] is None and item["failed"] == 0
    assert all(isinstance(point["value"], (int, float)) for point in report["profile"])
    assert isinstance(report["items"][0]["bar"]["value"], (int, float))
    text = ok("confirm", sweep, server=server)
    header = text.splitlines()[0]
    assert "worst" in header and "min" not in header, text


def test_a_file_that_cannot_be_meant_is_refused(tmp_path):
    def refusal(**changes):
        file = tmp_path / "sweep.json"
        file.write_text(json.dumps(sweep_spec(**changes)))
        done = hone("plan", str(file))
        assert done.returncode == 2, done.stdout
        return " ".join(done.stderr.split())
    assert "give the bar as reach: VALUE" in refusal(
        objective={"metric": "return", "clock": "steps"})
    assert "soonest needs a bar" in refusal(objective={"metric": "return", "goal": "soonest"})
    assert "leave min_delta out" in refusal(
        objective={"metric": "return", "reach": 60},
        terminator={"rule": "patience", "min_delta": 0.5})
    assert "make it the only objective" in refusal(
        objective=None, objectives=[{"metric": "return", "reach": 4}, {"metric": "cost"}])
