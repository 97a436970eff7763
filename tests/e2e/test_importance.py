"""`hone importance`, and `hone bench driver`, which needs no server."""
import json

from commands import hone, ok
from conftest import sweep_spec

PARAMETERS = {"width": {"type": "int", "min": 1, "max": 9},
              "act": {"type": "choice", "values": ["relu", "tanh"]},
              "slope": {"type": "float", "min": 0, "max": 1, "when": "act == 'tanh'"}}


def told_sweep(server, trials):
    """The width decides, the choice helps a little."""
    sweep = server.submit(sweep_spec(command=None, budget=None, trainer={"name": "ask"},
                                     parameters=PARAMETERS,
                                     search={"method": "random", "trials": 100}))
    for _ in range(trials):
        asked = server.post(f"/v1/sweeps/{sweep}/ask", {"asker": "ada"})
        value = asked["params"]["width"] + (0.8 if asked["params"]["act"] == "relu" else 0)
        server.post(f"/v1/trials/{asked['trial']}/tell", {"value": value})
    return sweep


def test_importance_names_what_decides(server):
    sweep = told_sweep(server, 40)
    lines = ok("importance", sweep, server=server).splitlines()
    assert lines[0].split() == ["parameters", "share", "of", "the", "variance"]
    assert lines[1].split()[0] == "width" and "%" in lines[1]
    reply = json.loads(ok("importance", sweep, "--format", "json", server=server))
    assert reply["items"][0]["parameters"] == ["width"] and reply["items"][0]["share"] > 0.8
    assert reply["trials"] == 40 and reply["trees"] == 64 and reply["explained"] > 0.8
    rows = ok("importance", "--format", "csv", server=server).splitlines()
    assert rows[0] == "parameters,share,deviation" and len(rows) == 1 + 3 + 3
    assert rows[1].startswith("width,")
    assert ok("importance", "--objective", "return", "--format", "csv",
              server=server).splitlines() == rows
    said = hone("importance", sweep, server=server).stderr
    assert "40 completed trials" in said and "seed" in said


def test_importance_takes_the_filter_of_the_lists(server):
    """A brush on the dashboard filtered every chart but this one."""
    sweep = told_sweep(server, 60)
    trials = server.get(f"/v1/sweeps/{sweep}/trials?limit=100")["items"]
    some = [one for one in trials if one["value"] is not None and one["params"]["width"] <= 5]
    asked = ("importance", sweep, "--where", "params.width <= 5", "--format", "json")
    reply = json.loads(ok(*asked, server=server))
    assert reply["trials"] == len(some) < 60 == reply["completed"]
    few = hone("importance", sweep, "--where", "params.width > 99", server=server)
    assert few.returncode == 4 and "at least 10 trials" in few.stderr
    wrong = hone("importance", sweep, "--where", "widht > 3", server=server)
    assert wrong.returncode == 2 and "no field 'widht'" in wrong.stderr


def test_importance_is_refused_for_too_few_trials_and_unknown_objectives(server):
    sweep = told_sweep(server, 9)
    few = hone("importance", sweep, server=server)
    assert few.returncode == 4 and "at least 10 trials" in few.stderr
    other = hone("importance", sweep, "--objective", "a&b", server=server)
    assert other.returncode == 2 and "no objective 'a&b', only return" in other.stderr


def test_importance_works_where_a_rule_stops_most_trials(server):
    """It was refused on every sweep with early stopping, as too few trials were completed."""
    sweep = server.submit(sweep_spec(parameters=PARAMETERS,
                                     search={"method": "random", "trials": 40},
                                     terminator={"rule": "asha", "eta": 4}))
    worker = server.join()
    while (grant := server.acquire(worker)):
        value = grant["params"]["width"] + (0.8 if grant["params"]["act"] == "relu" else 0)
        for phase in range(grant["next_phase"], 4):
            if server.report(grant, phase, value)["verdict"] != "continue":
                break
    reply = server.get(f"/v1/sweeps/{sweep}/importance")
    assert reply["completed"] < 20 and reply["phase"] == 0 and reply["trials"] == 40
    assert reply["items"][0]["parameters"] == ["width"]
    assert "after phase 1" in hone("importance", sweep, server=server).stderr


def test_bench_driver_speaks_in_lines_of_json():
    lines = [json.loads(line) for line in
             ok("bench", "driver", "quality", "problem=branin", "seeds=0-1", "n=20",
                "workers=4").splitlines()]
    assert [line["seed"] for line in lines] == [0, 1]
    assert all(line["trace"][0][0] == 1 and line["trace"][-1][1] >= 0.39788 for line in lines)
    assert hone("bench", "driver", "quality", "problem=x").returncode == 2
    assert hone("bench", "driver", "memory", "n").returncode == 2
