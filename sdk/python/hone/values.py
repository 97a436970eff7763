"""Values as JSON has them. NumPy, pandas and other libraries have own numbers, which become
those of Python; what is no value is refused with its place."""

from __future__ import annotations

import math
import numbers
import struct
from collections.abc import Iterable, Mapping
from typing import Any, Dict, List, Sequence

from .errors import Invalid

# Words of results that stand for a number.
NO_NUMBER = ("diverged", "not_reached")


def plain(value: Any, at: str = "") -> Any:
    """A number, text or truth value of any library as Python's own; others as they are, where JSON
    has them (null). A float32 is the number that its shortest decimal names: 0.1, not
    0.10000000149011612."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if callable(getattr(value, "item", None)) and _size(value) == 1:  # NumPy, PyTorch, JAX
        return _finite(_shortest(value.item(), _bytes_of(value)), at)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real) or type(value).__name__ == "Decimal":
        return _finite(float(value), at)
    raise Invalid(f"must be a number, a text, true or false, not {_described(value)}", at)


def values_of(sequence: Any, at: str = "") -> List[Any]:
    """The values of a list, tuple, range, array, Series or Index."""
    if callable(getattr(sequence, "to_numpy", None)):  # pandas: keeps float32
        sequence = sequence.to_numpy()
    return [tree(one, f"{at}/{number}") for number, one in enumerate(sequence)]


def is_sequence(value: Any) -> bool:
    if isinstance(value, (str, bytes, Mapping, set, frozenset)):
        return False
    return isinstance(value, Iterable) and getattr(value, "shape", None) != ()


def tree(document: Any, at: str = "") -> Any:
    """The same document with plain values at every place."""
    if isinstance(document, Mapping):
        return {name: tree(one, f"{at}/{name}") for name, one in document.items()}
    return values_of(document, at) if is_sequence(document) else plain(document, at)


def params_of(params: Mapping[str, Any], at: str = "/params") -> Dict[str, Any]:
    return {name: tree(one, f"{at}/{name}") for name, one in params.items()}


def result_numbers(values: Sequence[Any]) -> List[Any]:
    """A column of results as numbers, with NaN for `diverged`, so that max() and mean() work; any
    other column as it is."""
    given = [value for value in values if value is not None]
    if not any(is_number(value) for value in given) or not any(
            isinstance(value, str) and value in NO_NUMBER for value in given):
        return list(values)
    if not all(is_number(value) or value in NO_NUMBER for value in given):
        return list(values)
    return [value if value is None else float(value) if is_number(value) else math.nan
            for value in values]


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _finite(value: Any, at: str) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        raise Invalid(f"must be a finite number, not {value}", at)
    if not isinstance(value, (bool, int, float, str)):
        raise Invalid(f"must be a number, a text, true or false, not {_described(value)}", at)
    return value


def _size(value: Any) -> int:
    """The number of values of an array or a tensor; 1 of what has no size."""
    shape = getattr(value, "shape", ())
    return math.prod(shape) if isinstance(shape, tuple) else 1


def _bytes_of(value: Any) -> int:
    size = getattr(value, "itemsize", 8)
    return size if isinstance(size, int) else 8


def _shortest(value: Any, size: int) -> Any:
    """The number with the fewest digits that a float of so many bytes rounds to the same."""
    form = {2: "e", 4: "f"}.get(size)
    if form is None or not isinstance(value, float) or not math.isfinite(value):
        return value
    for digits in range(1, 10):
        short = float(f"{value:.{digits}g}")
        try:
            if struct.unpack(form, struct.pack(form, short))[0] == value:
                return short
        except OverflowError:  # the last digit rounds beyond the largest float
            continue
    return value


def _described(value: Any) -> str:
    kind = type(value)
    name = kind.__name__ if kind.__module__ in ("builtins", "__main__") \
        else f"{kind.__module__}.{kind.__name__}"
    return f"{str(value)[:60]!r} of type {name}"
