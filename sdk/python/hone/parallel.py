"""Parallel coordinates as SVG text: a vertical axis for each number or choice, a line for each row.
Drawn as by `hone report --figure parallel`."""

from __future__ import annotations

import html
import json
import math
from typing import Any, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from .plot import ticks

AXES_MAX = 40  # a chart of 4 metres on a screen
LABELS_MAX = 12  # of one axis
LEFT, TOP, HEIGHT, SPACING = 90, 40, 230, 110
ABSENT = object()  # in a column: a parameter whose condition does not hold
LINE, FAINT = "#16202b", "#5b6672"


class Axis(NamedTuple):
    """Places on an axis: each row's share from 0 (bottom) to 1, None without a value, and labels."""

    name: str
    shares: Sequence[Optional[float]]
    labels: Sequence[Tuple[float, str]]


def axis_of(name: str, values: Sequence[Any], choices: Sequence[Any] = (),
            log: bool = False) -> Optional[Axis]:
    """The axis of a column: numbers by their scale; others, and all where `choices` lists them, by
    their place in the list. ABSENT is no value. Returns None where fewer than two values occur."""
    present = _different(value for value in values if value is not ABSENT)
    if len(present) < 2:
        return None
    if not choices and all(_is_number(value) for value in present):
        return _number_axis(name, values, log and all(value > 0 for value in present))
    texts = [_text(choice) for choice in choices or present]
    last = len(texts) - 1
    return Axis(name, [texts.index(_text(value)) / last if _text(value) in texts else None
                       for value in values],
                [(place / last, texts[place]) for place in range(0, last + 1,
                                                                 last // LABELS_MAX + 1)])


def parallel(axes: Sequence[Axis], good: Sequence[float], title: str) -> str:
    """The chart. `good` is 0 for the worst row to 1 for the best: dark and on top.

    Raises ValueError where there is nothing to draw."""
    if not axes or not good:
        raise ValueError("no rows to draw")
    if len(axes) > AXES_MAX:
        axes = [*axes[:AXES_MAX - 1], axes[-1]]
    width, height = LEFT + SPACING * (len(axes) - 1) + 60, TOP + HEIGHT + 20
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
             f'width="{width}" height="{height}" role="img" aria-label="{html.escape(title)}">',
             '<rect width="100%" height="100%" fill="#ffffff"/>',
             '<g fill="none" stroke-width="1.4">']
    for row in sorted(range(len(good)), key=lambda one: good[one]):
        parts.append(f'<path d="{_path([axis.shares[row] for axis in axes])}" '
                     f'stroke="{_shade(good[row])}"/>')
    parts.append('</g><g font-family="sans-serif" font-size="11" stroke="#ffffff" '
                 'stroke-width="3" paint-order="stroke">')
    for place, axis in enumerate(axes):
        parts += _axis(axis, LEFT + SPACING * place)
    return "\n".join([*parts, "</g></svg>", ""])


def _number_axis(name: str, values: Sequence[Any], log: bool) -> Axis:
    of_axis = math.log10 if log else float
    places = [None if value is ABSENT else of_axis(value) for value in values]
    low, high = (edge(place for place in places if place is not None) for edge in (min, max))
    labels = [(10.0 ** power, float(power)) for power in
              range(math.ceil(low), math.floor(high) + 1)] if log else \
        [(tick, tick) for tick in ticks(low, high)]
    if len(labels) < 2:
        labels = [(10.0 ** edge if log else edge, edge) for edge in (low, high)]
    return Axis(name, [None if place is None else (place - low) / (high - low)
                       for place in places],
                [((place - low) / (high - low), f"{value:.4g}") for value, place in labels])


def _path(shares: Sequence[Optional[float]]) -> str:
    """Ends at an axis on which the row has no value, and begins again behind it."""
    drawn, is_open = [], False
    for place, share in enumerate(shares):
        if share is not None:
            drawn.append(f"{'L' if is_open else 'M'}{LEFT + SPACING * place} {_down(share):.1f}")
        is_open = share is not None
    return "".join(drawn)


def _axis(axis: Axis, x: int) -> List[str]:
    parts = [f'<path d="M{x} {TOP}V{TOP + HEIGHT}" stroke="{LINE}" stroke-width="1"/>'
             f'<text x="{x}" y="{TOP - 16}" text-anchor="middle" fill="{LINE}">'
             f'{_shown(axis.name, 17)}</text>']
    for share, text in axis.labels:
        y = _down(share)
        parts.append(f'<path d="M{x - 3} {y:.1f}H{x}" stroke="{LINE}" stroke-width="1"/>'
                     f'<text x="{x - 6}" y="{y + 4:.1f}" text-anchor="end" fill="{FAINT}">'
                     f'{_shown(text, 14)}</text>')
    return parts


def _down(share: float) -> float:
    return TOP + HEIGHT * (1 - share)


def _shade(good: float) -> str:
    """From light grey to dark blue, which differ in a print without colours."""
    worst, best = (0xd8, 0xdd, 0xe5), (0x00, 0x50, 0x90)
    return "#" + "".join(f"{round(a + (b - a) * good):02x}" for a, b in zip(worst, best))


def _shown(text: str, most: int) -> str:
    return html.escape(text if len(text) <= most else text[:most - 1] + "…")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _different(values: Iterable[Any]) -> List[Any]:
    """The different values in the order in which they occur; true is not 1."""
    return list({_text(value): value for value in values}.values())


def _text(value: Any) -> str:
    """A label as in a sweep file: true, null, [64, 64], 0.5."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_text, value))}]"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
