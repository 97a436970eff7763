"""For the Trainer of Hugging Face: report each evaluation, save and resume checkpoints, prune.

    args = TrainingArguments(..., eval_strategy="epoch", num_train_epochs=run.budget.per_run)
    trainer = Trainer(model, args, ..., callbacks=[hone.transformers.Reports(run, "eval_loss")])
    trainer.train(resume_from_checkpoint=hone.transformers.resume_folder(run))

The unit of the sweep's budget is epochs, or training steps with unit="steps". Training is one
process."""

from __future__ import annotations

import os
import tarfile
from typing import Any, List, Optional

from transformers import TrainerCallback

from .errors import HoneError
from .trial import Phase, Run, current


class Reports(TrainerCallback):
    """Reports `metric` of the evaluation that ends a phase. The Trainer saves a checkpoint, which
    is stored, before each report; it stops when the verdict is to stop or to pause."""

    def __init__(self, run: Optional[Run] = None, metric: str = "eval_loss", unit: str = "epochs",
                 checkpoints: bool = True) -> None:
        if unit not in ("epochs", "steps"):
            raise HoneError(f"the unit is epochs or steps, not '{unit}'")
        self.run = run or current()
        self.metric = metric
        self.unit = unit
        self.checkpoints = checkpoints
        self.ahead: List[Phase] = list(self.run.phases())
        self._value: Optional[float] = None  # of the phase that waits for its checkpoint

    def on_evaluate(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        done = state.global_step if self.unit == "steps" else round(state.epoch or 0, 6)
        if not self.ahead or done < self.ahead[0].end:
            return
        metrics = more.get("metrics") or {}
        if self.metric not in metrics:
            raise HoneError(f"no metric '{self.metric}' was evaluated; there is "
                            + ", ".join(sorted(metrics)))
        self._value = float(metrics[self.metric])
        if self.checkpoints:
            control.should_save = True  # on_save reports
        else:
            self._report(control, done)

    def on_save(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        if self._value is None:
            return
        folder = os.path.join(args.output_dir, f"checkpoint-{state.global_step}")
        file = os.path.join(self.run.checkpoint_dir, "transformers.tar")
        with tarfile.open(file, "w") as archive:
            archive.add(folder, arcname=os.path.basename(folder))
        self.run.checkpoint(file, self.ahead[0])
        self._report(control, state.global_step if self.unit == "steps"
                     else round(state.epoch or 0, 6))

    def _report(self, control: Any, done: float) -> None:
        value, self._value = self._value, None
        assert value is not None
        while self.ahead and done >= self.ahead[0].end:
            if not self.run.report(self.ahead.pop(0), value, raises=False).goes_on:
                control.should_training_stop = True
                return


def resume_folder(run: Optional[Run] = None) -> Optional[str]:
    """The folder for Trainer.train(resume_from_checkpoint=...), or None at a run's start."""
    run = run or current()
    if run.resume is None:
        return None
    # "r:": a compressed archive may be a thousand times as large on the disk, as may sparse files.
    try:
        archive = tarfile.open(run.resume.path, "r:")
    except tarfile.TarError as error:
        raise HoneError(f"the checkpoint {run.resume.model} is not one of Reports: {error}") \
            from error
    with archive:
        members = archive.getmembers()
        for member in members:  # links and paths that lead elsewhere are not ours
            parts = member.name.split("/")
            if not (member.isfile() or member.isdir()) or ".." in parts or parts[0] == "" \
                    or member.issparse():
                raise HoneError(f"the checkpoint {run.resume.model} holds '{member.name}', which "
                                "Reports does not write")
            member.mode = 0o700
        if not members:
            raise HoneError(f"the checkpoint {run.resume.model} is an empty archive")
        archive.extractall(run.checkpoint_dir, members)
        return os.path.join(run.checkpoint_dir, members[0].name.split("/")[0])
