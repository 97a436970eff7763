"""Noisy single runs rank by what a model expects of them, on every screen and route, and so are they
confirmed and exported."""
import json
import random
import sqlite3
import urllib.parse

import pytest
from commands import hone, ok
from conftest import sweep_spec
from test_leaderboard import listed, winners

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
    columns = server.get(f"/v1/sweeps/{trained}/columns?columns=trial,tier,key,number")
    text = json.dumps(columns)
    assert best[0]["id"][3:] in text
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


def test_a_study_of_optuna_has_the_values_that_rank(server, trained, tmp_path):
    ok("export", trained, "--optuna", str(tmp_path / "study.db"), server=server)
    best = {one["number"]: one["expected"]
            for one in server.get(f"/v1/sweeps/{trained}/best?limit=100")["items"]}
    rows = dict(sqlite3.connect(tmp_path / "study.db").execute(
        "SELECT number, value FROM trials JOIN trial_values USING (trial_id)"))
    assert rows == best


def test_the_order_survives_a_restart_and_an_export(server, trained, tmp_path):
    before = listed("best", trained, server=server)
    server.kill()
    server.start()
    assert listed("best", trained, server=server) == before
    where = urllib.parse.quote(f"id = {before[0]['id']}")
    assert server.get(f"/v1/sweeps/{trained}/best?where={where}")["items"][0]["rank"] == 1
