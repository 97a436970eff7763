"""The entries of a search space, as in a sweep file. docs/search.md explains every field."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

Value = Union[bool, int, float, str, None, List[Any], Dict[str, Any]]
Space = Mapping[str, Any]
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,59}")


def Float(low: float, high: float, log: bool = False, step: Optional[float] = None,
          when: str = "") -> Dict[str, Any]:
    """A number in [low, high]; with `step`, one of low, low + step, ...

    `log` draws from the log-uniform distribution (low above 0). The parameter is absent while the
    condition `when` does not hold."""
    return _entry({"type": "float", "min": float(low), "max": float(high)}, log, step, when)


def Int(low: int, high: int, log: bool = False, step: Optional[int] = None,
        when: str = "") -> Dict[str, Any]:
    """A whole number in [low, high], both included; otherwise as Float."""
    return _entry({"type": "int", "min": int(low), "max": int(high)}, log, step, when)


def Bool(when: str = "") -> Dict[str, Any]:
    """True or False."""
    return _entry({"type": "bool"}, False, None, when)


def Choice(values: Sequence[Value], ordered: bool = False,
           weights: Optional[Sequence[float]] = None, when: str = "") -> Dict[str, Any]:
    """One of `values`. `ordered`: neighbours are alike; `weights`: prior chances, one a value."""
    entry: Dict[str, Any] = {"type": "choice", "values": list(values)}
    if ordered:
        entry["ordered"] = True
    if weights is not None:
        entry["weights"] = [float(one) for one in weights]
    return _entry(entry, False, None, when)


def parameters_of(space: Space) -> Dict[str, Any]:
    """The `parameters` of a sweep file: a mapping is an entry, a list or tuple the values of a
    choice, a single value a fixed parameter."""
    return {name: _parameter(one) for name, one in space.items()}


def names_for(theirs: Sequence[str]) -> Dict[str, str]:
    """Names of parameters that hone accepts for those of another library: theirs where it can."""
    return {name: name if NAME.fullmatch(name) else f"parameter.{number}"
            for number, name in enumerate(theirs)}


def _parameter(one: Any) -> Any:
    if isinstance(one, Mapping):
        return dict(one)
    if isinstance(one, (list, tuple)):
        return Choice(one)
    return {"value": one}


def _entry(entry: Dict[str, Any], log: bool, step: Optional[float], when: str) -> Dict[str, Any]:
    if log:
        entry["scale"] = "log"
    if step is not None:
        entry["step"] = step
    if when:
        entry["when"] = when
    return entry
