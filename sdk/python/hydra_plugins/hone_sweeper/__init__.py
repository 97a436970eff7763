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
VALUES_MAX = 1000  # of a choice of hone; a longer range has a step


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
    """The parameter of a sweep override, as `hone import hydra` translates it (the cases of
    tests/data/import/hydra_overrides.json hold for both). An interval is of floats, int(interval)
    of ints."""
    value = override.value()
    log = "log" in getattr(value, "tags", ())
    if isinstance(value, IntervalSweep):
        assert value.start is not None and value.end is not None
        whole = _whole(value.start, value.end)
        low, high = min(value.start, value.end), max(value.start, value.end)
        return Int(int(low), int(high), log=log) if whole else Float(low, high, log=log)
    if isinstance(value, RangeSweep):
        return _range(value, log, str(override.input_line))
    if isinstance(value, ChoiceSweep):
        return _choice(override, "ordered" in value.tags)
    raise HoneError(f"'{override.input_line}' is no interval, range or choice")


def _range(sweep: RangeSweep, log: bool, line: str) -> Dict[str, Any]:
    """start, start + step, ... below stop, as Python's range; floats as people write them."""
    start, stop, step = sweep.start, sweep.stop, sweep.step
    assert start is not None and stop is not None
    count = math.ceil((stop - start) / step - 1e-9) if step else 0
    if count < 1:
        raise HoneError(f"'{line}' is a range without a value")
    whole = _whole(start, stop, step)

    def value(number: int) -> Any:
        return start + step * number if whole else float(f"{start + step * number:.12g}")

    low, high = sorted((value(0), value(count - 1)))
    if log and whole and step == 1 and low > 0:
        return Int(low, high, log=True)
    if count > VALUES_MAX:
        by = abs(step)
        return Int(low, high, step=None if by == 1 else int(by)) if whole \
            else Float(low, high, step=by)
    return Choice([value(number) for number in range(count)], ordered=count >= 3 and step > 0)


def _choice(override: Override, ordered: bool) -> Dict[str, Any]:
    """Numbers stay numbers; every other value is the word of an override."""
    elements: List[Any] = list(override.sweep_iterator(transformer=Transformer.identity))
    words = [str(one) for one in override.sweep_iterator(transformer=Transformer.encode)]
    if len(elements) == 2 and all(isinstance(one, bool) for one in elements):
        return Bool()
    values: List[Any] = [one if _is_number(one) else word for one, word in zip(elements, words)]
    if len(set(values)) < len(values):  # 1 and 1.0, which differ in Hydra
        return Choice(words, ordered=ordered)
    rising = len(values) >= 3 and all(map(_is_number, values)) and values == sorted(values)
    return Choice(values, ordered=ordered or rising)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and \
        abs(value) < 2**53


def _whole(*values: Any) -> bool:
    return all(isinstance(value, int) for value in values)


__all__: Tuple[str, ...] = ("HoneSweeper", "Settings", "entry_of")
