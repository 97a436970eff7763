"""The rules of request and reply bodies. Errors name the field by a JSON pointer. schemas/cases holds the cases that test
both this module and the C++ codec."""

from __future__ import annotations

import difflib
import math
import re
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, TypeVar

from .errors import Invalid

Json = Any
T = TypeVar("T")

EXACT_MAX = 2**53 - 1
NEXT_CHARACTERS_MAX = 1000  # of the place where a list continues
# No longer than 64 bits: ids become parts of paths.
IDS = {"sweep": r"sw_[1-9][0-9]{0,18}", "trial": r"tr_[1-9][0-9]{0,18}",
       "run": r"rn_[1-9][0-9]{0,18}\.[0-9]{1,19}", "lease": r"le_[1-9][0-9]{0,18}",
       "model": r"md_[1-9][0-9]{0,18}"}
EXAMPLES = {"sweep": "sw_7", "trial": "tr_42", "run": "rn_42.0", "lease": "le_5", "model": "md_9"}
VERDICTS = ("continue", "pause", "stop")
REASONS = ("no_rule", "last_phase", "diverged", "collecting", "good_enough", "evicted",
           "between_rungs", "promoted", "awaits_promotion", "awaits_seeds", "outraced",
           "no_checkpoint", "finishes", "replaced", "awaits_turn", "step_follows", "yields",
           "reached", "too_late")
VERBS = ("pause", "resume", "stop", "cancel", "kill")
TOLD = ("value", "failed", "infeasible")


def described(value: Json) -> str:
    if isinstance(value, str):
        return f"the text {value[:60]!r}"
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, (list, tuple)):
        return "a list"
    return {None: "null", True: "true", False: "false"}.get(value) or repr(value)


def nearest(word: str, known: Sequence[str]) -> str:
    found = difflib.get_close_matches(word, known, 1)
    return f"; did you mean '{found[0]}'?" if found else ""


def text(value: Json, at: str, least: int = 0, most: int = 1_000_000) -> str:
    if not isinstance(value, str):
        raise Invalid(f"must be a text, not {described(value)}", at)
    if len(value) < least:
        raise Invalid("must not be empty", at)
    if len(value) > most:
        raise Invalid(f"is longer than {most} characters", at)
    return value


def integer(value: Json, at: str, least: int = 0, most: int = EXACT_MAX) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise Invalid(f"must be a whole number, not {described(value)}", at)
    if value < least:
        raise Invalid(f"must be at least {least}, not {value}", at)
    if value > most:
        raise Invalid(f"must be at most {most}, not {value}", at)
    return value


def number(value: Json, at: str, least: float = -math.inf, most: float = math.inf) -> float:
    real = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not real or not math.isfinite(value) or not least <= value <= most:
        bounds = f" from {least} to {most}" if least > -math.inf else ""
        raise Invalid(f"must be a finite number{bounds}, not {described(value)}", at)
    return float(value)


def score(value: Json, at: str) -> Json:
    """Returns a number, or "diverged" for that word and for numbers that are not finite."""
    if value == "diverged":
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Invalid(f'must be a number or "diverged", not {described(value)}', at)
    return value if math.isfinite(value) else "diverged"


def truth(value: Json, at: str) -> bool:
    if not isinstance(value, bool):
        raise Invalid(f"must be true or false, not {described(value)}", at)
    return value


def word(value: Json, at: str, known: Sequence[str]) -> str:
    if value not in known:
        raise Invalid(f"must be one of {', '.join(known)}, not {described(value)}"
                      + (nearest(value, known) if isinstance(value, str) else ""), at)
    return str(value)


def identifier(value: Json, at: str, kind: str) -> str:
    if not isinstance(value, str) or not re.fullmatch(IDS[kind], value):
        raise Invalid(f'must be an id such as "{EXAMPLES[kind]}", not {described(value)}', at)
    return value


def digest(value: Json, at: str) -> str:
    if not isinstance(value, str) or not re.fullmatch("[0-9a-f]{64}", value):
        raise Invalid(f"must be a SHA-256 digest, not {described(value)}", at)
    return value


def params(value: Json, at: str) -> Dict[str, Any]:
    for name, one in obj(value, at).items():
        if one is not None and not isinstance(one, (bool, int, float, str, list, dict)):
            raise Invalid(f"must be a value of JSON, not {described(one)}", f"{at}/{name}")
    return dict(value)


def obj(value: Json, at: str) -> Mapping[str, Json]:
    if not isinstance(value, Mapping):
        raise Invalid(f"must be an object, not {described(value)}", at)
    return value


class Fields:
    """Reads the fields of one object."""

    def __init__(self, value: Json, at: str = "") -> None:
        self.object = obj(value, at)
        self.at = at
        self.known: List[str] = []
        self.missing: Optional[str] = None

    def need(self, key: str, read: Callable[..., T], *more: Any) -> T:
        self.known.append(key)
        if self.object.get(key) is None:
            # Unknown fields are reported first: a misspelled name explains a missing one.
            self.missing = self.missing or key
            return None  # type: ignore[return-value]
        return read(self.object[key], f"{self.at}/{key}", *more)

    def maybe(self, key: str, fallback: Any, read: Callable[..., Any], *more: Any) -> Any:
        self.known.append(key)
        value = self.object.get(key)
        return fallback if value is None else read(value, f"{self.at}/{key}", *more)

    def done(self, tolerant: bool = False) -> None:
        for key in self.object:
            if not tolerant and key not in self.known:
                known = ", ".join(self.known) or "none here"
                instead = nearest(key, self.known) or f"; there is {known}"
                raise Invalid(f"unknown field '{key}'" + instead, f"{self.at}/{key}")
        if self.missing is not None:
            raise Invalid("is missing: it is required here", f"{self.at}/{self.missing}")


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
        fields.need("name", text, 1, 200)
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
