"""An ordinary study of Optuna, searched by hone: one changed line, the sampler."""
import optuna

import hone.optuna


def objective(trial: optuna.Trial) -> float:
    x = trial.suggest_float("x", -5, 10)
    y = trial.suggest_float("y", 0, 15)
    kind = trial.suggest_categorical("kind", ["plain", "bent", None])
    return (y - 0.13 * x * x + 1.6 * x - 6) ** 2 + (0 if kind == "bent" else 5)


study = optuna.create_study(sampler=hone.optuna.Sampler(seed=1))
study.optimize(objective, n_trials=40)
print("best", study.best_value, study.best_params)
