"""hone evaluate: a saved checkpoint is played again and its returns become a part of the ledger."""
import json
import sys

import pytest

from commands import hone, ok
from conftest import sweep_spec
from test_code import ended
from test_reproduce import start  # noqa: F401 (a fixture)
from trained import done, save, train  # noqa: F401 (done is a fixture)

TRAINERS = [
    ("ga3c", {"deterministic": "yes"}, "frames", 4000, "return", "CartPole-v1"),
    ("dqn", {"env": "Acrobot-v1"}, "frames", 2000, "return", "Acrobot-v1"),
    ("cem", {}, "episodes", 64, "return", "CartPole-v0"),
    ("placement", {"graph": "inception-v3", "devices": 2, "agent": "ce"}, "placements", 64,
     "step_ms", "inception-v3"),
]


def best_model(server, sweep):
    return next(model["id"] for model in server.get(f"/v1/models?sweep={sweep}")["items"]
                if not model["dropped_at"])


def evaluate(server, model, *words):
    return json.loads(ok("evaluate", model, "--yes", "--format", "json", *words, server=server))


@pytest.mark.parametrize("name, settings, unit, budget, metric, environment", TRAINERS,
                         ids=lambda value: value if isinstance(value, str) else "")
def test_the_same_seed_gives_the_same_returns(server, start, name, settings, unit,  # noqa: F811
                                              budget, metric, environment):
    start()
    goal = "minimize" if metric == "step_ms" else "maximize"
    sweep = server.submit(sweep_spec(
        command=None, trainer={"name": name, **settings},
        objective={"metric": metric, "goal": goal},
        parameters={"learning_rate": {"type": "float", "min": 1e-4, "max": 1e-2, "scale": "log"}},
        search={"method": "random", "trials": 1},
        budget={"unit": unit, "per_run": budget, "phases": 2}))
    ended(server, sweep)
    model = best_model(server, sweep)
    once, again, other = (evaluate(server, model, "--episodes", "20", "--seed", seed, "--sample")
                          for seed in ("7", "7", "8"))
    assert [one["id"] for one in (once, again, other)] == ["ev_1", "ev_2", "ev_3"]
    assert once["values"] == again["values"] and once["mean"] == again["mean"]
    if name == "placement":
        assert len(once["values"]) == 1  # a placement has one step time, without chance
    else:
        assert len(once["values"]) == 20 and once["values"] != other["values"]
    assert once["mean"] == pytest.approx(sum(once["values"]) / len(once["values"]))
    assert (once["metric"], once["environment"], once["seed"], once["sample"]) == (
        metric, environment, 7, True)
    assert once["model"] == model and once["run"] == "rn_1.0" and once["author"]
    line = ok("show", "ev_1", server=server)
    assert f"ev_1  {model} on {environment}: {metric}" in line and "(seed 7, sampled" in line
    assert "ev_3" in ok("show", model, server=server)
    assert model in ok("lineage", "ev_2", server=server)
    named = json.loads(ok("find", f"evaluation where metric = {metric}", "--format", "json",
                          server=server))  # was taken for the metric of a run, and refused
    assert len(named) == 3
    found = json.loads(ok("find", f"evaluation where seed = 8 and model.id = {model}", "--format",
                          "json", server=server))
    assert [one["id"] for one in found] == ["ev_3"]


def test_what_hone_cannot_play_is_refused_with_the_reason(server, done):  # noqa: F811
    command = hone("evaluate", best_model(server, done), server=server)
    assert command.returncode == 4 and "POST /v1/models/" in command.stderr, command.stderr
    run = hone("evaluate", "rn_1.0", server=server)
    assert run.returncode == 2 and "hone ls models rn_1.0" in run.stderr
    assert hone("evaluate", "md_999", server=server).returncode == 3
    assert hone("evaluate", "md_1", "--episodes", "10001", server=server).returncode == 2


def test_a_checkpoint_that_is_no_model_leaves_no_evaluation(server):
    server.submit(sweep_spec(
        command=None, trainer={"name": "ga3c"}, search={"method": "random", "trials": 1},
        parameters={"learning_rate": {"type": "float", "min": 1e-4, "max": 1e-2}}))
    grant = server.acquire(server.join())
    model = save(server, grant, 0, "no weights")
    server.report(grant, 0, 1)
    refused = hone("evaluate", model, "--yes", server=server)
    assert refused.returncode == 4, refused.stderr
    assert "hone-train: " in refused.stderr and f"could not play {model}" in refused.stderr
    missing = hone("show", "ev_1", server=server)
    assert missing.returncode == 3, missing.stdout


EVALUATE = r'''
import json, sys
model, episodes, seed, lr, what = sys.argv[1:]
weight = json.load(open(model))["weight"]
print("playing")
for episode in range(int(episodes)):
    print("@hone", json.dumps({"report": {"value": weight + int(seed) + episode}}))
print("@hone", json.dumps({"metric": {"name": "rate", "value": float(lr)}}))
if what == "nan":
    print('@hone {"report": {"value": "diverged"}}')
sys.exit(3 if what == "fail" else 0)
'''


@pytest.fixture
def measured(server, tmp_path):
    """A function that saves a checkpoint in a sweep with an evaluate: command; returns the model."""
    (tmp_path / "evaluate.py").write_text(EVALUATE)
    worker = server.join()

    def one(what="well"):
        server.submit(sweep_spec(
            evaluate=[sys.executable, str(tmp_path / "evaluate.py"), "${hone.model}",
                      "${hone.episodes}", "${hone.seed}", "${lr}", what],
            search={"method": "random", "trials": 1}))
        grant = server.acquire(worker)
        model = save(server, grant, 0, json.dumps({"weight": 5}))
        server.report(grant, 0, 1)
        return model, grant

    return one


def test_the_sweeps_own_command_measures_a_model(server, measured):
    model, grant = measured()
    printed = hone("evaluate", model, "--yes", "--episodes", "3", "--seed", "7", server=server)
    assert printed.returncode == 0, printed.stderr
    assert "ev_1" in printed.stdout and "ev_2" in printed.stdout and "playing" in printed.stderr
    first, second = (server.get(f"/v1/evaluations/ev_{number}") for number in (1, 2))
    assert (first["metric"], first["values"], first["seed"]) == ("return", [12, 13, 14], 7)
    assert (second["metric"], second["values"]) == ("rate", [grant["params"]["lr"]])
    both = json.loads(ok("evaluate", model, "--yes", "--episodes", "1", "--format", "json",
                         server=server))
    assert [one["id"] for one in both] == ["ev_3", "ev_4"]


@pytest.mark.parametrize("what, words", [("fail", "status 3"), ("nan", "not a number")])
def test_an_evaluation_that_fails_records_nothing(server, measured, what, words):
    model, _ = measured(what)
    refused = hone("evaluate", model, "--yes", "--episodes", "2", server=server)
    assert refused.returncode == 4 and words in refused.stderr, refused.stderr
    assert server.ask("GET", "/v1/evaluations/ev_1").status == 404


def test_an_evaluating_command_names_its_model_and_known_parameters(server):
    for words, says in ((["play"], "${hone.model}"), (["play", "${hone.model}", "${x}"], "${x}")):
        answer = server.ask("POST", "/v1/sweeps",
                            {"request_id": "r", "spec": sweep_spec(evaluate=words)})
        assert answer.status == 400 and says in answer.json["detail"], answer
        assert answer.json["at"].startswith("/spec/evaluate"), answer
