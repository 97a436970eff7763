"""Optuna's samplers as a method of a study: a picker for `search: {method: external}`.

    command: [.venv/bin/python3, studies/optuna_picker.py, tpe]     # or random, gp, cmaes

Optuna comes unchanged from its own package: python3 -m venv .venv && .venv/bin/pip install optuna.
Its version is written to the picker's log in the study's folder. Reads the lines that
`hone ask --program` sends (sdk/examples/picker.py explains them). Parameters with a condition are
always proposed.
"""
import json
import sys

import optuna
from optuna.distributions import (CategoricalDistribution, FloatDistribution, IntDistribution)


def distribution(domain):
    log = domain.get("scale") == "log"
    if domain["type"] == "float":
        return FloatDistribution(domain["min"], domain["max"], log=log)
    if domain["type"] == "int":
        return IntDistribution(domain["min"], domain["max"], log=log)
    return CategoricalDistribution(domain.get("values", [False, True]))


def study_of(request, name):
    seed = request["seed"] % 2**32
    samplers = {"tpe": lambda: optuna.samplers.TPESampler(seed=seed, multivariate=True),
                "random": lambda: optuna.samplers.RandomSampler(seed=seed),
                "gp": lambda: optuna.samplers.GPSampler(seed=seed),
                "cmaes": lambda: optuna.samplers.CmaEsSampler(seed=seed)}
    return optuna.create_study(direction=request["objective"]["goal"], sampler=samplers[name]())


def main():
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    print(f"optuna {optuna.__version__}", file=sys.stderr)
    study, space, asked, told = None, {}, [], set()
    for line in sys.stdin:
        request = json.loads(line)
        if "parameters" in request:
            space = {name: distribution(domain) for name, domain in request["parameters"].items()
                     if domain["type"] in ("float", "int", "choice", "bool")}
            study = study_of(request, sys.argv[1] if len(sys.argv) > 1 else "tpe")
        for trial in request["trials"]:
            done = trial["state"] in ("completed", "stopped", "failed", "diverged", "canceled")
            if not done or trial["number"] in told:
                continue
            told.add(trial["number"])
            value = trial["value"] if isinstance(trial["value"], (int, float)) else None
            known = next((one for one in asked if one.params == trial["params"]), None)
            if known is not None:
                asked.remove(known)
            if known is not None and value is not None:
                study.tell(known, value)
            elif known is not None:
                study.tell(known, state=optuna.trial.TrialState.FAIL)
            elif value is not None:  # of a picker that was killed
                params = {name: trial["params"][name] for name in space if name in trial["params"]}
                study.add_trial(optuna.trial.create_trial(
                    params=params, value=value,
                    distributions={name: space[name] for name in params}))
        asked.append(study.ask(space))
        print(json.dumps({"params": asked[-1].params}), flush=True)


main()
