"""Trials with several seeds, racing, confirmation on separate seeds, and tables with intervals."""
import csv
import json

from commands import hone, ok
from conftest import problem, sweep_spec


def asked_spec(**changes):
    return sweep_spec(command=None, budget=None, trainer={"name": "ask"}, **changes)


def noise(seed, spread):
    return (seed % 1000 / 1000 - 0.5) * 2 * spread


def answer_all(server, sweep, spread):
    """The value of a trial is its depth plus an offset of its seed."""
    while server.get(f"/v1/sweeps/{sweep}")["state"] == "running":
        trial = server.post(f"/v1/sweeps/{sweep}/ask", {"asker": "ada"})
        server.post(f"/v1/trials/{trial['trial']}/tell",
                    {"value": trial["params"]["depth"] + noise(trial["seed"], spread)})


def test_a_confirmed_winner(server):
    sweep = server.submit(asked_spec(search={"method": "random", "trials": 6},
                                     replicates={"seeds": 3},
                                     confirm={"top": 2, "seeds": 6}))
    answer_all(server, sweep, 0.4)
    best = server.get(f"/v1/sweeps/{sweep}/best")
    first = best["items"][0]
    assert best["aggregate"] == "mean" and first["seeds"] == 3
    assert first["interval"][0] <= first["value"] <= first["interval"][1]
    assert first["ranks"][0] == 1
    assert first["expected"] < first["value"]
    confirmation = best["confirmation"]
    assert server.get(f"/v1/sweeps/{confirmation}")["confirms"] == sweep
    answer_all(server, confirmation, 0.4)
    report = server.get(f"/v1/sweeps/{sweep}/confirm")
    assert report["confirmation"] == confirmation and report["state"] == "completed"
    winner, second = report["items"]
    assert winner["seeds"] == 6 and winner["interval"][0] <= winner["iqm"] <= winner["interval"][1]
    assert winner["optimism"] == winner["tuned_value"] - winner["iqm"]
    assert winner["tuned_expected"] == first["expected"]
    assert winner["chance_best"] >= second["chance_best"]
    assert 0 <= second["improvement"]["probability"] <= 1
    assert report["profile"][0]["shares"] == [1, 1]
    assert report["seed_applied"] == "unknown"
    assert server.get(f"/v1/sweeps/{confirmation}/confirm") == report
    assert "hone confirm " + sweep in hone("best", confirmation, server=server).stderr


def test_games_of_different_scales_are_compared_by_ranks(server):
    """The second game pays a thousand times as much, and no reference states it."""
    sweep = server.submit(asked_spec(search={"method": "random", "trials": 6}, replicates={
        "instances": {"parameter": "game", "values": ["small", "large"], "normalize": "ranks"}}))
    told = {}
    while server.get(f"/v1/sweeps/{sweep}")["state"] == "running":
        trial = server.post(f"/v1/sweeps/{sweep}/ask", {"asker": "ada"})
        depth, game = trial["params"]["depth"], trial["params"]["game"]
        value = depth if game == "small" else 1000 * depth
        told.setdefault(game, []).append(value)
        server.post(f"/v1/trials/{trial['trial']}/tell", {"value": value})
    best = server.get(f"/v1/sweeps/{sweep}/best")
    assert best["scale"] == "ranks"
    assert best["items"][0]["params"]["depth"] == max(told["small"])
    assert all(0 < item["value"] < 1 for item in best["items"]), best["items"]
    assert "values are ranks" in hone("best", sweep, server=server).stderr


def test_rows_for_machines_have_intervals_too(server):
    sweep = server.submit(asked_spec(search={"method": "random", "trials": 3},
                                     replicates={"seeds": 2},
                                     confirm={"top": 2, "seeds": 4}))
    answer_all(server, sweep, 1)
    answer_all(server, server.get(f"/v1/sweeps/{sweep}/best")["confirmation"], 1)
    for command in ("best", "confirm"):
        rows = list(csv.DictReader(ok(command, sweep, "--format", "csv",
                                      server=server).splitlines()))
        assert rows and all(" .. " in row["95 % interval"] for row in rows), rows


def seeds_of(server, sweep):
    trials = server.get(f"/v1/sweeps/{sweep}/trials")["items"]
    runs = [run for trial in trials
            for run in server.get(f"/v1/trials/{trial['id']}/runs")["items"]]
    return {run["seed"] for run in runs}


def test_tuning_and_confirmation_share_no_seed(server):
    sweep = server.submit(asked_spec(search={"method": "random", "trials": 4},
                                     replicates={"seeds": 2}))
    answer_all(server, sweep, 1)
    made = server.post(f"/v1/sweeps/{sweep}/confirm", {"request_id": "c", "top": 2, "seeds": 5},
                       201)["sweep"]
    assert server.post(f"/v1/sweeps/{sweep}/confirm", {"request_id": "c", "top": 2,
                                                       "seeds": 5})["sweep"] == made
    answer_all(server, made, 1)
    assert len(seeds_of(server, made)) == 5
    assert not seeds_of(server, made) & seeds_of(server, sweep)
    problem(server.ask("POST", f"/v1/sweeps/{made}/confirm", {"request_id": "d"}), 409, "conflict")


def test_single_runs_are_said_to_be_single(server):
    sweep = server.submit(asked_spec(search={"method": "random", "trials": 4}))
    problem(server.ask("GET", f"/v1/sweeps/{sweep}/confirm"), 404, "not_found",
            words=["hone confirm"])
    answer_all(server, sweep, 1)
    done = hone("best", sweep, server=server)
    assert "likely the luckiest" in done.stderr and "hone confirm" in done.stderr
    assert all(item["seeds"] == 1 and item["interval"] is None
               for item in server.get(f"/v1/sweeps/{sweep}/best")["items"])


def test_the_command_confirms_and_shows_what_came_out(server):
    sweep = server.submit(asked_spec(search={"method": "random", "trials": 4}))
    answer_all(server, sweep, 2)
    made = ok("confirm", sweep, "--start", "--top", "2", "--seeds", "4", server=server).strip()
    answer_all(server, made, 2)
    assert "Tuning reported" in hone("confirm", sweep, server=server).stderr
    assert len(json.loads(ok("confirm", sweep, "--format", "json", server=server))["items"]) == 2
    assert "n = 4 seeds" in ok("curve", made, server=server)
    points = json.loads(ok("export", made, "--bands", "--format", "json", server=server))
    assert [point["n"] for point in points] == [4, 4]
    assert all(point["low"] <= point["iqm"] <= point["high"] for point in points)
    lines = ok("export", made, "--bands", "--format", "csv", server=server).splitlines()
    assert lines[0].startswith("trial,phase,step,n,diverged,iqm,low,high") and len(lines) == 3
    trial = server.get(f"/v1/sweeps/{made}/trials")["items"][0]["id"]
    point = server.get(f"/v1/trials/{trial}/curve")["items"][0]
    assert point["n"] == 4 and point["low"] <= point["iqm"] <= point["high"]


def test_the_phases_of_a_confirmation_are_known_from_its_start(server):
    """Of 6 runs of 4 phases, 11, 14, 19, 24 and 26 were expected, one after the other."""
    sweep = server.submit(sweep_spec(search={"method": "random", "trials": 2}))
    worker = server.join()
    expected = []

    def train(trained, runs):
        for _ in range(runs):
            grant = server.acquire(worker)
            for phase in range(4):
                expected.append(server.get(f"/v1/sweeps/{trained}")["phases"]["expected"])
                server.report(grant, phase, phase)

    train(sweep, 2)
    made = ok("confirm", sweep, "--start", "--top", "2", "--seeds", "3", server=server)
    train(made.strip(), 6)
    assert set(expected[:8]) == {8} and set(expected[8:]) == {24}, expected


def test_a_confirmed_loss_that_is_larger_is_worse(server):
    """Of a loss, 'its value is 0.7: 0.2 less' stood below a table whose `min` was the largest."""
    sweep = server.submit(asked_spec(objective={"metric": "loss", "goal": "minimize"},
                                     search={"method": "random", "trials": 1}))

    def tell(*values):
        for value in values:
            trial = server.post("/v1/sweeps/" + asked + "/ask", {"asker": "ada"})
            server.post(f"/v1/trials/{trial['trial']}/tell", {"value": value})

    asked = sweep
    tell(0.5)
    asked = ok("confirm", sweep, "--start", "--top", "1", "--seeds", "4", server=server).strip()
    tell(0.5, 0.75, 0.75, 1)
    seen = hone("confirm", sweep, server=server)
    assert "confirmed, its value is 0.75: 0.25 worse." in seen.stderr
    row = next(csv.DictReader(ok("confirm", sweep, "--format", "csv", server=server).splitlines()))
    assert float(row["worst"]) == 1 and "min" not in row


def test_the_band_of_few_seeds_is_wider_than_their_range(server):
    """The '95 % band' of three seeds was their range, which covers the truth in two of three cases."""
    sweep = server.submit(asked_spec(search={"method": "random", "trials": 1},
                                     replicates={"seeds": 3}))
    for value in (1, 2, 3):
        trial = server.post(f"/v1/sweeps/{sweep}/ask", {"asker": "ada"})
        server.post(f"/v1/trials/{trial['trial']}/tell", {"value": value})
    point = server.get("/v1/trials/tr_1/curve")["items"][0]
    item = server.get(f"/v1/sweeps/{sweep}/best")["items"][0]
    assert point["low"] < 1 and point["high"] > 3
    assert [point["low"], point["high"]] == item["interval"]  # the only trial: nothing else to pool


def test_a_restart_goes_on_with_the_race(server):
    spec = asked_spec(search={"method": "random", "trials": 5}, terminator={"rule": "none"},
                      replicates={"seeds": {"min": 1, "max": 4}, "aggregate": "iqm"})
    sweep = server.submit(spec)
    for _ in range(4):
        trial = server.post(f"/v1/sweeps/{sweep}/ask", {"asker": "ada"})
        server.post(f"/v1/trials/{trial['trial']}/tell", {"value": noise(trial["seed"], 2)})
    server.kill()
    server.start()
    answer_all(server, sweep, 2)
    runs = [trial["runs"] for trial in server.get(f"/v1/sweeps/{sweep}/trials")["items"]]
    assert max(runs) > 1 and max(runs) <= 4


def test_a_report_may_say_that_its_seed_was_not_applied(server):
    server.submit(sweep_spec(search={"method": "random", "trials": 1}))
    worker = server.join()
    grant = server.acquire(worker)
    server.post(f"/v1/leases/{grant['lease']}/reports", {"phase": 0, "step": 1, "value": 1,
                                                         "seed_applied": False})
    run = server.get(f"/v1/runs/{grant['attempt'].split('#')[0]}")
    assert run["seed_applied"] is False
