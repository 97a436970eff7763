"""For the vector environments of Gymnasium 1: count steps and episodes, report every phase.

    envs = hone.gymnasium.Reports(gymnasium.make_vec("CartPole-v1", num_envs=8), run)
    observations, _ = envs.reset()            # with the run's seed
    while not envs.done:
        observations, *_ = envs.step(policy(observations))

The unit of the sweep's budget is environment steps: one step of all environments counts
`num_envs`."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

import numpy
from gymnasium.vector import VectorWrapper

from .trial import Phase, Run, current


class Reports(VectorWrapper):  # type: ignore[type-arg, unused-ignore]
    """Reports at the end of each phase the mean return of the last `window` episodes.

    `done` is true after the last phase. Raises hone.Stopped, which ends the program, when the
    verdict is to stop or to pause; with raises=False, `done` becomes true instead. A phase in which
    no episode has ended is reported when one has. Save checkpoints with `before_report`, which is
    called with the phase before each report."""

    def __init__(self, env: Any, run: Optional[Run] = None, window: int = 100, raises: bool = True,
                 before_report: Any = None) -> None:
        super().__init__(env)
        self.run = run or current()
        self.ahead: List[Phase] = list(self.run.phases())
        self.steps = self.ahead[0].start if self.ahead else self.run.budget.per_run
        self.done = not self.ahead
        self.returns: List[float] = []
        self._window = window
        self._raises = raises
        self._before_report = before_report
        self._sums = numpy.zeros(env.num_envs)

    def reset(self, *, seed: Any = None, options: Optional[Dict[str, Any]] = None) -> Any:
        """Resets all environments, with the run's seed where `seed` is None."""
        self._sums[:] = 0
        if seed is None:
            self.run.seed_applied = True
            seed = (self.run.seed + self.steps) % 2**31
        return self.env.reset(seed=seed, options=options)

    def step(self, actions: Any) -> Any:
        result = self.env.step(actions)
        _, rewards, terminations, truncations, _ = result
        self._sums += rewards
        self.steps += self.env.num_envs
        for number in numpy.flatnonzero(numpy.logical_or(terminations, truncations)):
            self.returns = [*self.returns[-(self._window - 1):], float(self._sums[number])]
            self._sums[number] = 0
        while self.ahead and self.steps >= self.ahead[0].end and self.returns:
            self._report(self.ahead.pop(0))
        return result

    def _report(self, phase: Phase) -> None:
        if self._before_report is not None:
            self._before_report(phase)
        verdict = self.run.report(phase, sum(self.returns) / len(self.returns), step=self.steps,
                                  raises=self._raises)
        self.done = not verdict.goes_on
