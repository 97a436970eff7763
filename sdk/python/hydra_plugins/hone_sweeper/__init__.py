"""A sweeper of Hydra: `python app.py -m hydra/sweeper=hone 'lr=tag(log, interval(1e-5, 1e-1))'`.

The overrides of the command line and of `hydra.sweeper.params` are the space: interval, range,
choice and `a,b,c`. The application returns the objective. Trials run through the chosen launcher,
`n_jobs` in a batch, and the batch waits for its slowest trial."""

import json
import math
import os
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple

from hone import Bool, Choice, Client, Float, HoneError, Int, Problem, Sweep
from hone.client import own_asker
from hone.space import names_for
from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import (ChoiceSweep, IntervalSweep, Override, RangeSweep,
                                              Transformer)
from hydra.core.plugins import Plugins
from hydra.core.utils import JobStatus
from hydra.plugins.sweeper import Sweeper
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig, OmegaConf

RESULTS = "optimization_results.json"  # in hydra.sweep.dir


@dataclass
class Settings:
    """hydra.sweeper: goal and name of the returned objective, trials, trials at a time, a method of
    docs/search.md, its seed, a server (default: that of HONE_SERVER or `hone up`, else its own)."""

    _target_: str = "hydra_plugins.hone_sweeper.HoneSweeper"
    objective: str = "value"
    goal: str = "maximize"
    n_trials: int = 20
    n_jobs: int = 2
    search: str = "hone"
    seed: Optional[int] = None
    server: Optional[str] = None
    params: Dict[str, str] = field(default_factory=dict)


ConfigStore.instance().store(group="hydra/sweeper", name="hone", node=Settings, provider="hone")


class HoneSweeper(Sweeper):
    def __init__(self, objective: str, goal: str, n_trials: int, n_jobs: int, search: str,
                 seed: Optional[int], server: Optional[str], params: DictConfig) -> None:
        self._settings: Dict[str, Any] = {
            "objective": objective, "goal": goal, "trials": n_trials, "search": search,
            **({} if seed is None else {"seed": seed})}
        self._jobs = n_jobs
        self._server = server
        self._params = params

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction,
              config: DictConfig) -> None:
        self.config = config
        self.hydra_context = hydra_context
        self.launcher = Plugins.instance().instantiate_launcher(
            hydra_context=hydra_context, task_function=task_function, config=config)

    def sweep(self, arguments: List[str]) -> None:
        """Runs all trials; writes the best one to RESULTS in the folder of the sweep."""
        assert self.hydra_context is not None and self.config is not None
        parser = OverridesParser.create(config_loader=self.hydra_context.config_loader)
        params: Any = OmegaConf.to_container(self._params, resolve=True)
        words = [f"{name}={value}" for name, value in params.items()] + list(arguments)
        overrides = {one.get_key_element(): one for one in parser.parse_overrides(words)}
        fixed = [one.input_line or "" for one in overrides.values() if not one.is_sweep_override()]
        varied = {name: one for name, one in overrides.items() if one.is_sweep_override()}
        if not varied:
            raise HoneError("nothing to search: give overrides such as 'lr=interval(0, 1)'")
        names = names_for(list(varied))
        folder = str(self.config.hydra.sweep.dir)
        os.makedirs(folder, exist_ok=True)
        with Sweep({names[name]: entry_of(one) for name, one in varied.items()},
                   name=str(self.config.hydra.job.name)[:100] or "hydra",
                   client=Client(self._server) if self._server else None,
                   **self._settings) as sweep:
            self._run(sweep, fixed, names)
            best = sweep.best()
            if best is not None:
                best = {"sweep": sweep.id, "trial": best["id"], "value": best["value"],
                        "params": {name: best["params"][names[name]] for name in names}}
            with open(os.path.join(folder, RESULTS), "w", encoding="utf-8") as file:
                json.dump(best, file, indent=2)

    def _run(self, sweep: Sweep, fixed: List[str], names: Dict[str, str]) -> None:
        assert self.launcher is not None
        index = 0
        while True:
            batch = self._ask(sweep)
            if not batch:
                return
            words = [[*fixed, *(f"{name}={run.params[ours]}" for name, ours in names.items())]
                     for run in batch]
            self.validate_batch_is_legal(words)
            results = self.launcher.launch(words, initial_job_idx=index)
            index += len(batch)
            for run, result in zip(batch, results):
                self._settle(sweep, run, result)

    def _ask(self, sweep: Sweep) -> List[Any]:
        batch: List[Any] = []
        for number in range(self._jobs):
            try:
                batch.append(sweep.ask(f"{own_asker()}/{number}"))
            except Problem as problem:
                if problem.code != "conflict":
                    raise
                break
        return batch

    @staticmethod
    def _settle(sweep: Sweep, run: Any, result: Any) -> None:
        if result.status != JobStatus.COMPLETED:
            sweep.fail(run, str(result._return_value))
        else:
            sweep.tell(run, float(result.return_value))
        run.close()


def entry_of(override: Override) -> Dict[str, Any]:
    """The parameter of a sweep override. Bounds that are both ints make an int."""
    value = override.value()
    log = "log" in getattr(value, "tags", ())
    if isinstance(value, IntervalSweep):
        assert value.start is not None and value.end is not None
        return _number(value.start, value.end, log)
    if isinstance(value, RangeSweep) and not value.shuffle:
        assert value.start is not None and value.stop is not None
        # Hydra leaves out the end. The margin is for steps such as 0.1.
        count = math.ceil((value.stop - value.start) / value.step - 1e-9)
        last = value.start + (count - 1) * value.step
        return _number(value.start, last, log, value.step)
    if isinstance(value, (ChoiceSweep, RangeSweep)):
        words = [str(one) for one in override.sweep_iterator(transformer=Transformer.encode)]
        return Bool() if sorted(words) == ["false", "true"] else Choice(words)
    raise HoneError(f"'{override.input_line}' is no interval, range or choice")


def _number(low: Any, high: Any, log: bool, step: Any = None) -> Dict[str, Any]:
    if _whole(low, high, *(() if step is None else (step,))):
        return Int(low, high, log=log, step=None if log or step == 1 else step)
    return Float(low, high, log=log, step=None if log else step)


def _whole(*values: Any) -> bool:
    return all(isinstance(value, int) for value in values)


__all__: Tuple[str, ...] = ("HoneSweeper", "Settings", "entry_of")
