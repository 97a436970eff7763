"""hone as a sampler of Optuna: optuna.create_study(sampler=hone.optuna.Sampler()).

Where it deviates from Optuna's own samplers, and why:

- A space of hone is fixed when its sweep is submitted, and Optuna's is found while trials run. The
  sampler submits one sweep for the parameters that all finished trials have in common, and one for
  each parameter outside of these, drawn alone, as TPESampler does. A changed range is a new space.
- Before the first trial has a value, parameters are drawn at random.
- The sweep learns the trials of other samplers and processes, and those with fixed parameters, as
  if it had proposed them. Trials whose parameters lie outside the space are left out.
- A pruned trial counts with its last intermediate value, a failed one as evidence against its
  parameters. Constraints (`constraints_func`) are not used.
- Categories are handed over by their number, since hone's choices are no None and hold no two equal
  values.
"""

from __future__ import annotations

import atexit
import math
import random
import shutil
import tempfile
import threading
from typing import Any, Dict, List, Mapping, Optional, Sequence, Set, Tuple, Union

import optuna
from optuna.distributions import (BaseDistribution, CategoricalDistribution, FloatDistribution,
                                  IntDistribution)
from optuna.search_space import IntersectionSearchSpace
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from .client import Asked, Client
from .local import LocalServer
from .space import names_for

TRIALS_MAX = 100_000  # of one space; a number that no study reaches
Distributions = Mapping[str, BaseDistribution]


class Sampler(optuna.samplers.BaseSampler):
    """Proposes what a sweep of hone proposes. Thread-safe: `n_jobs` works, and so do several
    processes on one storage, each with a sampler.

    Without `client` it starts a server with a temporary folder, since Optuna's storage keeps the
    results; with one, the sweeps stay on that server in the project "optuna". `search` is a method
    (docs/search.md), {"method": ..., settings}; several objectives need `hone` or `tpe`. `seed`
    makes the proposals of a study repeatable, while trials run one after another."""

    def __init__(self, search: Union[str, Mapping[str, Any]] = "hone", seed: Optional[int] = None,
                 client: Optional[Client] = None) -> None:
        self._search = {"method": search} if isinstance(search, str) else dict(search)
        self._seed = seed
        self._random = optuna.samplers.RandomSampler(seed)
        self._client = client
        self._spaces: Dict[Tuple[str, Tuple[Tuple[str, BaseDistribution], ...]], _Space] = {}
        self._common: Dict[int, IntersectionSearchSpace] = {}
        self._mutex = threading.RLock()

    def reseed_rng(self) -> None:
        self._random.reseed_rng()

    def infer_relative_search_space(self, study: Study,
                                    trial: FrozenTrial) -> Dict[str, BaseDistribution]:
        """The parameters that all finished trials have in common and that can vary."""
        with self._mutex:
            common = self._common.setdefault(study._study_id, IntersectionSearchSpace())
            return {name: one for name, one in common.calculate(study).items()
                    if not one.single()}

    def sample_relative(self, study: Study, trial: FrozenTrial,
                        search_space: Dict[str, BaseDistribution]) -> Dict[str, Any]:
        fixed = {name: _only_value(one) for name, one in search_space.items() if one.single()}
        varied = {name: one for name, one in search_space.items() if not one.single()}
        if not varied:
            return fixed
        with self._mutex:
            return {**fixed, **self._space(study, varied).propose(study, trial)}

    def sample_independent(self, study: Study, trial: FrozenTrial, param_name: str,
                           param_distribution: BaseDistribution) -> Any:
        if param_distribution.single():
            return _only_value(param_distribution)
        done = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
        if not done:
            return self._random.sample_independent(study, trial, param_name, param_distribution)
        with self._mutex:
            space = self._space(study, {param_name: param_distribution})
            return space.propose(study, trial)[param_name]

    def after_trial(self, study: Study, trial: FrozenTrial, state: TrialState,
                    values: Optional[Sequence[float]]) -> None:
        """Tells the sweeps that proposed for the trial what became of it."""
        with self._mutex:
            for (name, _), space in self._spaces.items():
                if name == study.study_name:
                    space.settle(study, trial, state, values)

    def _space(self, study: Study, distributions: Distributions) -> "_Space":
        if self._client is None:
            self._client = _own_server()
        key = (study.study_name, tuple(sorted(distributions.items(), key=lambda item: item[0])))
        if key not in self._spaces:
            self._spaces[key] = _Space(self._client, study, dict(key[1]), self._search, self._seed)
        return self._spaces[key]


class _Space:
    """One sweep, and which trials of its study it knows."""

    def __init__(self, client: Client, study: Study, distributions: Distributions,
                 search: Mapping[str, Any], seed: Optional[int]) -> None:
        self._client = client
        self._distributions = distributions
        self._names = names_for(list(distributions))
        self._asked: Dict[int, Asked] = {}
        self._told: Set[int] = set()
        spec: Dict[str, Any] = {
            "name": study.study_name[:100] or "study", "project": "optuna",
            "seed": random.getrandbits(48) if seed is None else seed,
            "objectives": [{"metric": f"value{number}", "goal": _goal(direction)}
                           for number, direction in enumerate(study.directions)],
            "trainer": {"name": "ask"}, "search": {**search, "trials": TRIALS_MAX},
            "terminator": {"rule": "none"}, "limits": {"max_retries": 0},
            "budget": {"unit": "trials", "per_run": 1, "phases": 1},
            "parameters": {self._names[name]: _entry(one) for name, one in distributions.items()},
        }
        if len(study.directions) == 1:
            spec["objective"] = spec.pop("objectives")[0]
        self._sweep = client.submit(spec)

    def propose(self, study: Study, trial: FrozenTrial) -> Dict[str, Any]:
        """The parameters of a further trial, in the types of the distributions."""
        self._read(study)
        asked = self._client.ask(self._sweep, f"trial {trial.number}")
        self._asked[trial.number] = asked
        return {name: _value(one, asked.params[self._names[name]])
                for name, one in self._distributions.items()}

    def settle(self, study: Study, trial: FrozenTrial, state: TrialState,
               values: Optional[Sequence[float]]) -> None:
        """Tells the result of a proposed trial, also where other parameters replaced the proposal."""
        asked = self._asked.pop(trial.number, None)
        if asked is None:
            return
        params = self._params(trial)
        proposed = {name: _value(one, asked.params[self._names[name]])
                    for name, one in self._distributions.items()}
        if params is not None and all(trial.params[name] == proposed[name] for name in proposed):
            self._told.add(trial.number)
            self._tell(asked, _result(study, trial, state, values))
        else:  # it was not evaluated: no evidence; _read tells what was
            self._client.post(f"/v1/leases/{asked.lease}/end",
                              {"reason": "exit_code", "exit_code": 1, "failure": "infra",
                               "detail": "evaluated with other parameters"})

    def _read(self, study: Study) -> None:
        """Tells the finished trials that this sweep does not know."""
        for trial in study.get_trials(deepcopy=False):
            if not trial.state.is_finished() or trial.number in self._told or \
                    trial.number in self._asked:
                continue
            self._told.add(trial.number)
            params = self._params(trial)
            if params is None:
                continue
            self._client.enqueue(self._sweep, params, request_id=f"told-{trial.number}")
            asked = self._client.ask(self._sweep, f"told {trial.number}")
            self._tell(asked, _result(study, trial, trial.state, trial.values))

    def _params(self, trial: FrozenTrial) -> Optional[Dict[str, Any]]:
        params: Dict[str, Any] = {}
        for name, distribution in self._distributions.items():
            if name not in trial.params:
                return None
            inner = _inner(distribution, trial.params[name])
            if inner is None:
                return None
            params[self._names[name]] = inner
        return params

    def _tell(self, asked: Asked, result: Optional[List[float]]) -> None:
        if result is None:
            self._client.tell(asked, failed=True)
        else:
            self._client.tell(asked, result[0], further=result[1:])


def _result(study: Study, trial: FrozenTrial, state: TrialState,
            values: Optional[Sequence[float]]) -> Optional[List[float]]:
    """The values that count for a trial; None for a failure."""
    if state == TrialState.COMPLETE and values is not None:
        return [float(one) for one in values]
    last = trial.last_step
    if state == TrialState.PRUNED and last is not None and len(study.directions) == 1:
        value = trial.intermediate_values[last]
        return None if math.isnan(value) else [value]
    return None


def _goal(direction: StudyDirection) -> str:
    return "maximize" if direction == StudyDirection.MAXIMIZE else "minimize"


def _entry(distribution: BaseDistribution) -> Dict[str, Any]:
    if isinstance(distribution, CategoricalDistribution):
        return {"type": "choice", "values": [str(i) for i in range(len(distribution.choices))]}
    assert isinstance(distribution, (FloatDistribution, IntDistribution))
    entry: Dict[str, Any] = {"type": "int" if isinstance(distribution, IntDistribution)
                             else "float", "min": distribution.low, "max": distribution.high}
    if distribution.log:
        entry["scale"] = "log"
    elif distribution.step is not None and (entry["type"] == "float" or distribution.step != 1):
        entry["step"] = distribution.step
    return entry


def _value(distribution: BaseDistribution, value: Any) -> Any:
    if isinstance(distribution, CategoricalDistribution):
        return distribution.choices[int(value)]
    assert isinstance(distribution, (FloatDistribution, IntDistribution))
    inside = min(max(value, distribution.low), distribution.high)
    return int(inside) if isinstance(distribution, IntDistribution) else float(inside)


def _inner(distribution: BaseDistribution, value: Any) -> Any:
    """The value as hone knows it; None if it is outside the distribution."""
    if isinstance(distribution, CategoricalDistribution):
        try:
            return str(int(distribution.to_internal_repr(value)))
        except ValueError:
            return None
    assert isinstance(distribution, (FloatDistribution, IntDistribution))
    try:
        if not distribution._contains(distribution.to_internal_repr(value)):
            return None
    except (TypeError, ValueError):
        return None
    return value


def _only_value(distribution: BaseDistribution) -> Any:
    if isinstance(distribution, CategoricalDistribution):
        return distribution.choices[0]
    assert isinstance(distribution, (FloatDistribution, IntDistribution))
    return distribution.low


def _own_server() -> Client:
    folder = tempfile.mkdtemp(prefix="hone-optuna-")
    server = LocalServer(folder)

    def end() -> None:
        server.close()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)
    return Client(server.url)
