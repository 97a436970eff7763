"""Runs a Python function for the trials of a sweep, each call in a separate process."""

from __future__ import annotations

import ctypes
import fcntl
import hashlib
import multiprocessing
import os
import shutil
import signal
import socket
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from typing import Any, BinaryIO, Callable, Dict, List, Optional, Tuple, Union

from . import rules
from . import trial as trials
from .asked import AskedLine, open_run
from .client import SWEEP_ENDS, Asked, Client, user_name
from .errors import HoneError, Infeasible, Problem
from .local import askers_folder, private_folder
from .progress import Progress
from .trial import Run

Function = Callable[[Run], Any]

POLL_FIRST_S, POLL_LAST_S = 0.02, 1.0  # while no trial is to be had: others train, a run rests
GRACE_S = 5.0  # between SIGTERM and SIGKILL
DETAIL_CHARACTERS, LOG_TAIL_CHARACTERS = 900, 4000  # together less than a pipe holds
DIES_WITH_PARENT = 1  # PR_SET_PDEATHSIG of prctl(2)

# What a signal that hone did not send implies, as in docs/failures.md; others are crashes.
SIGNAL_CLASSES = {signal.SIGBUS: "infra", signal.SIGILL: "infra", signal.SIGKILL: "infra",
                  signal.SIGTERM: "preempted", signal.SIGINT: "preempted",
                  signal.SIGHUP: "preempted", signal.SIGXCPU: "timed_out"}
EXCEPTION_CLASSES = {"MemoryError": "oom", "OutOfMemoryError": "oom",
                     "ResourceExhaustedError": "oom", "Unavailable": "infra"}
REQUEUE, INFEASIBLE = 85, 86  # exit statuses, as for commands


@dataclass
class Failure:
    """The end of an attempt, as POST /v1/leases/{lease}/end wants it."""

    reason: str
    failure: str = "none"
    detail: str = ""
    exit_code: int = 0
    log_tail: str = ""

    def body(self) -> Dict[str, Any]:
        return dict(vars(self), detail=self.detail[:1000])


@dataclass
class Child:
    """One process and the trial that it evaluates."""

    asked: Asked
    process: Any  # of multiprocessing
    results: Connection
    folder: str
    slot: "Slot" = field(repr=False)


class Slot:
    """The name under which one process at a time asks. The same name asks again after a crash and
    gets the trial that it left, so a lock keeps two programs of one user from sharing a name."""

    def __init__(self, sweep: str, url: str) -> None:
        key = hashlib.sha256(url.encode()).hexdigest()[:12]
        folder = private_folder(os.path.join(askers_folder(), key))
        for number in range(1, 10_000):
            self._lock: BinaryIO = open(os.path.join(folder, f"{sweep}-{number}"), "wb")
            if self._is_mine():
                self.asker = f"{user_name()}@{socket.gethostname()}/{number}"
                return
            self._lock.close()
        raise HoneError(f"all names to ask for trials of {sweep} are in use")

    def _is_mine(self) -> bool:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Its last holder may have removed it in the meantime.
            return os.path.samestat(os.stat(self._lock.name), os.fstat(self._lock.fileno()))
        except OSError:
            return False

    def close(self) -> None:
        os.unlink(self._lock.name)
        self._lock.close()


class Pool:
    """Asks for trials and evaluates up to `workers` of them at a time."""

    def __init__(self, client: Client, sweep: str, function: Function, workers: int, start: str,
                 progress: Progress, on_trial: Optional[Callable[[Dict[str, Any]], Any]] = None,
                 deadline: Optional[float] = None) -> None:
        if workers < 1:
            raise HoneError(f"workers must be at least 1, not {workers}")
        self._client = client
        self._sweep = sweep
        self._function = function
        self._context: BaseContext = multiprocessing.get_context(start)
        self._children: List[Child] = []
        self._slots = [Slot(sweep, client.url) for _ in range(workers)]
        self._progress = progress
        self._on_trial = on_trial
        self._deadline = deadline  # of time.monotonic(): from then on no trial begins
        self._ended = False

    def run(self) -> None:
        """Returns when the sweep has ended, or its time is over. Interrupted, it ends the processes
        and gives their trials back, to be continued by the next call."""
        pause_s = POLL_FIRST_S
        try:
            while not self._ended and (self._children or not self._is_late()):
                pause_s = POLL_FIRST_S if self._fill() else min(pause_s * 2, POLL_LAST_S)
                self._reap(pause_s)
                if self._progress.due():
                    self._progress.show(self._client.sweep(self._sweep))
            for child in self._children:  # `hone stop --now` ended the sweep under them
                kill_group(child.process.pid, signal.SIGTERM)
            while self._children:
                self._reap(POLL_LAST_S)
            self._progress.show(self._client.sweep(self._sweep))
        except BaseException:
            self._give_back()
            raise
        finally:
            self._progress.close()
            for slot in self._slots + [child.slot for child in self._children]:
                slot.close()

    def _is_late(self) -> bool:
        return self._deadline is not None and time.monotonic() >= self._deadline

    def _fill(self) -> bool:
        """Starts what there is to start. Returns whether anything was."""
        started = False
        while self._slots and not self._ended and not self._is_late():
            try:
                asked = self._client.ask(self._sweep, self._slots[-1].asker)
            except Problem as problem:
                if problem.code != "conflict":
                    raise
                self._ended = rules.state_of(self._client.sweep(self._sweep))["state"] \
                    in SWEEP_ENDS
                break
            self._start(asked, self._slots.pop())
            started = True
        return started

    def _start(self, asked: Asked, slot: Slot) -> None:
        folder = tempfile.mkdtemp(prefix=f"hone-{asked.trial}-")
        receive, send = self._context.Pipe(duplex=False)
        process = self._context.Process(  # type: ignore[attr-defined]
            target=evaluate, name=f"hone {asked.trial}",
            args=(self._function, self._client.arguments, self._sweep, asked, folder, send,
                  os.getpid()))
        self._children.append(Child(asked, process, receive, folder, slot))
        process.start()
        send.close()

    def _reap(self, timeout_s: float) -> None:
        if not self._children:
            time.sleep(timeout_s)
            return
        wait([child.process.sentinel for child in self._children], timeout_s)
        for child in [one for one in self._children if not one.process.is_alive()]:
            self._children.remove(child)
            self._slots.append(child.slot)
            self._end(child, failure_of(child))
            if self._on_trial is not None:
                self._on_trial(self._client.trial(child.asked.trial))

    def _end(self, child: Child, failure: Failure) -> None:
        if child.process.pid is not None:
            child.process.join()
        child.results.close()
        shutil.rmtree(child.folder, ignore_errors=True)
        self._client.post(f"/v1/leases/{child.asked.lease}/end", failure.body())

    def _give_back(self) -> None:
        for number in (signal.SIGTERM, signal.SIGKILL):
            for child in self._children:
                kill_group(child.process.pid, number)
            deadline = time.monotonic() + GRACE_S
            for child in self._children:
                if child.process.pid is not None:
                    child.process.join(max(0.0, deadline - time.monotonic()))
        for child in self._children:
            try:
                self._end(child, Failure("requeue_requested", "preempted", "interrupted"))
            except HoneError as error:
                print(f"hone: {child.asked.trial} was not given back: {error}; the next run() of "
                      "this sweep on this machine continues it", file=sys.stderr)


def kill_group(pid: Optional[int], number: int) -> None:
    if pid is None:
        return
    try:
        os.killpg(pid, number)
    except ProcessLookupError:  # it has ended, or has not called setsid yet
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def evaluate(function: Function, arguments: Tuple[Any, ...], sweep: str, asked: Asked, folder: str,
             results: Connection, parent: int) -> None:
    """The child process: calls the function with its run and exits with a status of commands."""
    os.setsid()  # Ctrl-C is for the parent, which ends this process
    ctypes.CDLL(None).prctl(DIES_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(REQUEUE)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    status = 0
    try:
        run = open_run(Client(*arguments), sweep, asked, folder)
        trials.enter(run)
        report_result(run, function(run))
    except Infeasible as error:
        results.send(("Infeasible", str(error)[:DETAIL_CHARACTERS], ""))
        status = INFEASIBLE
    except SystemExit as leaving:
        status = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except BaseException as error:  # the user's error fails this trial only
        where = error.__traceback__ and error.__traceback__.tb_next  # without this file
        text = "".join(traceback.format_exception(type(error), error, where))
        print(text, file=sys.stderr, flush=True)
        results.send((type(error).__name__, str(error)[:DETAIL_CHARACTERS],
                      text[-LOG_TAIL_CHARACTERS:]))
        status = 1
    trials.leave()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def report_result(run: Run, result: Any) -> None:
    """Reports what a function returned: the objective after its last phase, or a tuple of all
    objectives."""
    line = run.line
    assert isinstance(line, AskedLine)
    last = run.budget.phases - 1
    if result is None and line.reported == 0 and not line.finished:
        raise HoneError("the function returned nothing and reported no phase: return the "
                        "objective, or call run.report")
    if result is None or line.finished or line.reported > last:
        return
    if line.reported < last:
        raise HoneError(f"the function returned a value after {line.reported} of "
                        f"{run.budget.phases} phases; report each phase with run.report, or give "
                        "the sweep one phase")
    values: Union[Tuple[Any, ...], List[Any]] = result if isinstance(result, (tuple, list)) \
        else (result,)
    run.report(last, values[0], further=list(values[1:]), raises=False)


def failure_of(child: Child) -> Failure:
    """The class of an end: docs/failures.md. The server ignores it where the run had ended."""
    status = child.process.exitcode
    try:
        name, message, text = child.results.recv()
    except EOFError:  # it ended without an exception
        name, message, text = "", "", ""
    if status == 0:
        return Failure("exited_early", detail="the function returned")
    if status < 0:
        number = signal.Signals(-status)
        return Failure("signal", SIGNAL_CLASSES.get(number, "crash"),
                       f"the process ended by {number.name}", -status)
    if status == REQUEUE:
        return Failure("requeue_requested", "preempted", "exit status 85")
    if status == INFEASIBLE:
        return Failure("infeasible", "infeasible", message or "exit status 86", status)
    failure = EXCEPTION_CLASSES.get(name, "user_error")
    detail = f"{name}: {message}" if name else f"exited with status {status}"
    return Failure("exit_code", failure, detail, status, text)
