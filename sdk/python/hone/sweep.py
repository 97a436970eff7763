"""A sweep as an object: submit, evaluate in processes of this program or ask and tell, look."""

from __future__ import annotations

import atexit
import importlib
import os
import shutil
import sys
import tempfile
import time
from typing import (TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence,
                    Union)

from . import notebook, rules
from .asked import AskedLine, open_run
from .client import Client, own_asker
from .errors import HoneError, Invalid, Problem, Unavailable
from .figures import Figure, drawn
from .local import LocalServer, data_folder
from .progress import Progress
from .space import Space, parameters_of
from .trial import Run, Verdict
from .values import result_numbers

if TYPE_CHECKING:
    from .pool import Function

Trial = Dict[str, Any]  # a row of GET /v1/sweeps/{sweep}/trials
Objective = Union[str, Mapping[str, Any], Sequence[Mapping[str, Any]]]
# Of a sweep file, without those that hone.Sweep has arguments for.
SWEEP_FIELDS = ("project", "seed", "evaluate", "constraints", "replicates", "confirm", "confirms",
                "resources", "share", "slots", "by", "limits", "datasets", "checkpoints")
GOALS = ("maximize", "minimize")
OWN_FIELDS = ("space", "objective", "goal", "search", "trials", "terminator", "phases", "per_run",
              "unit", "name", "client", "data")
_local: Dict[str, LocalServer] = {}


class Sweep:
    """A search over `space` for the best value of an objective.

    The sweep is submitted at the first use of it. It lives on the server of `client`; otherwise on
    that of HONE_SERVER, of `hone up`, or on a server that this program starts (data folder: `data`,
    HONE_DATA or ~/.hone). Not thread-safe.

    space       name -> entry of a sweep file (hone.Float, Int, Bool, Choice make them), list of
                choices, or fixed value
    objective   name of the metric; {"metric": ..., "goal": ...}; or a list of these.
                {"metric": "return", "reach": 475, "clock": "seconds"}: the time until the bar
                (docs/objectives.md); the value of a trial is then that time, or "not_reached"
    goal        maximize or minimize, where `objective` is a name
    search      a method (docs/search.md) or {"method": ..., settings}
    trials      parameter sets to try (20)
    terminator  a rule (docs/termination.md) or {"rule": ..., settings}. Default: none for one
                phase; otherwise hone's, which pauses runs and continues the promising ones
    phases      reports of one run
    per_run     units of training of one run, at most; default: one a phase
    unit        of `per_run` and of every step: steps, epochs, frames
    more        any further field of a sweep file: seed, project, constraints, replicates, limits

    Raises TypeError for a field that a sweep file lacks, Invalid for a space or a goal that cannot
    be meant; what else is wrong, the server refuses when the sweep is submitted.
    """

    def __init__(self, space: Space, objective: Objective = "value", *, goal: str = "maximize",
                 search: Union[str, Mapping[str, Any]] = "hone", trials: Optional[int] = None,
                 terminator: Union[str, Mapping[str, Any], None] = None, phases: int = 1,
                 per_run: Optional[int] = None, unit: str = "steps", name: str = "python",
                 client: Optional[Client] = None, data: Optional[str] = None, **more: Any) -> None:
        self.spec: Dict[str, Any] = {"name": name, "trainer": {"name": "ask"},
                                     "parameters": parameters_of(space)}
        self.spec.update(_objective(objective, goal))
        method: Dict[str, Any] = {"method": search} if isinstance(search, str) else dict(search)
        if trials is not None:
            method["trials"] = trials
        self.spec["search"] = {"trials": 20, **method}
        if terminator is None and phases == 1:
            terminator = "none"
        if terminator is not None:
            self.spec["terminator"] = {"rule": terminator} if isinstance(terminator, str) \
                else dict(terminator)
        self.spec["budget"] = {"unit": unit, "per_run": per_run or phases, "phases": phases}
        for one in more:
            if one not in SWEEP_FIELDS:
                raise TypeError(f"a sweep has no field '{one}'"
                                f"{rules.nearest(one, (*SWEEP_FIELDS, *OWN_FIELDS))}")
        self.spec.update(more)
        self._id = ""
        self._client = client
        self._data = data

    @classmethod
    def open(cls, sweep: str, client: Optional[Client] = None,
             data: Optional[str] = None) -> "Sweep":
        """A sweep that is there already: look at it, or continue it with run() where its trainer is
        {name: ask}. Raises Problem (not_found) if it does not exist."""
        one = cls({}, client=client, data=data)
        one._id = rules.identifier(sweep, "/sweep", "sweep")
        one.spec = dict(rules.obj(one.client.sweep(sweep).get("spec"), "/spec"))
        return one

    @property
    def client(self) -> Client:
        """The client of the server that holds the sweep."""
        if self._client is None:
            self._client = connect(self._data)
        return self._client

    @property
    def id(self) -> str:
        """The id of the sweep, as sw_7. Submits it at the first call."""
        if not self._id:
            self._id = self.client.submit(self.spec)
        return self._id

    @property
    def state(self) -> str:
        """running, paused, stopping, completed, canceled, failed or quarantined."""
        return str(rules.state_of(self.client.sweep(self.id))["state"])

    @property
    def remarks(self) -> List[str]:
        """Sentences about runs that did not go as planned: ended before their budget, diverged,
        failed and why. Empty where there is nothing to remark."""
        outcome = rules.obj(self.client.sweep(self.id).get("outcome") or {}, "/outcome")
        return [str(remark) for remark in outcome.get("remarks", [])]

    # Evaluate

    def run(self, function: Function, workers: int = 1, start: str = "fork", *,
            progress: Optional[bool] = None, on_trial: Optional[Callable[[Trial], Any]] = None,
            timeout_s: Optional[float] = None) -> Optional[Dict[str, Any]]:
        """Calls `function(run)` for every trial, `workers` at a time, and returns the best trial.

        Each call has its own process. The function gets a hone.Run: it reports every phase, saves
        checkpoints and logs metrics, or simply returns the objective (a tuple for several) where
        the sweep has one phase. An exception fails its trial; hone.Infeasible, MemoryError and
        signals are classed as in docs/failures.md, and what another attempt may cure is tried again
        from the last checkpoint. A confirmation that the sweep asks for is evaluated in the same
        way, by the same function. At the end `remarks` are printed on stderr. Ctrl-C ends the
        processes, gives their trials back and raises KeyboardInterrupt: a further run() continues
        them.

        start      fork takes any function, also of a notebook; spawn, for programs that use a GPU
                   before, takes functions of modules and needs `if __name__ == "__main__":`
        progress   draws a line on stderr; by default on a terminal and in a notebook
        on_trial   is called in this process with the row of each trial when a run of it has ended:
                   id, params, value, state, ... What it raises ends run() as Ctrl-C does; to end
                   the sweep early, call `sweep.client.stop(sweep.id)`
        timeout_s  after so many seconds no trial begins, and run() returns when those that train
                   have ended; a further run() continues the sweep"""
        if not sys.platform.startswith("linux"):
            raise HoneError("run() needs Linux: its processes end with this program. Evaluate the "
                            "trials of asks() here")
        from .pool import Pool
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        for sweep in self._to_evaluate():
            Pool(self.client, sweep, function, workers, start, Progress(progress), on_trial,
                 deadline).run()
        for remark in self.remarks:
            print(f"hone: {self.id}: {remark}", file=sys.stderr, flush=True)
        return self.best()

    def _to_evaluate(self) -> Iterator[str]:
        """This sweep, then the confirmation that its file asks for, if it has one by then."""
        yield self.id
        if self.spec.get("confirm"):
            try:
                yield str(self.client.get(f"/v1/sweeps/{self.id}/confirm")["confirmation"])
            except Problem as problem:
                if problem.code != "not_found":
                    raise

    def ask(self, asker: Optional[str] = None) -> Run:
        """A trial to evaluate in this process: `run.params`, `run.report(phase, value)`. Returns
        the same trial until it has its result. Raises Problem (conflict) if there is none now."""
        asked = self.client.ask(self.id, asker)
        folder = tempfile.mkdtemp(prefix=f"hone-{asked.trial}-")
        atexit.register(shutil.rmtree, folder, True)
        return open_run(self.client.copy(), self.id, asked, folder)

    def asks(self, asker: Optional[str] = None) -> Iterator[Run]:
        """Yields trials to evaluate until the sweep has no more. Report the last phase of each, or
        the phase at which the verdict is not to continue, before the next."""
        asker = asker or own_asker()
        while True:
            try:
                run = self.ask(asker)
            except Problem as problem:
                if problem.code == "conflict":
                    return
                raise
            yield run
            assert isinstance(run.line, AskedLine)
            run.close()
            shutil.rmtree(run.folder, True)
            if not run.line.finished:
                raise HoneError(f"{run.id} has no result yet: report its {run.budget.phases} "
                                "phases, or fail it with Sweep.fail")

    def tell(self, run: Run, value: Any, further: Sequence[Any] = ()) -> Verdict:
        """Reports the next phase of an asked trial; returns the verdict."""
        assert isinstance(run.line, AskedLine)
        return run.report(run.line.reported, value, further=further, raises=False)

    def fail(self, run: Run, detail: str = "", infeasible: bool = False) -> None:
        """Ends an asked trial without a value."""
        assert isinstance(run.line, AskedLine)
        self.client.post(f"/v1/leases/{run.line.lease}/end", {
            "reason": "infeasible" if infeasible else "exit_code", "exit_code": 1,
            "failure": "infeasible" if infeasible else "user_error", "detail": detail[:1000]})
        run.line.finished = True

    def enqueue(self, params: Mapping[str, Any]) -> int:
        """Adds a parameter set to try next; hone draws what is left out. Returns how many wait."""
        return self.client.enqueue(self.id, params)

    # Look

    def best(self) -> Optional[Dict[str, Any]]:
        """The first trial of the leaderboard: id, params, value, rank, ...; of noisy single runs
        also `expected`, by which they rank. None without one."""
        return next(iter(self.client.best(self.id, limit=1)), None)

    def best_by_cost(self, within: Optional[int] = None) -> List[Dict[str, Any]]:
        """The best value by cost: each trial is better than all that took no longer (`seconds`), the
        cheapest first. The last one is what a training of at most `within` seconds gets."""
        return self.client.best(self.id, by="cost", within=within)

    def trials(self) -> List[Dict[str, Any]]:
        """One row a trial in order of proposal; parameters as columns `params.NAME`, further
        objectives as columns of the names of their metrics (`further.NAME` for a name that another
        column has)."""
        return [_flat(row) for row in self.client.trials(self.id, sort="number")]

    def reports(self) -> List[Dict[str, Any]]:
        """One row a report of each run: trial, run, phase (from 1), step, value; a column for each
        further objective."""
        rows = []
        metrics = [str(one["metric"]) for one in self.spec.get("objectives", [])[1:]]
        for trial in self.client.trials(self.id, sort="number"):
            for run in self.client.runs(trial["id"]):
                rows += [_flat({"trial": trial["id"], "run": run["id"], "phase": point["phase"] + 1,
                                "step": point["step"], "value": point["value"], "params": {},
                                "further": dict(zip(metrics, point.get("further", [])))})
                         for point in self.client.curve(run["id"])]
        return rows

    def frame(self, rows: str = "trials") -> Any:
        """The rows of trials() or reports() as a pandas DataFrame, with NaN for a result that is no
        number (diverged, not reached): `state` tells. The list of rows where pandas is not
        installed."""
        table = self._rows(rows)
        try:
            pandas: Any = importlib.import_module("pandas")
        except ImportError:
            return table
        frame = pandas.DataFrame(table)
        for name in frame.columns:
            if not name.startswith("params."):
                column = [row.get(name) for row in table]
                numbers = result_numbers(column)
                if numbers != column:
                    frame[name] = numbers
        return frame

    def parquet(self, path: str, rows: str = "trials") -> None:
        """Writes the rows of trials() or reports() as a Parquet file; needs pyarrow."""
        from .parquet import write
        write(self._rows(rows), path)

    def plot(self, figure: str = "history") -> Figure:
        """A chart as SVG, which a notebook shows and `save("history.svg")` writes; drawn by the
        program `hone`, as by `hone report --figure`.

        history       the value of each trial in order of proposal, and the best so far
        curves        the reports of every run; the leaders with bands over their seeds
        confirmation  the leaders on seeds that tuning never used
        importance    the share of the variance that each parameter and each pair explains
        slices        the value of each trial over each parameter
        parallel      a line for each trial through its parameters and its value
        front         two objectives of every trial, and those that no other trial dominates

        Raises HoneError where there is nothing to draw."""
        return drawn(self, figure)

    def _rows(self, rows: str) -> List[Dict[str, Any]]:
        if rows not in ("trials", "reports"):
            raise HoneError(f"there are rows of trials and reports, not of '{rows}'")
        return self.trials() if rows == "trials" else self.reports()

    def __repr__(self) -> str:
        return f"<hone.Sweep {self._id or '(not submitted)'} {self.spec.get('name', '')!r}>"

    def _repr_html_(self) -> str:
        """The values in order of proposal and a table of the best trials, for notebooks."""
        if not self._id:
            return notebook.escaped(repr(self))
        try:
            chart = str(self.plot())
        except HoneError:  # nothing to draw yet, or no program that draws
            chart = ""
        return notebook.sweep_html(self.client.sweep(self._id), self.client.best(self._id), chart)

    def __enter__(self) -> "Sweep":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection. The sweep, and a server that this program started, stay."""
        if self._client is not None:
            self._client.close()


def connect(data: Optional[str] = None) -> Client:
    """A client of the server of HONE_SERVER or of `hone up`; else starts one, which ends with this
    program. `data` names the folder of the server to start, and always starts one."""
    if data is None:
        client = Client(patience_s=30.0 if os.environ.get("HONE_SERVER") else 0.0)
        try:
            client.version()
            return Client()
        except Unavailable:
            if os.environ.get("HONE_SERVER"):
                raise
    folder = os.path.realpath(data or data_folder())
    if folder not in _local:
        _local[folder] = LocalServer(data)
        atexit.register(_local[folder].close)
    return Client(_local[folder].url)


def _objective(objective: Objective, goal: str) -> Dict[str, Any]:
    if goal not in GOALS:
        raise Invalid(f"goal must be maximize or minimize, not '{goal}'"
                      f"{rules.nearest(goal, GOALS)}", "/objective/goal")
    if isinstance(objective, str):
        return {"objective": {"metric": objective, "goal": goal}}
    if isinstance(objective, Mapping):
        return {"objective": dict(objective)}
    return {"objectives": [dict(one) for one in objective]}


def _flat(row: Mapping[str, Any]) -> Dict[str, Any]:
    flat = {key: value for key, value in row.items() if key not in ("params", "sweep", "further")}
    params = {f"params.{name}": value for name, value in row["params"].items()}
    for name, value in (row.get("further") or {}).items():
        while name in flat or name in params:
            name = f"further.{name}"
        flat[name] = value
    flat.update(params)
    return flat
