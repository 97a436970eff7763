"""For Stable-Baselines3 2: a model with the run's seed, continued from the run's checkpoint, that
reports every phase.

    run = hone.current()
    model = hone.sb3.model(run, PPO, "MlpPolicy", env, learning_rate=run.params["learning_rate"])
    hone.sb3.learn(run, model)

The unit of the sweep's budget is timesteps. In an ordinary program one changed line is enough,
model.learn(total_timesteps, callback=hone.sb3.callback()), without the seed and without resuming.
The replay buffer of an off-policy algorithm is not part of a checkpoint; the statistics of
VecNormalize are."""

from __future__ import annotations

import os
import pickle
import zipfile
from typing import Any, List, Optional, Type

from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.evaluation import evaluate_policy

from .trial import Phase, Run, current

STATISTICS = "vec_normalize.pkl"  # a further member of the model's zip file


class Reports(BaseCallback):
    """Reports at the end of each phase the mean return of the last `window` training episodes, or,
    with `episodes` and `eval_env`, that of so many episodes played without exploration. Saves a
    checkpoint before each report, and ends learning when the verdict is to stop or to pause."""

    def __init__(self, run: Run, window: int = 100, episodes: int = 0, eval_env: Any = None,
                 checkpoints: bool = True) -> None:
        super().__init__()
        if episodes > 0 and eval_env is None:
            raise ValueError("episodes needs eval_env: an environment that training does not use")
        self.run = run
        self.ahead: List[Phase] = list(run.phases())
        self.returns: List[float] = []
        self.window = window
        self.episodes = episodes
        self.eval_env = eval_env
        self.checkpoints = checkpoints

    def _on_step(self) -> bool:
        for info in self.locals.get("infos", ()):
            if "episode" in info:
                self.returns = [*self.returns[-(self.window - 1):], float(info["episode"]["r"])]
        while self.ahead and self.num_timesteps >= self.ahead[0].end:
            value = self._value()
            if value is None:  # no episode has ended yet
                break
            if not self._report(self.ahead.pop(0), value):
                return False
        return True

    def _value(self) -> Optional[float]:
        if self.episodes > 0:
            mean, _ = evaluate_policy(self.model, self.eval_env, n_eval_episodes=self.episodes,
                                      deterministic=True)
            return float(mean)  # type: ignore[arg-type, unused-ignore]
        return sum(self.returns) / len(self.returns) if self.returns else None

    def _report(self, phase: Phase, value: float) -> bool:
        if self.checkpoints:
            self.run.checkpoint(save(self.run, self.model), phase, step=self.num_timesteps)
        return self.run.report(phase, value, step=self.num_timesteps, raises=False).goes_on


def callback(run: Optional[Run] = None, window: int = 100, episodes: int = 0, eval_env: Any = None,
             checkpoints: bool = True) -> BaseCallback:
    """The callback Reports for the run of this program."""
    return Reports(run or current(), window, episodes, eval_env, checkpoints)


def model(run: Run, algorithm: Type[Any], policy: Any, env: Any, **settings: Any) -> Any:
    """algorithm(policy, env, seed=..., **settings) with the run's seed, or the run's checkpoint.

    Both report the seed as applied. A continued model draws other random numbers than the first
    attempt drew at its start."""
    run.seed_applied = True
    if run.resume is None:
        return algorithm(policy, env, seed=run.seed % 2**32, **settings)
    loaded = algorithm.load(run.resume.path, env=env, **settings)
    loaded.set_random_seed((run.seed + loaded.num_timesteps) % 2**32)
    _restore_statistics(loaded, run.resume.path)
    return loaded


def learn(run: Run, model: Any, **reports: Any) -> Any:
    """Trains to the end of the run's budget. `reports` are the settings of Reports."""
    left = run.budget.per_run - model.num_timesteps
    return model.learn(max(left, 0), callback=callback(run, **reports), reset_num_timesteps=False)


def save(run: Run, model: Any) -> str:
    """Writes the model to the run's checkpoint folder and returns the path."""
    path = os.path.join(run.checkpoint_dir, "model.zip")
    model.save(path)
    normalize = model.get_vec_normalize_env()
    if normalize is not None:
        with zipfile.ZipFile(path, "a") as file:
            file.writestr(STATISTICS, pickle.dumps(normalize))
    return path


def _restore_statistics(model: Any, path: str) -> None:
    normalize = model.get_vec_normalize_env()
    with zipfile.ZipFile(path) as file:
        if normalize is None or STATISTICS not in file.namelist():
            return
        saved = pickle.loads(file.read(STATISTICS))  # as trusted as the model's own pickles
    normalize.obs_rms, normalize.ret_rms = saved.obs_rms, saved.ret_rms
