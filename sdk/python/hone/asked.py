"""The run of a trial that this program evaluates itself: the same object as in a program that a
worker runs, connected to the server instead."""

from __future__ import annotations

import os
import time
from typing import Any, Dict, List, Mapping, Optional

from . import rules
from .client import Asked, Client
from .errors import HoneError, Problem
from .trial import Budget, Resume, Run

POINTS_MAX = 1000  # metrics that wait for the next report


class AskedLine:
    """Sends the reports, checkpoints and metrics of one lease. Needs a token with the scopes submit
    and worker, where the server asks for tokens."""

    def __init__(self, client: Client, asked: Asked, phases: int, first: int) -> None:
        self.finished = False  # the server has ended or paused the run
        self.reported = first  # the phase that the program trains first
        self._client = client
        self.lease = asked.lease
        self._known = asked.next_phase  # phases with a report before this lease
        self._phases = phases
        # A checkpoint, under this lease; the server knows earlier ones. Servers without epochs
        # do not ask.
        self._saved = asked.epoch is None
        self._points: List[Dict[str, Any]] = []
        # Servers that name the first phase take what a phase took.
        self._timed = asked.first_phase is not None
        self._phase_began = time.monotonic()

    def tell(self, message: Mapping[str, Any]) -> None:
        rules.trial_line(message)
        self._points.append(dict(message["metric"]))
        if len(self._points) >= POINTS_MAX:
            self.flush()

    def ask(self, message: Mapping[str, Any]) -> Dict[str, Any]:
        rules.trial_line(message)
        self.flush()
        if "checkpoint" in message:
            return self._save(message["checkpoint"])
        return self._report(message["report"])

    def flush(self) -> None:
        points, self._points = self._points, []
        if points:
            self._client.post(f"/v1/leases/{self.lease}/metrics", {"points": points})

    def close(self) -> None:
        self.flush()
        self._client.close()

    def _report(self, report: Mapping[str, Any]) -> Dict[str, Any]:
        body = dict(report)
        body.setdefault("phase", self.reported)
        self.reported = max(self.reported, body["phase"] + 1)
        if body["phase"] < self._known:  # trained again, after an older checkpoint or none
            self._phase_began = time.monotonic()
            return {"verdict": "continue", "reason": "recorded"}
        if not self._saved:
            body["resumable"] = False
        if self._timed:
            body["phase_seconds"] = time.monotonic() - self._phase_began
        try:
            answer = rules.verdict(self._client.post(f"/v1/leases/{self.lease}/reports", body))
        except Problem as problem:
            if problem.code != "stale_lease":
                raise
            answer = {"verdict": "stop", "reason": "ended"}  # as by `hone stop --now`
        self.finished = answer["verdict"] != "continue"
        self._phase_began = time.monotonic()  # waiting for the server is no training
        return answer

    def _save(self, checkpoint: Mapping[str, Any]) -> Dict[str, Any]:
        digest, size = self._client.store(checkpoint["path"])
        phase = checkpoint.get("phase", min(self.reported, self._phases - 1))
        self._client.post(f"/v1/leases/{self.lease}/models",
                          {"sha256": digest, "bytes": size, "step": checkpoint["step"],
                           "phase": phase})
        self._saved = True
        return {"saved": {"sha256": digest}}


def open_run(client: Client, sweep: str, asked: Asked, folder: str) -> Run:
    """The run of an asked trial, with the files of its checkpoints in `folder`.

    A run that was paused or interrupted continues from its last checkpoint. Without one it begins
    again at phase 0, and phases that have a report already are trained again unjudged."""
    row = client.sweep(sweep)
    try:
        spec = row["spec"]
        objective = spec.get("objective") or spec["objectives"][0]
        budget = Budget(**rules.budget(spec["budget"], "/spec/budget"))
        run = _run_of(client, asked)
        name, metric, goal = str(row["name"]), str(objective["metric"]), str(objective["goal"])
        attempt = rules.integer(run["attempts"], "/attempts")
    except (LookupError, TypeError, AttributeError) as error:
        raise HoneError(f"the server's answer about {sweep} lacks {error}") from error
    resume = _resume(client, asked, run["id"], folder)
    first = asked.next_phase if resume else 0
    if asked.first_phase is not None:
        first = min(asked.first_phase, asked.next_phase)
    line = AskedLine(client, asked, budget.phases, first)
    return Run(id=run["id"], attempt=attempt, sweep=sweep, sweep_name=name,
               params=dict(asked.params), seed=asked.seed, metric_name=metric,
               goal=goal, budget=budget,
               next_phase=first, resume=resume, checkpoint_dir=folder,
               folder=folder, line=line)


def _run_of(client: Client, asked: Asked) -> Dict[str, Any]:
    runs = [run for run in client.runs(asked.trial) if run["seed"] == asked.seed]
    for run in runs:
        if len(runs) == 1 or any(one["lease"] == asked.lease
                                 for one in client.pages(f"/v1/runs/{run['id']}/attempts")):
            rules.identifier(run["id"], "/id", "run")
            return run
    raise HoneError(f"{asked.trial} has no run with the lease {asked.lease}")


def _resume(client: Client, asked: Asked, run: str, folder: str) -> Optional[Resume]:
    model = asked.resume
    if asked.first_phase is None and asked.next_phase > 0:  # a server that names no checkpoint
        models = [rules.model(one) for one in client.models(run=run)]
        newest = max(models, key=lambda one: int(one["step"]), default=None)
        model = {**newest, "model": newest["id"]} if newest else None
    if model is None:
        return None
    path = os.path.join(folder, "resume-" + model["sha256"][:12])
    client.fetch(model["model"], path)
    return Resume(model["model"], path, model["step"], model["phase"])
