"""Noisy single runs rank by what a model expects of them, on every screen and route, and so are they
confirmed and exported."""
import csv
import random
import re
import sqlite3
import urllib.parse

import pytest
from commands import hone, ok
from conftest import sweep_spec
from test_leaderboard import Trainers, fetched_trial, listed, winners

TRIALS = 40


def noisy_spec(**changes):
    return sweep_spec(**{"search": {"method": "random", "trials": TRIALS}, "seed": 5,
                         "budget": {"unit": "frames", "per_run": 10, "phases": 1},
                         "parameters": {"x": {"type": "float", "min": 0, "max": 1}}, **changes})


def train(server, sweep, value_of):
    """Every run of the sweep, one report each."""
    worker = server.join()
    while server.get(f"/v1/sweeps/{sweep}")["state"] == "running":
        grant = server.acquire(worker)
        assert grant, "a running sweep has work"
        server.report(grant, 0, value_of(grant))


class Noise(random.Random):
    """For Trainers: its reports are pure noise."""

    def choice(self, few):
        return few[0] if isinstance(few[0], list) else self.gauss(0, 1)


def noisy(draw):
    """A bowl, and noise that is larger than it."""
    return lambda grant: -(grant["params"]["x"] - 0.4) ** 2 + draw.gauss(0, 0.3)


@pytest.fixture
def trained(server):
    sweep = server.submit(noisy_spec())
    train(server, sweep, noisy(random.Random(1)))
    return sweep


def expected_events(server):
    found = server.get("/v1/events?limit=1000")["items"]
    return [one for one in found if one["kind"] == "trials_expected"]


def test_every_screen_names_the_trial_of_which_most_is_expected(server, trained):
    best = server.get(f"/v1/sweeps/{trained}/best?limit=100")["items"]
    expected = [one["expected"] for one in best]
    assert len(best) == TRIALS and None not in expected
    assert expected == sorted(expected, reverse=True)
    assert best[0]["value"] < max(one["value"] for one in best), "the luckiest is not named"
    for one in best:
        assert one["expected_low"] <= one["expected"] <= one["expected_high"]
    every = winners(server, trained)
    assert len(set(every.values())) == 1, every
    assert len(expected_events(server)) >= 2


def test_the_noise_is_stated_in_words(server, trained):
    noise = server.get(f"/v1/sweeps/{trained}")["noise"]
    assert 0.2 < noise <= 1
    words = f"noise is {round(100 * noise)} % of the differences between values"
    for command in (("best", trained), ("show", trained),
                    ("explain", server.get(f"/v1/sweeps/{trained}")["best"]["trial"])):
        printed = hone(*command, server=server)
        assert words in " ".join((printed.stdout + printed.stderr).split()), command
    assert "spread" in ok("best", trained, server=server, COLUMNS="140")


def test_the_confirmation_trains_the_expected_leaders(server):
    sweep = server.submit(noisy_spec(confirm={"top": 3, "seeds": 2}))
    train(server, sweep, noisy(random.Random(2)))
    best = server.get(f"/v1/sweeps/{sweep}/best?limit=3")
    confirmation = best["confirmation"]
    train(server, confirmation, noisy(random.Random(3)))
    again = server.get(f"/v1/sweeps/{confirmation}/trials")["items"]
    params = [one["params"] for one in best["items"]]
    assert sorted(map(str, params)) == sorted(str(one["params"]) for one in again)
    assert len(set(winners(server, sweep).values())) == 1


def test_values_rank_where_there_is_no_noise(server):
    sweep = server.submit(noisy_spec())
    train(server, sweep, lambda grant: -(grant["params"]["x"] - 0.4) ** 2)
    best = server.get(f"/v1/sweeps/{sweep}/best?limit=100")["items"]
    assert all(one["expected"] is None for one in best)
    values = [one["value"] for one in best]
    assert values == sorted(values, reverse=True)
    assert server.get(f"/v1/sweeps/{sweep}")["noise"] is None
    assert not expected_events(server)


def study_of(server, sweep, folder):
    ok("export", sweep, "--optuna", str(folder / "study.db"), server=server)
    return sqlite3.connect(folder / "study.db")


def test_a_study_of_optuna_has_the_values_that_rank(server, trained, tmp_path):
    items = server.get(f"/v1/sweeps/{trained}/best?limit=100")["items"]
    study = study_of(server, trained, tmp_path)
    rows = dict(study.execute(
        "SELECT number, value FROM trials JOIN trial_values USING (trial_id)"))
    assert rows == {one["number"]: one["expected"] for one in items}
    reported = dict(study.execute(
        "SELECT number, value_json FROM trials JOIN trial_user_attributes USING (trial_id)"
        " WHERE key = 'hone_value'"))
    assert {number: float(text) for number, text in reported.items()} == {
        one["number"]: one["value"] for one in items if one["value"] != one["expected"]}


def test_optuna_names_the_winner_of_many_trials(server, tmp_path):
    """A lucky trial beyond those that a model ranks had the best value of the study."""
    sweep = server.submit(noisy_spec(search={"method": "random", "trials": 100}))
    train(server, sweep, noisy(random.Random(4)))
    items = server.get(f"/v1/sweeps/{sweep}/best?limit=100")["items"]
    expected = [one["expected"] for one in items]
    assert None not in expected[:64] and expected[64:] == [None] * 36
    assert max(one["value"] for one in items[64:]) < max(one["value"] for one in items)
    study = study_of(server, sweep, tmp_path)
    order = [number for (number,) in study.execute(
        "SELECT number FROM trials JOIN trial_values USING (trial_id)"
        " WHERE state = 'COMPLETE' ORDER BY value DESC")]
    assert order == [one["number"] for one in items]


def test_the_order_survives_a_restart_and_an_export(server, trained, tmp_path):
    before = listed("best", trained, server=server)
    server.kill()
    server.start()
    assert listed("best", trained, server=server) == before
    where = urllib.parse.quote(f"id = {before[0]['id']}")
    assert server.get(f"/v1/sweeps/{trained}/best?where={where}")["items"][0]["rank"] == 1


def short(value):
    return f"{value:.4g}"


def named_by(server, sweep, folder):
    """The first trial of each door that names no value."""
    columns = server.get(f"/v1/sweeps/{sweep}/columns?fields=trial,expected,tier,key,number")
    table = {name: one if isinstance(one, list) else
             [one["first"] + i * one["by"] for i in range(columns["rows"])]
             for name, one in columns["columns"].items()}
    first = min(range(columns["rows"]),
                key=lambda row: (table["tier"][row], table["key"][row], table["number"][row]))
    ok("report", sweep, "--out", str(folder / "report"), server=server)
    page = "".join(one.read_text() for one in sorted((folder / "report").glob("*.md")))
    assert "noise is" in page and "spread" in page
    rows = list(csv.DictReader(ok("best", sweep, "--format", "csv", server=server).splitlines()))
    trials = list(csv.DictReader(ok("ls", "trials", sweep, "--sort", "value", "--format", "csv",
                                    server=server).splitlines()))
    assert float(rows[0]["expected_low"]) <= float(rows[0]["expected"])
    assert float(trials[0]["expected"]) == float(rows[0]["expected"]) == table["expected"][first]
    return {
        "columns": f"tr_{table['trial'][first]}",
        "csv": rows[0]["trial"],
        "csv of trials": trials[0]["id"],
        "fetch": fetched_trial(server, sweep),
        "incumbent": server.get(f"/v1/sweeps/{sweep}/incumbent")["trial"]["id"],
        "summary": server.get(f"/v1/sweeps/{sweep}/summary")["best"]["trial"],
        "report": re.search(r"tr_\d+", page[page.index("Best trials"):])[0],
        "curve": re.search(r"tr_\d+", ok("curve", sweep, server=server))[0],
    }


def test_every_door_names_it(server, tmp_path):
    sweep = server.submit(noisy_spec())
    Trainers(server, Noise(6), failures=0).train(sweep)
    best = server.get(f"/v1/sweeps/{sweep}")["best"]
    assert best["expected"] is not None
    every = named_by(server, sweep, tmp_path)
    assert set(every.values()) == {best["trial"]}, (every, best)
    text = f"expected {short(best['expected'])}"
    for command in ("show", "watch"):
        printed = hone(command, sweep, server=server)
        assert text in " ".join((printed.stdout + printed.stderr).split()), (command, printed)


def test_filters_know_what_is_expected_and_how_noisy_a_sweep_is(server, trained):
    items = server.get(f"/v1/sweeps/{trained}/best?limit=100")["items"]
    middle = items[10]["expected"]
    found = listed("ls", "trials", trained, "--where", f"expected >= {middle}", server=server)
    assert sorted(one["id"] for one in found) == sorted(
        one["id"] for one in items if one["expected"] >= middle)
    where = urllib.parse.quote("sweep where noise > 0.2")
    assert [one["id"] for one in server.get(f"/v1/find?where={where}")["items"]] == [trained]
    where = urllib.parse.quote("number >= 0")
    again = server.get(f"/v1/sweeps/{trained}/best?limit=100&where={where}")["items"]
    assert [(one["id"], one["expected"]) for one in again] == [
        (one["id"], one["expected"]) for one in items]


@pytest.mark.parametrize("rule", ["none", "asha", "hone", "median"])
def test_a_noisy_sweep_replays(server, rule):
    """An estimate precedes the report that it is due at: each was taken for another report."""
    sweep = server.submit(noisy_spec(budget={"unit": "frames", "per_run": 40, "phases": 4},
                                     terminator={"rule": rule}))
    Trainers(server, Noise(8), failures=0).train(sweep)
    answer = server.get(f"/v1/sweeps/{sweep}/replay")
    assert answer["same"], answer["differences"][:2]
    assert expected_events(server)
    assert len(set(winners(server, sweep).values())) == 1


def test_a_stopped_sweep_ranks_its_latest_trials(server):
    """Trials since the last estimate ranked behind all others; continued, the sweep did not replay."""
    sweep = server.submit(noisy_spec(search={"method": "random", "trials": 90}))
    worker, value_of = server.join(), noisy(random.Random(12))
    for _ in range(23):
        grant = server.acquire(worker)
        server.report(grant, 0, value_of(grant))
    ok("stop", sweep, server=server)
    assert server.get(f"/v1/sweeps/{sweep}")["ended_at"]
    items = server.get(f"/v1/sweeps/{sweep}/best?limit=100")["items"]
    assert len(items) == 23 and None not in [one["expected"] for one in items]
    ok("edit", sweep, "--trials", "40", server=server)
    train(server, sweep, value_of)
    answer = server.get(f"/v1/sweeps/{sweep}/replay")
    assert answer["same"], answer["differences"][:2]
    assert len(set(winners(server, sweep).values())) == 1


def test_another_server_ranks_an_imported_sweep_alike(server, trained, tmp_path):
    before = server.get(f"/v1/sweeps/{trained}/best?limit=100")["items"]
    document = tmp_path / "sweep.json"
    document.write_text(ok("export", trained, "--format", "json", server=server))
    made = ok("import", "hone", str(document), server=server).split()[0]
    after = server.get(f"/v1/sweeps/{made}/best?limit=100")["items"]
    for name in ("number", "value", "expected", "expected_low", "expected_high"):
        assert [one[name] for one in after] == [one[name] for one in before]
    assert server.get(f"/v1/sweeps/{made}")["noise"] == server.get(f"/v1/sweeps/{trained}")["noise"]
    assert server.get(f"/v1/sweeps/{made}/replay")["same"]
    assert len(set(winners(server, made).values())) == 1


def test_a_confirmation_reports_the_rank_by_which_it_chose(server):
    """`hone confirm` ranked the tuned trials by value, `hone best` by what is expected of them."""
    sweep = server.submit(noisy_spec(confirm={"top": 3, "seeds": 2}))
    train(server, sweep, noisy(random.Random(2)))
    confirmation = server.get(f"/v1/sweeps/{sweep}/best?limit=3")["confirmation"]
    expected = {one["id"]: one["expected"]
                for one in server.get(f"/v1/sweeps/{sweep}/trials?limit=100")["items"]}
    train(server, confirmation, noisy(random.Random(3)))
    items = server.get(f"/v1/sweeps/{sweep}/confirm")["items"]
    assert sorted(one["tuned_rank"] for one in items) == [1, 2, 3]
    assert [one["tuned_expected"] for one in items] == [expected[one["of"]] for one in items]
