"""For PyTorch Lightning 2: report an epoch's metric, save and resume checkpoints, prune.

    trainer = lightning.Trainer(max_epochs=run.budget.per_run, callbacks=[hone.lightning.Reports(
        run, "val_loss")])
    trainer.fit(model, ckpt_path=hone.lightning.resume_path(run))

The unit of the sweep's budget is epochs. lightning.seed_everything(run.seed % 2**32) applies the
seed; then set run.seed_applied = True."""

from __future__ import annotations

import os
from typing import Any, List, Optional

try:
    from lightning.pytorch.callbacks import Callback
except ImportError:
    from pytorch_lightning.callbacks import Callback

from .errors import HoneError
from .trial import Phase, Run, current


class Reports(Callback):
    """Reports the logged metric `monitor` at the end of each phase, after that epoch's validation.
    A checkpoint of the trainer is stored before each report, on the process of rank 0. When the
    verdict is to stop or to pause, the trainer ends after the epoch."""

    def __init__(self, run: Optional[Run] = None, monitor: str = "val_loss",
                 checkpoints: bool = True) -> None:
        self.run = run or current()
        self.monitor = monitor
        self.checkpoints = checkpoints
        self.ahead: List[Phase] = list(self.run.phases())

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        epochs = trainer.current_epoch + 1
        while self.ahead and epochs >= self.ahead[0].end:
            if self.monitor not in trainer.callback_metrics:
                raise HoneError(f"no metric '{self.monitor}' is logged; there is "
                                + ", ".join(sorted(trainer.callback_metrics)))
            self._report(trainer, self.ahead.pop(0))
            if trainer.should_stop:
                return

    def _report(self, trainer: Any, phase: Phase) -> None:
        path = os.path.join(self.run.checkpoint_dir, "lightning.ckpt")
        if self.checkpoints:
            trainer.save_checkpoint(path)  # on every rank
        goes_on = True
        if trainer.is_global_zero:
            if self.checkpoints:
                self.run.checkpoint(path, phase)
            value = float(trainer.callback_metrics[self.monitor])
            goes_on = self.run.report(phase, value, raises=False).goes_on
        if not trainer.strategy.broadcast(goes_on, 0):
            trainer.should_stop = True


def resume_path(run: Optional[Run] = None) -> Optional[str]:
    """The checkpoint for Trainer.fit(ckpt_path=...), or None at a run's start."""
    resume = (run or current()).resume
    return resume.path if resume else None
