"""Writes a study of Optuna: storage or journal, its file, its number of trials. Prints what Optuna
itself says of it as JSON."""
import collections
import json
import random
import sys

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.storages.journal import JournalFileBackend
from optuna.trial import TrialState, create_trial

kind, file, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
optuna.logging.set_verbosity(optuna.logging.ERROR)
storage = f"sqlite:///{file}" if kind == "storage" else \
    optuna.storages.JournalStorage(JournalFileBackend(file))
study = optuna.create_study(storage=storage, direction="minimize", study_name="many")
space = {"lr": FloatDistribution(1e-5, 1e-1, log=True), "layers": IntDistribution(1, 8),
         "optimizer": CategoricalDistribution(["adam", "sgd", "lion"])}
generator = random.Random(1)
trials = []
for number in range(count):
    params = {"lr": 10 ** generator.uniform(-5, -1), "layers": generator.randint(1, 8),
              "optimizer": generator.choice(["adam", "sgd", "lion"])}
    state = TrialState.COMPLETE if number % 10 < 7 else \
        TrialState.PRUNED if number % 10 < 9 else TrialState.FAIL
    values = {step: generator.random() for step in range(1, 4)}
    trials.append(create_trial(state=state, params=params, distributions=space,
                               value=generator.random() if state == TrialState.COMPLETE else None,
                               intermediate_values={} if state == TrialState.FAIL else values))
study.add_trials(trials)
names = {"COMPLETE": "completed", "PRUNED": "stopped", "FAIL": "failed"}
print(json.dumps({
    "best_value": study.best_value, "best_params": study.best_params,
    "best_number": study.best_trial.number,
    "states": collections.Counter(names[trial.state.name] for trial in study.trials)}))
