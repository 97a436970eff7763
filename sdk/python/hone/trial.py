"""The run of this process: its parameters and budget, and its connection to the worker."""

from __future__ import annotations

import atexit
import json
import os
import random
import shutil
import socket
import sys
import threading
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union

from . import rules
from .errors import HoneError, Invalid, Problem, Stopped, Unavailable

if TYPE_CHECKING or sys.version_info >= (3, 8):
    from typing import Protocol
else:
    Protocol = object

LINE_BYTES_MAX = 1 << 20


@dataclass(frozen=True)
class Budget:
    unit: str
    per_run: int
    phases: int

    def phase_end(self, phase: int) -> int:
        """The step at which a phase ends, as in every trainer of hone."""
        return self.per_run * (phase + 1) // self.phases


@dataclass(frozen=True)
class Phase:
    """One slice of the budget: train from `start` to `end`, then report it."""

    number: int
    start: int
    end: int

    def __index__(self) -> int:
        return self.number


@dataclass(frozen=True)
class Resume:
    """The checkpoint to continue from."""

    model: str
    path: str
    step: int
    phase: int


@dataclass(frozen=True)
class Verdict:
    verdict: str  # continue, pause, stop
    reason: str

    @property
    def goes_on(self) -> bool:
        return self.verdict == "continue"


class Line:
    """The connection to the worker over the Unix socket HONE_SOCKET: one JSON object a line."""

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.connect(path)
        except OSError as error:
            raise Unavailable(f"no worker answers at {path}: {error.strerror}") from error
        self._received = b""
        self._mutex = threading.Lock()

    def tell(self, message: Mapping[str, Any]) -> None:
        with self._mutex:
            self._send(message)

    def ask(self, message: Mapping[str, Any]) -> Dict[str, Any]:
        with self._mutex:
            self._send(message)
            while True:
                answer = rules.trial_answer(self._read())
                problem = answer.get("error")
                if problem is None:
                    return answer
                if not problem["at"].startswith("/metric"):
                    raise Problem(problem["code"], problem["detail"], problem["at"])
                # The answer is about an earlier metric, which does not wait for it.
                warnings.warn(f"hone refused a metric: {problem['detail']}", RuntimeWarning,
                              stacklevel=4)

    def close(self) -> None:
        self._socket.close()

    def _send(self, message: Mapping[str, Any]) -> None:
        try:
            self._socket.sendall(json.dumps(rules.trial_line(message),
                                            allow_nan=False).encode() + b"\n")
        except OSError as error:
            raise worker_gone() from error

    def _read(self) -> Any:
        while b"\n" not in self._received:
            try:
                piece = self._socket.recv(65536)
            except OSError as error:
                raise worker_gone() from error
            if not piece or len(self._received) > LINE_BYTES_MAX:
                raise worker_gone()
            self._received += piece
        line, self._received = self._received.split(b"\n", 1)
        try:
            return json.loads(line)
        except (ValueError, RecursionError):
            raise HoneError("the answer of the worker is not a JSON document") from None


def worker_gone() -> Unavailable:
    return Unavailable(
        "the worker closed the connection; end this process, another one continues the run")


class NoLine:
    """Replaces the connection outside a sweep: every verdict is to continue."""

    def tell(self, message: Mapping[str, Any]) -> None:
        rules.trial_line(message)

    def ask(self, message: Mapping[str, Any]) -> Dict[str, Any]:
        rules.trial_line(message)
        if "checkpoint" in message:
            return {"saved": {"sha256": ""}}
        return {"verdict": "continue", "reason": "no_rule"}

    def close(self) -> None:
        pass


class AnyLine(Protocol):
    """Where a run sends its lines: to a worker, to no one, or to the server (asked.AskedLine)."""

    def tell(self, message: Mapping[str, Any]) -> None: ...

    def ask(self, message: Mapping[str, Any]) -> Dict[str, Any]: ...

    def close(self) -> None: ...


@dataclass
class Run:
    """The parameters and the budget of this run, and the calls that report its progress. Thread-safe."""

    id: str
    attempt: int
    sweep: str
    sweep_name: str
    params: Dict[str, Any]
    seed: int
    metric_name: str
    goal: str
    budget: Budget
    next_phase: int
    resume: Optional[Resume]
    checkpoint_dir: str
    folder: str
    line: AnyLine = field(repr=False)
    seed_applied: Optional[
        bool] = None  # sent with every report: set it if the program applies the seed itself
    _step: int = field(default=0, repr=False)

    def phases(self) -> Iterator[Phase]:
        """Yields the phases left to train. A resumed run begins after its last report."""
        for number in range(self.next_phase, self.budget.phases):
            start = self.budget.phase_end(number - 1) if number > 0 else 0
            yield Phase(number, start, self.budget.phase_end(number))

    def apply_seed(self) -> int:
        """Seeds `random`, and NumPy and PyTorch if they are imported, and reports that the seed is applied."""
        random.seed(self.seed)
        numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
        if numpy is not None:
            numpy.random.seed(self.seed % 2**32)
        if torch is not None:
            torch.manual_seed(self.seed)
        self.seed_applied = True
        return self.seed

    def report(self, phase: Union[int, Phase], value: Union[float, str], step: Optional[int] = None,
               further: Sequence[Union[float, str]] = (), raises: bool = True) -> Verdict:
        """Reports the objective at the end of a phase. NaN and infinities count as diverged.

        Raises Stopped if the verdict is to stop or to pause (if it is not caught, the
        program ends with status 0); with
        raises=False, and always after the last phase, returns the verdict instead."""
        number = phase.number if isinstance(phase, Phase) else phase
        body: Dict[str, Any] = {
            "phase": number,
            "step": self.budget.phase_end(number) if step is None else int(step),
            "value": rules.score(_plain(value), "/report/value"),
        }
        if self.seed_applied is not None:
            body["seed_applied"] = self.seed_applied
        if further:
            body["further"] = rules.scores([_plain(one) for one in further], "/report/further")
        answer = self.line.ask({"report": body})
        self._step = body["step"]
        verdict = Verdict(answer["verdict"], answer["reason"])
        if raises and not verdict.goes_on and verdict.reason != "last_phase":
            raise Stopped(verdict.verdict, verdict.reason)
        return verdict

    def metric(self, name: str, value: float, step: Optional[int] = None) -> None:
        """Sends telemetry, which is never judged. Skips values that are not finite."""
        value = float(_plain(value))
        if value - value == 0:
            self.line.tell({"metric": {"name": name, "step": self._step if step is None
                                       else int(step),
                                       "value": value}})

    def checkpoint(self, file: Union[str, "os.PathLike[str]"],
                   phase: Union[int, Phase, None] = None,
                   step: Optional[int] = None) -> str:
        """Stores a file as the checkpoint of a phase, before its report, and returns its SHA-256.

        A file outside `checkpoint_dir` is first copied into it. It may be deleted afterwards."""
        path = os.path.abspath(os.fspath(file))
        inside = os.path.commonpath([path, os.path.abspath(self.checkpoint_dir)]) == \
            os.path.abspath(self.checkpoint_dir)
        if not inside:
            copy = os.path.join(self.checkpoint_dir,
                                f"{random.getrandbits(32):08x}-{os.path.basename(path)}")
            shutil.copyfile(path, copy)
        number = phase.number if isinstance(phase, Phase) else phase
        if step is None:
            step = self._step if number is None else self.budget.phase_end(number)
        body: Dict[str, Any] = {"path": path if inside else copy, "step": int(step)}
        if number is not None:
            body["phase"] = number
        try:
            return str(self.line.ask({"checkpoint": body})["saved"]["sha256"])
        finally:
            if not inside:
                os.unlink(copy)

    def close(self) -> None:
        self.line.close()


def _plain(value: Any) -> Any:
    """Converts numbers of NumPy and similar libraries to Python's."""
    if isinstance(value, (bool, int, float, str)):
        return value
    item = getattr(value, "item", None)
    return item() if callable(item) else float(value)


def in_trial() -> bool:
    """Returns whether a sweep of hone runs this program."""
    return "HONE_RUN_FILE" in os.environ and "HONE_SOCKET" in os.environ


_current: List[Run] = []
_current_mutex = threading.Lock()


def enter(run: Run) -> None:
    """Makes `run` the run of this process."""
    with _current_mutex:
        _current[:] = [run]


def leave() -> None:
    """Sends what the run of this process still holds, if the other end is there to get it."""
    for run in _current:
        try:
            run.close()
        except HoneError as error:
            warnings.warn(f"hone lost metrics of {run.id}: {error}", RuntimeWarning, stacklevel=2)


def current(params: Optional[Mapping[str, Any]] = None, per_run: int = 1, phases: int = 1) -> Run:
    """Returns the run of this program, the same object at every call.

    Outside a sweep it is a local run with these `params`, so that the program can be tried
    alone; without `params` that
    is an error."""
    with _current_mutex:
        if not _current:
            _current.append(_from_environment() if in_trial() else _alone(params, per_run, phases))
            atexit.register(leave)
        return _current[0]


def _alone(params: Optional[Mapping[str, Any]], per_run: int, phases: int) -> Run:
    if params is None:
        raise HoneError(
            "no sweep of hone runs this program (HONE_RUN_FILE is not set); to try it alone, pass "
                        "parameters: hone.current(params={...})")
    here = os.getcwd()
    return Run("rn_0.0", 1, "sw_0", "", dict(params), 0, "", "maximize",
               Budget("steps", per_run, phases), 0, None, here,
               here, NoLine())


def _from_environment() -> Run:
    path = os.environ["HONE_RUN_FILE"]
    try:
        with open(path, encoding="utf-8") as file:
            told = rules.run_file(json.load(file))
    except (OSError, ValueError) as error:
        raise HoneError(f"cannot read the run file {path}: {error}") from error
    except Invalid as error:
        raise HoneError(
            f"the run file {path} is not of the form hone-worker writes: {error}") from error
    checkpoints = os.environ.get("HONE_CHECKPOINT_DIR", os.path.dirname(path))
    resume = told["resume"]
    return Run(
        id=told["run"], attempt=told["attempt"], sweep=told["sweep"], sweep_name=told["sweep_name"],
        params=told["params"], seed=told["seed"], metric_name=told["objective"].get("metric", ""),
        goal=told["objective"].get("goal", "maximize"), budget=Budget(**told["budget"]),
        next_phase=told["next_phase"], resume=Resume(**resume) if resume else None,
        checkpoint_dir=checkpoints,
        folder=os.environ.get("HONE_FOLDER", checkpoints), line=Line(os.environ["HONE_SOCKET"]))
