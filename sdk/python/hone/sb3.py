"""For Stable-Baselines3, with one changed line: model.learn(total_timesteps, callback=hone.sb3.callback())."""

from __future__ import annotations

from typing import Any, List, Optional

from .trial import Phase, Run, current


def callback(run: Optional[Run] = None, window: int = 100) -> Any:
    """Returns a callback that reports the mean return of the last `window` episodes at the end of each phase, and ends
    learning when the verdict is to stop. The unit of the budget is timesteps."""
    from stable_baselines3.common.callbacks import BaseCallback

    class Reports(BaseCallback):
        def __init__(self) -> None:
            super().__init__()
            self.run = run or current()
            self.ahead: List[Phase] = list(self.run.phases())
            self.returns: List[float] = []

        def _on_step(self) -> bool:
            for info in self.locals.get("infos", ()):
                if "episode" in info:
                    self.returns = [*self.returns[-(window - 1):], float(info["episode"]["r"])]
            while self.ahead and self.num_timesteps >= self.ahead[0].end and self.returns:
                phase = self.ahead.pop(0)
                value = sum(self.returns) / len(self.returns)
                if not self.run.report(phase, value, step=self.num_timesteps, raises=False).goes_on:
                    return False
            return True

    return Reports()
