"""Optuna's own tests of samplers, and ours with real studies. test_python_libraries.py runs them with
a Python that has Optuna."""
import warnings

import optuna
import pytest
from optuna.testing.pytest_samplers import (BasicSamplerTestCase, MultiObjectiveSamplerTestCase,
                                            RelativeSamplerTestCase)

import hone.optuna


@pytest.fixture(scope="session")
def client():
    return hone.optuna._own_server()


@pytest.fixture
def sampler(client):
    return lambda **settings: hone.optuna.Sampler(client=client, **settings)


class Ours:
    @pytest.fixture
    def sampler(self, client):
        return lambda: hone.optuna.Sampler(client=client)


class TestBasic(Ours, BasicSamplerTestCase):
    pass


class TestRelative(Ours, RelativeSamplerTestCase):
    pass


class TestMultiObjective(Ours, MultiObjectiveSamplerTestCase):
    pass


def valley(trial):
    x, y = trial.suggest_float("x", -5, 5), trial.suggest_float("y", -5, 5)
    return (x - 1) ** 2 + (y + 2) ** 2


def test_it_finds_what_random_search_misses(sampler):
    def best(one):
        study = optuna.create_study(sampler=one)
        study.optimize(valley, n_trials=40)
        return study.best_value

    assert best(sampler(seed=1)) < 0.1 < min(
        best(optuna.samplers.RandomSampler(seed=seed)) for seed in range(3))


def test_the_same_seed_proposes_the_same(sampler):
    def params():
        study = optuna.create_study(sampler=sampler(seed=5))
        study.optimize(valley, n_trials=8)
        return [trial.params for trial in study.trials]

    assert params() == params()


def test_an_existing_study_is_continued_with_its_trials(sampler, client):
    study = optuna.create_study(study_name="existing")
    study.optimize(valley, n_trials=15)
    study.sampler = sampler()
    study.optimize(valley, n_trials=3)
    sweep = next(one for one in client.sweeps() if one["name"] == "existing")
    told = [trial["value"] for trial in client.trials(sweep["id"], sort="number")]
    assert told == [trial.value for trial in study.trials]


def test_two_processes_of_one_study_learn_from_each_other(sampler, client):
    storage = optuna.storages.InMemoryStorage()
    for name in ("first", "second"):
        study = optuna.create_study(storage=storage, study_name="shared", sampler=sampler(),
                                    load_if_exists=True)
        study.optimize(valley, n_trials=5)
    newest = next(one for one in client.sweeps() if one["name"] == "shared")
    assert newest["runs"]["completed"] == 10


def test_threads_share_a_sampler(sampler):
    study = optuna.create_study(sampler=sampler())
    study.optimize(valley, n_trials=24, n_jobs=4)
    assert len({tuple(trial.params.values()) for trial in study.trials}) == 24


def test_pruned_and_failed_trials_are_told(sampler, client):
    study = optuna.create_study(sampler=sampler(), study_name="pruned")

    def objective(trial):
        x = trial.suggest_float("x", 0, 1)
        if trial.number % 3 == 1:
            trial.report(x, 0)
            raise optuna.TrialPruned
        if trial.number % 3 == 2:
            raise ValueError("no good")
        return x

    study.optimize(objective, n_trials=9, catch=(ValueError,))
    sweep = next(one for one in client.sweeps() if one["name"] == "pruned")
    assert sweep["runs"]["completed"] == 6 and sweep["runs"]["failed"] == 3


def test_a_replaced_proposal_is_no_evidence(sampler, client):
    """enqueue_trial and fixed parameters: what ran counts, what was proposed does not."""
    study = optuna.create_study(sampler=sampler(), study_name="replaced")
    study.optimize(valley, n_trials=2)
    study.enqueue_trial({"x": 3.5})
    study.optimize(valley, n_trials=2)
    assert study.trials[2].params["x"] == 3.5
    sweep = next(one for one in client.sweeps() if one["name"] == "replaced")
    values = {trial["value"] for trial in client.trials(sweep["id"])}
    assert values - {None} == {trial.value for trial in study.trials}


def test_odd_names_and_categories_are_kept(sampler):
    study = optuna.create_study(sampler=sampler(), directions=["minimize", "maximize"])

    def objective(trial):
        kind = trial.suggest_categorical("kind of/net", [None, 1, True, "1", 1.5])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            step = trial.suggest_float("ünit", 0.1, 0.9, step=0.2)
        return step, float(kind == "1")

    study.optimize(objective, n_trials=15)
    assert all(trial.state == optuna.trial.TrialState.COMPLETE for trial in study.trials)
    assert len({repr(trial.params["kind of/net"]) for trial in study.trials}) > 2
