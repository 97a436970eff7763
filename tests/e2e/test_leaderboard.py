"""One leaderboard: every screen, route and column names the same winner with the same value."""
import csv
import hashlib
import importlib
import json
import random
import statistics
import sys

import pytest
from commands import hone, ok
from conftest import ROOT, sweep_spec

RULES = ("none", "hypertrick", "median", "asha", "hone")
SEEDS = ({"seeds": 1}, {"seeds": 3}, {"seeds": 2, "aggregate": "iqm"},
         {"seeds": {"min": 1, "max": 3}}, {"seeds": 3, "aggregate": "median"})


BAR = {"maximize": 1.25, "minimize": 0.5}  # of objectives of time: some reports reach it


def random_objective(draw, time):
    goal = draw.choice(("maximize", "minimize"))
    reach = {"reach": BAR[goal], "clock": draw.choice(("steps", "seconds"))} if time else {}
    return {"metric": "return", "goal": goal, **reach}


def random_spec(draw, time=False):
    return sweep_spec(objective=random_objective(draw, time),
                      search={"method": "random", "trials": draw.randint(4, 9)},
                      terminator={"rule": draw.choice(RULES)},
                      replicates=draw.choice(SEEDS), seed=draw.randrange(1000))


class Trainers:
    """Up to four runs at a time, whose reports are few different numbers, so that some tie."""

    def __init__(self, server, draw, failures=0.02):
        self.server, self.draw, self.failures = server, draw, failures
        self.worker = server.join()
        self.live = []

    def train(self, sweep):
        while self.server.get(f"/v1/sweeps/{sweep}")["state"] == "running":
            while len(self.live) < 4 and (grant := self.server.acquire(self.worker)):
                self.live.append([grant, grant["next_phase"]])
            assert self.live, "a running sweep has work"
            self.step(self.draw.choice(self.live))

    def step(self, one):
        grant, phase = one
        fate = self.draw.random()
        if fate < self.failures:
            self.live.remove(one)
            self.server.end(grant, "exit_code", 1, "it failed")
            return
        self.save(grant, phase)
        value = "diverged" if fate < 2 * self.failures else self.draw.choice((0, 1, 2, 3, 5, 8)) / 4
        verdict = self.server.report(grant, phase, value)
        one[1] += 1
        if verdict["verdict"] != "continue":
            self.live.remove(one)
        if verdict["verdict"] == "stop":
            self.server.end(grant, "evicted")

    def save(self, grant, phase):
        """A checkpoint that names its run."""
        content = f"{grant['attempt']} phase {phase}".encode()
        digest = hashlib.sha256(content).hexdigest()
        assert self.server.ask("PUT", f"/v1/blobs/{digest}", content).status in (200, 201, 204)
        step = grant["budget"]["per_run"] * (phase + 1) // grant["budget"]["phases"]
        self.server.post(f"/v1/leases/{grant['lease']}/models",
                         {"sha256": digest, "bytes": len(content), "step": step, "phase": phase})


def listed(*words, server):
    return json.loads(ok(*words, "--format", "json", server=server))


def python_client(server):
    if str(ROOT / "sdk" / "python") not in sys.path:
        sys.path.insert(0, str(ROOT / "sdk" / "python"))
    return importlib.import_module("hone").Client(f"http://127.0.0.1:{server.port}")


def fetched_trial(server, sweep):
    """The trial whose checkpoint the first line of `hone best` leads to."""
    model = ok("best", sweep, "-n", "1", "--columns", "model", "--format", "value",
               server=server).strip()
    return ok("fetch", model, "-o", "-", server=server).split(".")[0].replace("rn_", "tr_")


def winners(server, sweep):
    """(trial, value, confirmed) by every route and screen that names a winner."""
    def of(item, trial="id"):
        return item[trial], item["value"], item["confirmed"]

    path = f"/v1/sweeps/{sweep}"
    where = f"/v1/find?where=sweep%20where%20id%20%3D%20{sweep}"
    row = server.get(path)
    every = {
        "route": of(row["best"], "trial"),
        "best": of(server.get(path + "/best?limit=1")["items"][0]),
        "best of many": of(server.get(path + "/best?limit=100")["items"][0]),
        "best where": of(server.get(path + "/best?where=runs%20%3E%200")["items"][0]),
        "trials": of(server.get(path + "/trials?sort=value&limit=1")["items"][0]),
        "trials where": of(server.get(path + "/trials?sort=value&where=runs%20%3E%200")["items"][0]),
        "find": of(server.get(where)["items"][0]["best"], "trial"),
        "hone ls": of(next(one for one in listed("ls", server=server) if one["id"] == sweep)["best"],
                      "trial"),
        "hone best": of(listed("best", sweep, server=server)[0]),
        "hone show": of(listed("show", sweep, server=server)["best"], "trial"),
    }
    compared = {one["what"]: one["left"]
                for one in listed("compare", sweep, sweep, server=server)["rows"]}
    every["hone compare"] = (compared["best/trial"], compared["best/value"],
                             compared["best/confirmed"])
    params = server.get(f"/v1/trials/{every['route'][0]}")["params"]
    assert {name: compared[f"best.{name}"] for name in params} == params
    with python_client(server) as client:
        every["Python"] = of(client.best(sweep, limit=1)[0])
        every["Python, trials"] = of(next(iter(client.trials(sweep, sort="value"))))
    seen = hone("watch", sweep, server=server).stdout
    assert f"({every['route'][0]})" in seen, (seen, every)
    return every


def check_values(server, sweep):
    """A trial has one value in lists, searches, the lineage and csv; that of complete runs is their aggregate."""
    goal = server.get(f"/v1/sweeps/{sweep}")["objective"]["goal"]
    aggregate = server.get(f"/v1/sweeps/{sweep}")["spec"]["replicates"].get("aggregate", "mean")
    trials = {one["id"]: one for one in server.get(f"/v1/sweeps/{sweep}/trials")["items"]}
    for item in server.get(f"/v1/sweeps/{sweep}/best?limit=100")["items"]:
        assert item["value"] == trials[item["id"]]["value"]
        if item["interval"]:
            assert item["interval"][0] <= item["value"] <= item["interval"][1]
            if item["expected"] is not None:
                assert item["interval"][0] <= item["expected"] <= item["interval"][1]
        if item["ranks"]:
            assert item["ranks"][0] <= item["rank"] <= item["ranks"][1]
    for trial, row in trials.items():
        assert server.get(f"/v1/trials/{trial}")["value"] == row["value"]
        fact = server.get(f"/v1/lineage/{trial}?depth=0")["nodes"][0]["facts"].get("value")
        if isinstance(row["value"], str) or row["value"] is None:
            assert fact == row["value"]
        else:
            assert float(fact) == pytest.approx(row["value"])
        runs = server.get(f"/v1/trials/{trial}/runs")["items"]
        if all(run["state"] == "completed" for run in runs):
            last = [run["value"] for run in runs]
            if any(isinstance(value, str) for value in last):
                continue
            named = {"mean": statistics.fmean, "median": statistics.median}.get(
                aggregate, statistics.fmean)  # fewer than four seeds: the iqm is the mean
            assert row["value"] == pytest.approx(named(last)), (goal, row, last)


def check_screens(server, draw, spec, confirms):
    trainers = Trainers(server, draw)
    sweep = server.submit(spec)
    trainers.train(sweep)
    ranked = server.get(f"/v1/sweeps/{sweep}/best?limit=100")["items"]
    assert all(one["value"] != "diverged" for one in ranked)
    if not ranked:
        return
    every = winners(server, sweep)
    assert len(set(every.values())) == 1, every
    check_values(server, sweep)
    rows = list(csv.DictReader(ok("best", sweep, "--format", "csv", server=server).splitlines()))
    value = every["best"][1]
    assert rows[0]["trial"] == every["best"][0]
    assert (rows[0]["value"] if isinstance(value, str) else float(rows[0]["value"])) == value
    assert fetched_trial(server, sweep) == every["best"][0]
    if confirms:
        check_confirmation(server, trainers, sweep, draw)


@pytest.mark.parametrize("number", range(24))
def test_every_screen_names_the_same_winner(server, number):
    """Two screens named other winners and other values, because each computed its own value."""
    draw = random.Random(number)
    check_screens(server, draw, random_spec(draw), number % 2 == 0)


@pytest.mark.parametrize("number", range(20))
def test_every_screen_names_the_same_winner_of_a_time(server, number):
    draw = random.Random(100 + number)
    check_screens(server, draw, random_spec(draw, time=True), number % 2 == 0)


def check_confirmation(server, trainers, sweep, draw):
    """Once it has ended, the order of a confirmation is that of the sweep."""
    for _ in range(draw.randint(1, 2)):
        made = ok("confirm", sweep, "--start", "--top", "3", "--seeds", "4", server=server).strip()
        trainers.train(made)
    report = server.get(f"/v1/sweeps/{sweep}/confirm")
    first = report["items"][0]
    if first.get("iqm", "diverged") == "diverged":
        return
    every = winners(server, sweep)
    assert set(every.values()) == {(first["of"], server.get(f"/v1/trials/{first['of']}")["value"],
                                    first["iqm"])}, (every, report)
    order = [one["of"] for one in report["items"] if one.get("iqm", "diverged") != "diverged"]
    items = server.get(f"/v1/sweeps/{sweep}/best")["items"]
    assert [one["id"] for one in items][:len(order)] == order


def test_equal_confirmed_trials_have_one_order(server):
    """Of equal trials `hone best` of a confirmation named the best tuned, `hone confirm` the first."""
    worker = server.join()
    sweep = server.submit(sweep_spec(search={"method": "random", "trials": 3},
                                     objective={"metric": "return", "goal": "maximize"},
                                     budget={"unit": "frames", "per_run": 100, "phases": 1}))
    for value in (1, 2, 3):
        server.report(server.acquire(worker), 0, value)
    made = ok("confirm", sweep, "--start", "--top", "2", "--seeds", "2", server=server).strip()
    while (grant := server.acquire(worker)):
        server.report(grant, 0, 7)
    confirmed = server.get(f"/v1/sweeps/{sweep}/confirm")["items"]
    for path in (f"/v1/sweeps/{made}/best", f"/v1/sweeps/{made}/trials?sort=value"):
        listed_ids = [one["id"] for one in server.get(path)["items"]]
        assert listed_ids == [one["trial"] for one in confirmed]
    assert server.get(f"/v1/sweeps/{made}")["best"]["trial"] == confirmed[0]["trial"]
    best = server.get(f"/v1/sweeps/{sweep}/best")["items"]
    assert [one["id"] for one in best][:2] == [one["of"] for one in confirmed]


def test_a_confirmation_is_not_started_by_looking_at_it(server):
    """Looking at a sweep without a confirmation started thirty trainings."""
    sweep = server.submit(sweep_spec(search={"method": "random", "trials": 2}))
    Trainers(server, random.Random(1)).train(sweep)
    seen = hone("confirm", sweep, server=server)
    assert seen.returncode != 0 and "--start" in seen.stderr
    assert "--start" in hone("confirm", sweep, "--top", "2", server=server).stderr
    assert len(server.get("/v1/sweeps")["items"]) == 1


def test_further_confirmations_train_no_seed_twice(server):
    """A second confirmation trained the seeds of the first one again, and replaced its result."""
    trainers = Trainers(server, random.Random(4), failures=0)
    sweep = server.submit(sweep_spec(search={"method": "random", "trials": 3}))
    trainers.train(sweep)
    seeds = []
    for _ in range(2):
        made = ok("confirm", sweep, "--start", "--top", "1", "--seeds", "3", server=server).strip()
        trainers.train(made)
        trial = server.get(f"/v1/sweeps/{made}/trials")["items"][0]["id"]
        seeds += [run["seed"] for run in server.get(f"/v1/trials/{trial}/runs")["items"]]
    assert len(set(seeds)) == 6
    report = server.get(f"/v1/sweeps/{sweep}/confirm")
    assert report["items"][0]["seeds"] == 6 and len(report["confirmations"]) == 2


def test_a_sweep_is_found_by_its_name(server):
    """'taxi-q' was refused as no id, although one sweep had that name."""
    server.submit(sweep_spec(name="taxi-q"))
    assert listed("trials", "taxi-q", server=server) == []
    other = server.submit(sweep_spec(name="taxi-q"))
    several = hone("trials", "taxi-q", server=server)
    assert several.returncode == 2 and f"the newest is {other}" in several.stderr
    assert "is not an id" in hone("trials", "taxi", server=server).stderr


def test_the_range_of_a_rank_does_not_depend_on_the_page(server):
    """'Rank 1 for certain' came from looking at one row only."""
    sweep = server.submit(sweep_spec(search={"method": "random", "trials": 8},
                                     replicates={"seeds": 3}))
    Trainers(server, random.Random(3), failures=0).train(sweep)
    whole = server.get(f"/v1/sweeps/{sweep}/best?limit=8")["items"]
    for limit in (1, 3):
        part = server.get(f"/v1/sweeps/{sweep}/best?limit={limit}")["items"]
        assert [one["ranks"] for one in part] == [one["ranks"] for one in whole][:limit]


def test_a_sweep_whose_runs_all_failed_has_failed(server):
    """Forty of forty runs crashed after two reports, and the sweep was 'completed 100 %', status 0."""
    worker = server.join()
    sweep = server.submit(sweep_spec(search={"method": "random", "trials": 2}))
    while (grant := server.acquire(worker)):
        server.report(grant, 0, 9)
        server.end(grant, "exit_code", 1, "it failed")
    row = server.get(f"/v1/sweeps/{sweep}")
    assert (row["state"], row["reason"]) == ("failed", "exit_code")
    assert hone("watch", sweep, server=server).returncode == 10
    assert server.get(f"/v1/sweeps/{sweep}/best")["items"] == []


def test_a_collapsed_seed_is_seen(server):
    """An interquartile mean of 500 hid the seed that ended at 296."""
    worker = server.join()
    sweep = server.submit(sweep_spec(search={"method": "random", "trials": 1}))

    def run(values):
        for value in values:
            grant = server.acquire(worker)
            for phase in range(4):
                server.report(grant, phase, value)

    run([500])
    server.post(f"/v1/sweeps/{sweep}/confirm", {"request_id": "c", "top": 1, "seeds": 6}, 201)
    run([296.6, 500, 500, 500, 500, 500])
    item = server.get(f"/v1/sweeps/{sweep}/confirm")["items"][0]
    assert item["iqm"] == 500 and item["min"] == 296.6 and item["bar"]["share"] == 5 / 6
    assert item["mean"] == pytest.approx(466.1)
    assert "1 of the first's 6 seeds fell short" in hone("confirm", sweep, server=server).stderr
