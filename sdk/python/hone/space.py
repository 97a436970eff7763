"""The entries of a search space, as in a sweep file. docs/search.md explains every field."""

from __future__ import annotations

import re
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from .errors import Invalid
from .values import is_sequence, plain, tree, values_of

Value = Union[bool, int, float, str, None, List[Any], Dict[str, Any]]
Space = Mapping[str, Any]
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,59}")


def Float(low: float, high: float, log: bool = False, step: Optional[float] = None,
          when: str = "") -> Dict[str, Any]:
    """A number in [low, high]; with `step`, one of low, low + step, ...

    `log` draws from the log-uniform distribution (low above 0). The parameter is absent while the
    condition `when` does not hold."""
    return _entry({"type": "float", "min": float(plain(low)), "max": float(plain(high))}, log, step,
                  when)


def Int(low: int, high: int, log: bool = False, step: Optional[int] = None,
        when: str = "") -> Dict[str, Any]:
    """A whole number in [low, high], both included; otherwise as Float."""
    return _entry({"type": "int", "min": _whole(low), "max": _whole(high)}, log, step, when)


def Bool(when: str = "") -> Dict[str, Any]:
    """True or False."""
    return _entry({"type": "bool"}, False, None, when)


def Choice(values: Iterable[Value], ordered: bool = False,
           weights: Optional[Sequence[float]] = None, when: str = "") -> Dict[str, Any]:
    """One of `values`: a list, a range, an array or a column of pandas. `ordered`: neighbours are
    alike; `weights`: prior chances, one a value."""
    entry: Dict[str, Any] = {"type": "choice", "values": values_of(values, "/values")}
    if ordered:
        entry["ordered"] = True
    if weights is not None:
        entry["weights"] = [float(one) for one in values_of(weights, "/weights")]
    return _entry(entry, False, None, when)


def parameters_of(space: Space) -> Dict[str, Any]:
    """The `parameters` of a sweep file: a mapping is an entry, a list, tuple, range or array the
    values of a choice, a single value a fixed parameter. Raises Invalid for a tuple of two numbers,
    which is a range for some."""
    return {name: _parameter(one, f"/parameters/{name}") for name, one in space.items()}


def names_for(theirs: Sequence[str]) -> Dict[str, str]:
    """Names of parameters that hone accepts for those of another library: theirs where it can."""
    return {name: name if NAME.fullmatch(name) else f"parameter.{number}"
            for number, name in enumerate(theirs)}


def _parameter(one: Any, at: str) -> Any:
    if isinstance(one, Mapping):
        return tree(one, at)
    if isinstance(one, tuple) and len(one) == 2 and all(_is_number(plain(end)) for end in one):
        kind = "Int" if all(isinstance(plain(end), int) for end in one) else "Float"
        raise Invalid(f"a pair of numbers can mean a range or two choices: write "
                      f"hone.{kind}{tuple(plain(end) for end in one)} or {[*map(plain, one)]}", at)
    if is_sequence(one):
        return {"type": "choice", "values": values_of(one, f"{at}/values")}
    return {"value": plain(one, at)}


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _whole(value: Any) -> int:
    number = plain(value)
    if isinstance(number, float) and number != int(number):
        raise Invalid(f"a bound of an int is a whole number, not {number}")
    return int(number)


def _entry(entry: Dict[str, Any], log: bool, step: Optional[float], when: str) -> Dict[str, Any]:
    if log:
        entry["scale"] = "log"
    if step is not None:
        entry["step"] = plain(step)
    if when:
        entry["when"] = when
    return entry
