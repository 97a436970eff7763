"""The search space of Heinrich and Frosio (GTC 2019), slides 26 and 34, with the real programs."""
import collections
import math
import os
import subprocess

import pytest

from conftest import program
from test_ask import ask, asked_spec, tell

RATE = {"type": "float", "min": 1e-5, "max": 1e-2, "scale": "log"}
T_MAX = {"type": "int", "min": 2, "max": 100, "scale": "log"}
GAMMAS = [0.9, 0.95, 0.99, 0.995, 0.999, 0.9995, 0.9999]
TRIALS = 600
# A right sampler exceeds this distance of distributions with one seed of a thousand.
FAR = 1.95 / math.sqrt(TRIALS)


@pytest.fixture(name="drawn")
def fixture_drawn(server):
    """What random search proposes."""
    sweep = server.submit(asked_spec(
        parameters={"learning_rate": RATE, "t_max": T_MAX,
                    "gamma": {"type": "choice", "values": GAMMAS}},
        search={"method": "random", "trials": TRIALS}, seed=1))
    rows = []
    for _ in range(TRIALS):
        trial = ask(server, sweep)
        rows.append(trial["params"])
        tell(server, trial, value=0)
    return rows


def distance(values, law):
    """The largest difference of the shares of values up to each of them from those of the law."""
    values = sorted(values)
    return max(max(law(value) - values.index(value) / TRIALS,
                   (TRIALS - values[::-1].index(value)) / TRIALS - law(value))
               for value in set(values))


def up_to(whole):
    """The published law, whose cells are [n - 1/2, n + 1/2) for both ends too."""
    return math.log((whole + 0.5) / 1.5) / math.log(100.5 / 1.5)


def test_random_search_draws_from_the_published_distributions(drawn):
    rates = [row["learning_rate"] for row in drawn]
    assert distance(rates, lambda rate: math.log(rate / 1e-5) / math.log(1e3)) < FAR
    lengths = [row["t_max"] for row in drawn]
    assert all(type(length) is int and 2 <= length <= 100 for length in lengths)
    counts = collections.Counter(lengths)
    off = [abs(sum(counts[n] for n in range(2, whole + 1)) / TRIALS - up_to(whole))
           for whole in range(2, 101)]
    assert max(off) < FAR
    gammas = collections.Counter(row["gamma"] for row in drawn)
    assert sorted(gammas) == GAMMAS
    expected = TRIALS / len(GAMMAS)
    assert sum((gammas[value] - expected) ** 2 / expected for value in GAMMAS) < 22.5


def test_parameters_do_not_depend_on_each_other(drawn):
    """Correlations of ranks: a right sampler exceeds the bound with one seed of a thousand."""
    columns = [[row[name] for row in drawn] for name in ("learning_rate", "t_max", "gamma")]
    for i, one in enumerate(columns):
        for other in columns[:i]:
            assert abs(correlation(ranks(one), ranks(other))) < 3.3 / math.sqrt(TRIALS)


def ranks(values):
    order = sorted(values)
    return [order.index(value) + order.count(value) / 2 for value in values]


def correlation(one, other):
    means = sum(one) / TRIALS, sum(other) / TRIALS
    pairs = [(a - means[0], b - means[1]) for a, b in zip(one, other)]
    return sum(a * b for a, b in pairs) / math.sqrt(sum(a * a for a, _ in pairs)
                                                    * sum(b * b for _, b in pairs))


def test_topology_training_and_environment_are_parameters_of_one_sweep(server, tmp_path):
    choices = {"layers": [1, 2], "hidden": [8, 16], "activation": ["tanh", "relu"],
               "optimizer": ["rmsprop", "adam"], "env": ["CartPole-v1", "Acrobot-v1"]}
    sweep = server.submit({
        "name": "all-of-slide-26", "objective": {"metric": "return", "goal": "maximize"},
        "trainer": {"name": "ga3c", "envs": 4}, "checkpoints": {"keep": "all"},
        "parameters": {**{name: {"type": "choice", "values": values}
                          for name, values in choices.items()},
                       "learning_rate": RATE, "t_max": T_MAX},
        "search": {"method": "random", "trials": 8}, "terminator": {"rule": "none"},
        "budget": {"unit": "frames", "per_run": 1000, "phases": 1}})
    subprocess.run([program("hone-worker"), "--slots", "1", "--data", str(tmp_path / "worker"),
                    "--until-idle"], check=True, timeout=300, capture_output=True,
                   env={**os.environ, "HONE_SERVER": f"http://127.0.0.1:{server.port}"})
    assert server.get(f"/v1/sweeps/{sweep}")["state"] == "completed"
    trials = server.get(f"/v1/sweeps/{sweep}/trials")["items"]
    for name, values in choices.items():
        assert {trial["params"][name] for trial in trials} == set(values), name
    returns = {env: [trial["value"] for trial in trials if trial["params"]["env"] == env]
               for env in choices["env"]}
    assert min(returns["CartPole-v1"]) > 0 > max(returns["Acrobot-v1"])
    for model in server.get("/v1/models")["items"]:
        params = next(trial["params"] for trial in trials
                      if model["run"].startswith(trial["id"].replace("tr", "rn") + "."))
        file = server.ask("GET", f"/v1/blobs/{model['sha256']}").body
        document = file[8:8 + int.from_bytes(file[:8], "little")].decode()
        assert params["env"] in document
