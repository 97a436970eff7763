"""The rules of the members of a body: texts, names, numbers, ids. Errors name the member by a JSON pointer."""

from __future__ import annotations

import difflib
import math
import re
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, TypeVar

from .errors import Invalid

Json = Any
T = TypeVar("T")

EXACT_MAX = 2**53 - 1
# No longer than 64 bits: ids become parts of paths.
IDS = {"sweep": r"sw_[1-9][0-9]{0,18}", "trial": r"tr_[1-9][0-9]{0,18}",
       "run": r"rn_[1-9][0-9]{0,18}\.[0-9]{1,19}", "lease": r"le_[1-9][0-9]{0,18}",
       "model": r"md_[1-9][0-9]{0,18}"}
EXAMPLES = {"sweep": "sw_7", "trial": "tr_42", "run": "rn_42.0", "lease": "le_5", "model": "md_9"}
_HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


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


def line(value: Json, at: str, least: int = 1, most: int = 100) -> str:
    """A name: no control characters, line ends or characters that turn the text around them."""
    if _HIDDEN.search(text(value, at, least, most)):
        raise Invalid("must not contain control characters or line ends", at)
    if least > 0 and not str(value).strip(" "):
        raise Invalid("must not consist of blanks", at)
    return str(value)


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
