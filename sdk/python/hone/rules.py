"""The rules of request and reply bodies. Errors name the field by a JSON pointer. schemas/cases holds the cases that test
both this module and the C++ codec."""

from __future__ import annotations

from typing import Any, Dict, List

from .errors import Invalid
from .members import (
    Fields, Json, described, digest, identifier, integer, line, nearest, number, obj, params,
    score, text, truth, word)

NEXT_CHARACTERS_MAX = 1000  # of the place where a list continues
VERDICTS = ("continue", "pause", "stop")
REASONS = ("no_rule", "last_phase", "diverged", "collecting", "good_enough", "evicted",
           "between_rungs", "promoted", "awaits_promotion", "awaits_seeds", "outraced",
           "no_checkpoint", "finishes", "replaced", "awaits_turn", "step_follows", "yields",
           "reached", "too_late")
VERBS = ("pause", "resume", "stop", "cancel", "kill")
TOLD = ("value", "failed", "infeasible")


def steer(document: Json) -> Dict[str, Any]:
    fields = Fields(document)
    result = {"verb": fields.need("verb", word, VERBS)}
    fields.done()
    return result


def ask(document: Json) -> Dict[str, Any]:
    fields = Fields(document)
    result = {"asker": fields.need("asker", text, 1, 200)}
    fields.done()
    return result


def tell(document: Json) -> Dict[str, Any]:
    fields = Fields(document)
    result = {
        "told": fields.maybe("told", "value", word, TOLD),
        "phase": fields.maybe("phase", None, integer),
        "step": fields.maybe("step", 0, integer),
        "value": fields.maybe("value", None, score),
        "further": fields.maybe("further", [], scores),
        "detail": fields.maybe("detail", "", text),
        "epoch": fields.maybe("epoch", None, identifier, "lease"),
        "phase_seconds": fields.maybe("phase_seconds", None, number, 0, 315_360_000),
    }
    fields.done()
    if (result["value"] is not None) != (result["told"] == "value"):
        raise Invalid("a result has a value; a trial that failed or is infeasible has none",
                      "/value")
    return {key: one for key, one in result.items() if one not in (None, [], "")}


def submit_reply(document: Json) -> Dict[str, Any]:
    fields = Fields(document)
    result = {"sweep": fields.need("sweep", identifier, "sweep")}
    fields.done(tolerant=True)
    return result


def state_of(document: Json) -> Dict[str, Any]:
    fields = Fields(document)
    result = {"state": fields.need("state", text, 1)}
    fields.done(tolerant=True)
    return result


def page(document: Json) -> Dict[str, Any]:
    fields = Fields(document)
    result = {"items": fields.need("items", objects),
              "next": fields.maybe("next", None, text, 1, NEXT_CHARACTERS_MAX)}
    fields.done(tolerant=True)
    return result


def model(document: Json) -> Dict[str, Any]:
    fields = Fields(document)
    result = {"id": fields.need("id", identifier, "model"), "sha256": fields.need("sha256", digest),
              "step": fields.need("step", integer), "phase": fields.need("phase", integer)}
    fields.done(tolerant=True)
    return result


def objects(value: Json, at: str) -> List[Dict[str, Any]]:
    if not isinstance(value, list):
        raise Invalid(f"must be a list, not {described(value)}", at)
    return [dict(obj(one, f"{at}/{i}")) for i, one in enumerate(value)]


def event(document: Json) -> Dict[str, Any]:
    fields = Fields(document)
    fields.need("seq", integer)
    fields.need("kind", text, 1)
    fields.done(tolerant=True)
    return dict(document)


def scores(value: Json, at: str) -> List[Json]:
    if not isinstance(value, (list, tuple)):
        raise Invalid(f"must be a list, not {described(value)}", at)
    return [score(one, f"{at}/{i}") for i, one in enumerate(value)]


def enqueue(document: Json) -> Dict[str, Any]:
    fields = Fields(document)
    result = {"request_id": fields.need("request_id", text, 1, 200),
              "params": fields.need("params", params)}
    start = fields.maybe("fork", None, fork)
    fields.done()
    if start is not None:
        result["fork"] = start
    return result


def fork(document: Json, at: str) -> Dict[str, Any]:
    """The run from whose checkpoint a fork starts."""
    fields = Fields(document, at)
    result = {"run": fields.need("run", identifier, "run")}
    phase = fields.maybe("phase", None, integer)
    fields.done()
    if phase is not None:
        result["phase"] = phase
    return result


def verdict(document: Json, at: str = "") -> Dict[str, Any]:
    fields = Fields(document, at)
    result = {
        "verdict": fields.need("verdict", word, VERDICTS),
        "reason": fields.need("reason", text),
        "inputs": fields.maybe("inputs", {}, obj),
    }
    fields.done(tolerant=True)
    return result


def ask_reply(document: Json) -> Dict[str, Any]:
    fields = Fields(document)
    result = {
        "trial": fields.need("trial", identifier, "trial"),
        "number": fields.need("number", integer),
        "lease": fields.need("lease", identifier, "lease"),
        "params": fields.need("params", params),
        "seed": fields.need("seed", integer),
        "next_phase": fields.need("next_phase", integer),
        "epoch": fields.maybe("epoch", None, identifier, "lease"),
        "resume": fields.maybe("resume", None, _model_ref),
        "first_phase": fields.maybe("origin", None, _origin_phase),
    }
    fields.done(tolerant=True)
    return result


def _origin_phase(value: Json, at: str) -> int:
    return int(Fields(value, at).need("phase", integer))


def enqueue_reply(document: Json) -> Dict[str, Any]:
    fields = Fields(document)
    result = {"waiting": fields.need("waiting", integer)}
    fields.done(tolerant=True)
    return result


def problem(document: Json) -> Dict[str, Any]:
    fields = Fields(document)
    result = {
        "code": fields.need("code", text),
        "detail": fields.need("detail", text),
        "at": fields.maybe("at", "", text),
        "retryable": fields.maybe("retryable", False, lambda value, _: value is True),
    }
    fields.done(tolerant=True)
    return result


def trial_line(document: Json) -> Dict[str, Any]:
    """Checks one line to the worker."""
    obj(document, "")
    if len(document) != 1:
        raise Invalid("a line is an object with one member: report, checkpoint or metric")
    (kind, body), = document.items()
    if kind not in ("report", "checkpoint", "metric"):
        raise Invalid(f"'{kind}' is not report, checkpoint or metric"
                      + nearest(kind, ("report", "checkpoint", "metric")), f"/{kind}")
    fields = Fields(body, f"/{kind}")
    if kind == "report":
        fields.need("step", integer)
        fields.need("value", score)
        fields.maybe("further", None, scores)
        fields.maybe("phase", None, integer)
        fields.maybe("seed_applied", None, truth)
    elif kind == "checkpoint":
        fields.need("path", text, 1)
        fields.need("step", integer)
        fields.maybe("phase", None, integer)
    else:
        fields.need("name", line)
        fields.need("step", integer)
        fields.need("value", number)
    fields.done()
    return dict(document)


def trial_answer(document: Json) -> Dict[str, Any]:
    """Checks one line from the worker."""
    obj(document, "")
    if "verdict" in document:
        return verdict(document)
    if "saved" in document:
        fields = Fields(document["saved"], "/saved")
        fields.need("sha256", text, 64, 64)
        fields.done(tolerant=True)
        return dict(document)
    if "error" in document:
        fields = Fields(document["error"], "/error")
        for key in ("code", "detail", "at"):
            fields.need(key, text)
        fields.done(tolerant=True)
        return dict(document)
    raise Invalid("is none of the answers of a worker")


def run_file(document: Json) -> Dict[str, Any]:
    fields = Fields(document)
    result = {
        "run": fields.need("run", identifier, "run"),
        "attempt": fields.need("attempt", integer, 1),
        "sweep": fields.need("sweep", identifier, "sweep"),
        "sweep_name": fields.maybe("sweep_name", "", text),
        "trainer": fields.need("trainer", obj),
        "params": fields.need("params", params),
        "seed": fields.need("seed", integer),
        "objective": fields.need("objective", obj),
        "budget": fields.need("budget", budget),
        "next_phase": fields.need("next_phase", integer),
        "resume": fields.maybe("resume", None, _resume),
    }
    fields.done(tolerant=True)
    return result


def budget(value: Json, at: str) -> Dict[str, Any]:
    fields = Fields(value, at)
    result = {
        "unit": fields.need("unit", text),
        "per_run": fields.need("per_run", integer, 1),
        "phases": fields.need("phases", integer, 1),
    }
    fields.done(tolerant=True)
    return result


def _resume(value: Json, at: str) -> Dict[str, Any]:
    return _checkpoint(value, at, "path", text, 1)


def _model_ref(value: Json, at: str) -> Dict[str, Any]:
    return _checkpoint(value, at, "sha256", digest)


def _checkpoint(value: Json, at: str, where: str, *check: Any) -> Dict[str, Any]:
    fields = Fields(value, at)
    result = {"model": fields.need("model", identifier, "model"), where: fields.need(where, *check),
              "step": fields.need("step", integer), "phase": fields.need("phase", integer)}
    fields.done(tolerant=True)
    return result
