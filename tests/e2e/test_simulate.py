"""`hone simulate` and the default methods: recorded curves instead of training, no server."""
import csv
import io
import json

from commands import hone, ok, write_spec
from conftest import ROOT, sweep_spec
from trained import train

SWEEP = ROOT / "sdk" / "examples" / "simulated.yaml"
TABLE = ROOT / "tests" / "data" / "curves" / "ga3c_cartpole.csv"


def simulate(*words):
    return json.loads(ok("simulate", SWEEP, "--table", TABLE, "--reps", "40", *words, "--format",
                         "json"))


def test_methods_stand_side_by_side_and_ours_beats_complete_runs():
    ours, complete = simulate("--against", "none", "--workers", "8")
    assert (ours["method"], complete["method"]) == ("hone", "none")
    assert ours["regret"]["mean"] < complete["regret"]["mean"]
    assert ours["trials"]["mean"] > complete["trials"]["mean"]
    assert 0.9 < ours["busy"]["mean"] <= 1
    assert (ours["rank"], complete["rank"]) == (1, 2)
    assert ours["relative_to_none"] < 1 == complete["relative_to_none"]
    assert ours["diverged"] == 0


def test_every_rule_trains_a_run_for_less_than_none():
    """pbt alone has no simulation: no curve tells what a fork with other parameters would return."""
    schema = json.loads(ok("schema"))
    rules = schema["properties"]["terminator"]["properties"]["rule"]["enum"]
    of_a_method = {"dehb": "dehb/dehb", "threshold": "threshold:value=100,phases=5"}
    named = [of_a_method.get(rule, rule) for rule in rules if rule not in ("none", "pbt")]
    rows = simulate("--workers", "4", *(word for rule in ["none", *named]
                                        for word in ("--against", rule)))
    work = {row["method"]: row["work_per_run"]["mean"] for row in rows}
    assert set(work) == {"none", *named} and len(named) > 9
    assert all(work[rule] < 0.9 * work["none"] for rule in named), work


def test_every_method_may_learn_from_a_sweep_before_it():
    alone = simulate("--against", "tpe/none")[1]
    told = simulate("--against", "tpe/none", "--after", "none")[1]
    assert abs(told["trials"]["mean"] - alone["trials"]["mean"]) < 1, "as much time for itself"
    assert told["regret"]["mean"] < alone["regret"]["mean"], "it begins with its results"
    done = hone("simulate", SWEEP, "--table", TABLE, "--after", "no_such_rule")
    assert done.returncode == 2 and "no_such_rule" in done.stderr, done.stderr


def test_a_rival_that_takes_no_warm_start_is_left_out_with_a_remark():
    """It ended the whole comparison."""
    done = hone("simulate", SWEEP, "--table", TABLE, "--reps", "2", "--after", "none", "--against",
                "bohb/hyperband", "--against", "dehb/dehb", "--against", "tpe/none", "--format",
                "json")
    assert done.returncode == 0, done.stderr
    assert [row["method"] for row in json.loads(done.stdout)] == ["hone", "tpe/none"]
    assert [row["rank"] for row in json.loads(done.stdout)].count(1) == 1
    for method in ("bohb/hyperband", "dehb/dehb"):
        assert f"left out {method}: " in done.stderr, done.stderr
    own = hone("simulate", SWEEP, "--table", TABLE, "--reps", "2", "--after", "none", "--set",
               "search.method=bohb", "--set", "terminator.rule=asha")
    assert own.returncode == 2 and "takes a warm start" in own.stderr, own.stderr


def test_the_anytime_curve_is_a_csv_with_a_row_for_each_look():
    text = ok("simulate", SWEEP, "--table", TABLE, "--reps", "3", "--against", "asha:eta=4",
              "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 2 * 20
    assert {row["method"] for row in rows} == {"hone", "asha:eta=4"}
    assert float(rows[19]["time"]) == 2


def test_the_same_seed_gives_the_same_numbers():
    assert simulate("--seed", "5") == simulate("--seed", "5") != simulate("--seed", "6")


def test_bad_input_says_where_and_what(tmp_path):
    lonely = tmp_path / "lonely.csv"
    lonely.write_text("lr,v1\n0.1,1\n")
    cases = [
        (["--table", lonely], ["lonely.json", "goal and parameters"]),
        (["--table", TABLE, "--against", "asha:eta"], ["asha:eta", "NAME=NUMBER"]),
        (["--table", TABLE, "--against", "no_such_rule"], ["no_such_rule"]),
        ([], ["--table"]),
    ]
    for words, expected in cases:
        done = hone("simulate", SWEEP, *words)
        assert done.returncode == 2, done.stderr
        for text in expected:
            assert text in done.stderr


def test_a_sweep_file_that_names_no_method_uses_ours(tmp_path):
    file = write_spec(tmp_path, search={"trials": 4}, terminator=None)
    plan = json.loads(ok("plan", file, "--format", "json"))
    assert plan["search"]["method"] == "hone" and plan["terminator"]["rule"] == "hone"
    assert plan["plan"]["phases_expected"] < plan["plan"]["phases_at_most"]


def test_several_objectives_are_not_judged_by_one(tmp_path):
    objectives = [{"metric": "return", "goal": "maximize"},
                  {"metric": "seconds", "goal": "minimize"}]
    both = {"objective": None, "objectives": objectives, "search": {"trials": 4},
            "terminator": None}
    plan = json.loads(ok("plan", write_spec(tmp_path, **both), "--format", "json"))
    assert plan["search"]["method"] == "tpe" and plan["terminator"]["rule"] == "none"
    refused = hone("plan", write_spec(tmp_path, **{**both, "terminator": {"rule": "asha"}}))
    assert refused.returncode == 2 and "/terminator/rule" in refused.stderr


def test_the_curves_of_every_kind_of_parameter_are_simulated(server, tmp_path):
    """Derived parameters, null and texts with line ends were refused."""
    values = [None, "null", 1, "1", True, "true", "", "a\nb", [64, 64], {"a": 1}, "x,y", 2.5]
    spec = sweep_spec(
        command=["python3", "train.py"], seed=3,
        parameters={"f": {"type": "float", "min": 0.001, "max": 1, "scale": "log"},
                    "i": {"type": "int", "min": 2, "max": 16, "step": 2},
                    "b": {"type": "bool"}, "fixed": {"type": "fixed", "value": None},
                    "c": {"type": "choice", "values": values},
                    "o": {"type": "choice", "values": [1, 2, 4], "ordered": True, "when": "b"},
                    "d": {"type": "derived", "expr": "i * 2"}},
        search={"method": "random", "trials": 120}, budget={"unit": "frames", "per_run": 10,
                                                           "phases": 2})
    sweep = server.submit(spec)
    worker = server.join()
    trained = 0
    while train(server, worker, trained):
        trained += 1
    assert trained == 120
    trials = server.get(f"/v1/sweeps/{sweep}/trials?limit=200")["items"]
    drawn = {json.dumps(one["params"]["c"]) for one in trials}
    assert drawn == {json.dumps(value) for value in values}
    ok("export", sweep, "--format", "curves", "--out", "made.csv", server=server, cwd=tmp_path)
    (tmp_path / "sweep.json").write_text(json.dumps(spec))
    (row,) = json.loads(ok("simulate", "sweep.json", "--table", "made.csv", "--reps", "5",
                           "--format", "json", cwd=tmp_path))
    assert row["table"] == "made" and row["trials"]["mean"] > 0


def test_the_objectives_that_a_curve_table_leaves_out_are_named(server):
    sweep = server.submit(sweep_spec(
        objective=None, objectives=[{"metric": "return", "goal": "maximize"},
                                    {"metric": "joules", "goal": "minimize"}],
        search={"method": "random", "trials": 1}, budget={"unit": "frames", "per_run": 10,
                                                          "phases": 1}))
    grant = server.acquire(server.join())
    server.post(f"/v1/leases/{grant['lease']}/reports",
                {"phase": 0, "step": 10, "value": 1, "further": [5]})
    result = hone("export", sweep, "--format", "curves", server=server)
    assert result.returncode == 0 and "one objective: joules" in result.stderr, result.stderr
