"""The optimizers that run.py compares: each is made for a problem and a seed, and has

  ask()              the next parameters
  tell(params, value)  the value of the last ones; None: the trial failed

Each is used as its documentation shows for sequential search of `trials` trials. What cannot learn
from a failed trial gets the worst value so far.
"""
import math
import random
import re
import shutil
import warnings


def condition(entry: dict) -> tuple[str, str]:
    """The parent and the value under which a parameter exists; empty: always."""
    found = re.fullmatch(r"(\w+) == '(\w+)'", entry.get("when", ""))
    return found.groups() if found else ("", "")


def active(space: dict, params: dict) -> dict:
    """The parameters that exist; parents come before what depends on them."""
    kept: dict = {}
    for name, entry in space.items():
        parent, value = condition(entry)
        if not parent or kept.get(parent) == value:
            kept[name] = params[name]
    return kept


def size_of(entry: dict) -> int:
    """Columns in a unit cube: one for each value of a choice, one for a number."""
    return len(entry["values"]) if entry["type"] == "choice" else 1


def from_unit(space: dict, point) -> dict:
    """The parameters of a point of the unit cube; of a choice the greatest column counts."""
    params, at = {}, 0
    for name, entry in space.items():
        size = size_of(entry)
        cells = point[at:at + size]
        at += size
        if entry["type"] == "choice":
            params[name] = entry["values"][max(range(size), key=lambda k: cells[k])]
            continue
        integer = entry["type"] == "int"
        low, high = entry["min"] - 0.5 * integer, entry["max"] + 0.5 * integer
        u = min(1.0, max(0.0, float(cells[0])))
        if entry.get("scale") == "log":
            value = math.exp(math.log(low) + u * (math.log(high) - math.log(low)))
        else:
            value = low + u * (high - low)
        if integer:
            value = min(entry["max"], max(entry["min"], round(value)))
        params[name] = value if integer else min(entry["max"], max(entry["min"], value))
    return params


class Worst:
    """Replaces failures by the worst value so far, and before there is one by a bad one."""

    BAD = 20.0

    def __init__(self):
        self.worst = -math.inf

    def of(self, value):
        if value is None:
            return self.worst if self.worst > -math.inf else self.BAD
        self.worst = max(self.worst, value)
        return value


class Random:
    def __init__(self, space, trials, seed):
        self.space, self.rng = space, random.Random(seed)
        self.columns = sum(size_of(entry) for entry in space.values())

    def ask(self):
        return active(self.space, from_unit(self.space,
                                            [self.rng.random() for _ in range(self.columns)]))

    def tell(self, params, value):
        pass


class Hone:
    """A sweep of one phase on a server of this program."""

    client = None

    def __init__(self, space, trials, seed, method):
        import hone
        self.sweep = hone.Sweep(space, "value", goal="minimize", search=method, trials=trials,
                                phases=1, seed=seed, client=self.client)

    def ask(self):
        self.run = self.sweep.ask()
        return dict(self.run.params)

    def tell(self, params, value):
        if value is None:
            self.sweep.fail(self.run, "infeasible", infeasible=True)
        else:
            self.sweep.tell(self.run, value)
        self.run.close()
        shutil.rmtree(self.run.folder)


class Suggesting:
    """Tools that ask for one parameter after the other, as Optuna does."""

    def __init__(self, space):
        self.space = space

    def suggest(self, trial):
        params: dict = {}
        for name, entry in self.space.items():
            parent, value = condition(entry)
            if parent and params.get(parent) != value:
                continue
            if entry["type"] == "choice":
                params[name] = trial.suggest_categorical(name, entry["values"])
            else:
                suggest = trial.suggest_int if entry["type"] == "int" else trial.suggest_float
                params[name] = suggest(name, entry["min"], entry["max"],
                                       log=entry.get("scale") == "log")
        return params


class Optuna(Suggesting):
    def __init__(self, space, trials, seed, sampler):
        import optuna
        super().__init__(space)
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        warnings.simplefilter("ignore")
        self.failed = optuna.trial.TrialState.FAIL
        samplers = {"tpe": lambda: optuna.samplers.TPESampler(seed=seed),
                    "gp": lambda: optuna.samplers.GPSampler(seed=seed)}
        self.study = optuna.create_study(sampler=samplers[sampler]())

    def ask(self):
        self.trial = self.study.ask()
        return self.suggest(self.trial)

    def tell(self, params, value):
        if value is None:
            self.study.tell(self.trial, state=self.failed)
        else:
            self.study.tell(self.trial, value)


class Rustuna(Suggesting):
    def __init__(self, space, trials, seed):
        import rustuna
        super().__init__(space)
        self.failed = rustuna.trial.TrialState.FAIL
        self.study = rustuna.create_study(sampler=rustuna.samplers.TPESampler(seed=seed))

    def ask(self):
        self.trial = self.study.ask()
        return self.suggest(self.trial)

    def tell(self, params, value):
        if value is None:
            self.study.tell(self.trial.number, state=self.failed)
        else:
            self.study.tell(self.trial.number, value)


class Smac(Worst):
    def __init__(self, space, trials, seed):
        super().__init__()
        import logging
        import tempfile
        import ConfigSpace
        import smac
        logging.disable(logging.CRITICAL)
        warnings.simplefilter("ignore")
        made = ConfigSpace.ConfigurationSpace(seed=seed)
        for name, entry in space.items():
            if entry["type"] == "choice":
                one = ConfigSpace.CategoricalHyperparameter(name, entry["values"])
            else:
                kind = (ConfigSpace.UniformIntegerHyperparameter if entry["type"] == "int"
                        else ConfigSpace.UniformFloatHyperparameter)
                one = kind(name, entry["min"], entry["max"], log=entry.get("scale") == "log")
            made.add(one)
            parent, value = condition(entry)
            if parent:
                made.add(ConfigSpace.EqualsCondition(one, made[parent], value))
        self.folder = tempfile.TemporaryDirectory()
        scenario = smac.Scenario(made, n_trials=trials, deterministic=True, seed=seed,
                                 output_directory=self.folder.name)
        self.value = smac.runhistory.TrialValue
        self.made = smac.HyperparameterOptimizationFacade(
            scenario, lambda config, seed=0: 0.0, overwrite=True)

    def ask(self):
        self.trial = self.made.ask()
        return dict(self.trial.config)

    def tell(self, params, value):
        self.made.tell(self.trial, self.value(cost=self.of(value), time=0.1))


class Nevergrad(Worst):
    def __init__(self, space, trials, seed):
        super().__init__()
        import nevergrad
        import numpy
        warnings.simplefilter("ignore")
        self.space = space
        parts = {}
        for name, entry in space.items():
            if entry["type"] == "choice":
                parts[name] = nevergrad.p.Choice(entry["values"])
                continue
            bounds = {"lower": entry["min"], "upper": entry["max"]}
            part = (nevergrad.p.Log(**bounds) if entry.get("scale") == "log"
                    else nevergrad.p.Scalar(**bounds))
            parts[name] = part.set_integer_casting() if entry["type"] == "int" else part
        made = nevergrad.p.Instrumentation(**parts)
        made.random_state = numpy.random.RandomState(seed)
        self.made = nevergrad.optimizers.NGOpt(made, budget=trials, num_workers=1)

    def ask(self):
        self.trial = self.made.ask()
        params = active(self.space, self.trial.kwargs)  # some numbers are arrays of one
        return {name: value.item() if hasattr(value, "item") else value
                for name, value in params.items()}

    def tell(self, params, value):
        self.made.tell(self.trial, self.of(value))


class Cma(Worst):
    """CMA-ES in the unit cube, from its middle, restarted with twice the population."""

    def __init__(self, space, trials, seed):
        super().__init__()
        self.space, self.seed, self.factor = space, seed, 1
        self.columns = max(2, sum(size_of(entry) for entry in space.values()))
        self.rng = random.Random(seed)
        self.start([0.5] * self.columns)

    def start(self, middle):
        import cma
        self.asked, self.told = [], []
        population = self.factor * (4 + int(3 * math.log(self.columns)))
        self.made = cma.CMAEvolutionStrategy(middle, 0.3, {
            "bounds": [0, 1], "seed": self.seed + 1, "verbose": -9, "popsize": population})

    def ask(self):
        if len(self.asked) == len(self.told):
            if self.told:
                self.made.tell(self.asked, self.told)
            if self.made.stop():
                self.factor *= 2
                self.seed += 1000
                self.start([self.rng.random() for _ in range(self.columns)])
            self.asked, self.told = self.made.ask(), []
        return active(self.space, from_unit(self.space, self.asked[len(self.told)]))

    def tell(self, params, value):
        self.told.append(self.of(value))


class Turbo(Worst):
    def __init__(self, space, trials, seed):
        super().__init__()
        import turbo
        self.space = space
        self.made = turbo.Turbo(sum(size_of(entry) for entry in space.values()), seed)

    def ask(self):
        return active(self.space, from_unit(self.space, self.made.ask()))

    def tell(self, params, value):
        self.made.tell(self.of(value))


TOOLS = {
    "hone tpe": lambda *of: Hone(*of, "tpe"),
    "hone": lambda *of: Hone(*of, "hone"),
    "random": Random,
    "Rustuna TPE": Rustuna,
    "Optuna TPE": lambda *of: Optuna(*of, "tpe"),
    "CMA-ES": Cma,
    "Nevergrad NGOpt": Nevergrad,
    "SMAC3": Smac,
    "Optuna GP": lambda *of: Optuna(*of, "gp"),
    "TuRBO-1": Turbo,
}
