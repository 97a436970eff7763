"""`hone plan`: what a sweep would run, before it is submitted."""
import json

from commands import ok, write_spec
from conftest import sweep_spec


def test_plan_counts_on_what_a_like_sweep_needed(server, tmp_path):
    earlier = server.submit(sweep_spec(terminator={"rule": "hypertrick", "eviction_rate": 0.5},
                                       budget={"unit": "frames", "per_run": 1000, "phases": 2}))
    worker = server.join()
    for value in (4, 3, 2, 1):  # each poorer than the one before: the later ones are evicted
        grant = server.acquire(worker)
        if server.report(grant, 0, value)["verdict"] == "continue":
            server.report(grant, 1, value)
    counts = server.get(f"/v1/sweeps/{earlier}")
    same = {"terminator": {"rule": "hypertrick", "eviction_rate": 0.5},
            "search": {"method": "random", "trials": 20},
            "budget": {"unit": "frames", "per_run": 1000, "phases": 2},
            "limits": {"duration": "1h"}}
    file = write_spec(tmp_path, **same)
    plan = json.loads(ok("plan", str(file), "--workers", "2", "--format", "json",
                         server=server))["plan"]
    assert plan["phases_per_run_of"] == plan["pace_of"] == earlier
    assert plan["phases_per_run"] == counts["phases"]["done"] / 4 < 2
    assert plan["phases_expected"] == round(20 * plan["phases_per_run"])
    phase_seconds = plan["seconds_expected"] * 2 / plan["phases_expected"]
    fit = 2 * 3600 / phase_seconds / plan["phases_per_run"]
    assert abs(plan["trials_that_fit"] - fit) <= 0.01 * plan["trials_that_fit"]
    text = ok("plan", str(file), server=server)
    assert f"phases a run, as in {earlier}" in text and "holds about" in text


def test_the_upper_bound_counts_further_seeds_and_the_confirmation(tmp_path):
    """With seeds of 1 to 4, 'at most 12 runs' were 21."""
    file = write_spec(tmp_path, replicates={"seeds": {"min": 1, "max": 4}},
                      confirm={"top": 2, "seeds": 5}, terminator={"rule": "hone"})
    plan = json.loads(ok("plan", str(file), "--format", "json"))["plan"]
    assert plan["runs"] == 4 and plan["runs_at_most"] == 16
    assert plan["phases_at_most"] == 16 * 4 and plan["work_at_most"] == 16 * 1000
    assert plan["confirm"]["runs"] == 10 and plan["confirm"]["phases"] == 40
    text = ok("plan", str(file))
    assert "up to 16 with further seeds" in text and "then 2 leaders on 5 new seeds" in text
    assert "saves none is not paused" in text.replace("\n", " ")
    for version, most in ((2, 12), (5, 4)):  # with and without second looks
        looks = write_spec(tmp_path, terminator={"rule": "hone", "version": version})
        plan = json.loads(ok("plan", str(looks), "--format", "json"))["plan"]
        assert plan["runs_at_most"] == most, version


def test_the_wall_time_without_checkpoints_is_planned_too(server, tmp_path):
    """It followed the work of a program that saves checkpoints, a third of what was trained."""
    file = write_spec(tmp_path, search={"method": "random", "trials": 16},
                      terminator={"rule": "hone"},
                      budget={"unit": "frames", "per_run": 1000, "phases": 10})
    plan = json.loads(ok("plan", str(file), "--workers", "2", "--format", "json"))["plan"]
    without = plan["without_checkpoints"]
    assert without["seconds_expected"] is None
    assert without["complete_runs_one_after_another"] == without["phases_expected"] / 10 / 2
    runs = f"{without['complete_runs_one_after_another']:.6g}"
    text = " ".join(ok("plan", str(file), "--workers", "2").split())
    assert f"as long as {runs} complete runs in sequence if it saves none" in text, text


def test_progress_counts_on_the_phases_planned_without_checkpoints(server, tmp_path):
    """The phases of a rule that pauses were expected: each report moved what it was compared with."""
    changes = {"search": {"method": "random", "trials": 16}, "terminator": {"rule": "hone"},
               "budget": {"unit": "frames", "per_run": 1000, "phases": 10}}
    file = write_spec(tmp_path, **changes)
    planned = json.loads(ok("plan", str(file), "--format", "json"))["plan"]["without_checkpoints"]
    sweep = server.submit(sweep_spec(**changes))
    worker = server.join()
    seen = []
    while (grant := server.acquire(worker)):
        for phase in range(grant["next_phase"], 10):
            quality = 1 - abs(grant["params"]["depth"] - 4) / 8
            budget = {"phase": phase, "step": 100 * (phase + 1), "value": quality * (phase + 1),
                      "resumable": False}
            verdict = server.post(f"/v1/leases/{grant['lease']}/reports", budget)["verdict"]
            seen.append(server.get(f"/v1/sweeps/{sweep}")["phases"])
            if verdict != "continue":
                break
    assert seen[-1]["done"] == seen[-1]["expected"]
    early = [one["expected"] for one in seen[:planned["phases_expected"] // 2]]
    assert set(early) == {planned["phases_expected"]}, early
    assert all(one["done"] <= one["expected"] for one in seen)


def test_plan_needs_no_server(tmp_path):
    file = write_spec(tmp_path)
    text = ok("plan", str(file), server=None, HONE_SERVER="http://127.0.0.1:1")
    assert "4 trials" in text and "16 phases" in text
    assert json.loads(ok("plan", str(file), "--format", "json"))["budget"]["per_run"] == 1000


def test_a_rule_that_may_stop_runs_is_not_called_none(tmp_path):
    """Of `median` and `patience` the plan was that of complete runs, 'as no rule stops runs'."""
    def planned(**rule):
        file = write_spec(tmp_path, terminator=rule, search={"method": "random", "trials": 16})
        text = " ".join(ok("plan", str(file)).split())
        assert "as no rule stops runs" not in text
        return json.loads(ok("plan", str(file), "--format", "json"))["plan"], text

    for rule in ("hypertrick", "median", "percentile", "asha_stopping"):
        plan, text = planned(rule=rule)
        low, high = plan["phases_range"]
        assert low <= plan["phases_expected"] <= high <= plan["phases_at_most"] == 64
        assert plan["phases_expected"] < 64
        assert f"between {low} and {high} phases in 90 % of simulated sweeps" in text
    plan, text = planned(rule="patience", phases=2)
    assert plan["phases_range"] is None and "if the rule stops none" in text


def test_complete_runs_are_not_said_to_be_stopped(tmp_path):
    file = write_spec(tmp_path, terminator={"rule": "none"})
    text = ok("plan", str(file), server=None, HONE_SERVER="http://127.0.0.1:1")
    assert "as no rule stops runs" in text and "on average" not in text
