"""Line charts as SVG text, without other libraries: curves of several methods on common axes."""

from __future__ import annotations

import html
import math
from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

Point = Tuple[float, float]
# Each line differs by its colour and its dashes, so that a print without colours can be read.
STYLES = (("#0374ba", ""), ("#c04f00", "7 3"), ("#018358", "2 3"), ("#b04294", "9 3 2 3"),
          ("#74770a", "4 2"), ("#614c64", "12 4"))
LEFT, RIGHT, TOP, BOTTOM, LEGEND = 46, 12, 26, 36, 24  # margins of a chart, height of the legend


class Line(NamedTuple):
    """Points in the order of x; `band` has (x, low, high), drawn as an area behind the line. With
    `dots` the points are not joined."""

    name: str
    points: Sequence[Point]
    band: Sequence[Tuple[float, float, float]] = ()
    dots: bool = False


class Chart(NamedTuple):
    """Lines on common axes. With `steps` a value holds until the next point; with `log_x` equal
    distances are equal ratios of x, which is above 0."""

    title: str
    lines: Sequence[Line]
    x: str = ""
    y: str = ""
    steps: bool = False
    log_x: bool = False


def ticks(low: float, high: float, most: int = 5) -> List[float]:
    """At most `most` round numbers (spaced by 1, 2 or 5 times a power of ten) from low to high."""
    if not high > low:
        return [low]
    step = 10.0 ** math.floor(math.log10((high - low) / most))
    step = next(step * times for times in (1, 2, 5, 10, 20)
                if math.floor(high / (step * times)) - math.ceil(low / (step * times)) < most)
    return [step * count for count in range(math.ceil(low / step), math.floor(high / step) + 1)]


def svg(charts: Sequence[Chart], columns: int = 2, width: int = 360, height: int = 220) -> str:
    """The charts in rows of `columns`, with one legend below them. Equal names have equal colours.

    Raises ValueError where there is nothing to draw, or a number that is not finite."""
    styles = _styles([line for chart in charts for line in chart.lines])
    if not styles:
        raise ValueError("no lines to draw")
    columns = min(columns, len(charts))
    rows = -(-len(charts) // columns)
    legend, lines = _legend(charts, styles, columns * width, rows * height + 14)
    whole = (columns * width, rows * height + LEGEND * lines)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole[0]} {whole[1]}" '
             f'width="{whole[0]}" height="{whole[1]}" role="img" '
             f'aria-label="{_text("; ".join(chart.title for chart in charts))}">',
             '<rect width="100%" height="100%" fill="#ffffff"/>',
             '<g font-family="sans-serif" font-size="11" fill="#16202b">']
    for number, chart in enumerate(charts):
        row, column = divmod(number, columns)
        parts.append(f'<g transform="translate({column * width} {row * height})">')
        parts += _chart(chart, styles, width, height)
        parts.append("</g>")
    return "\n".join([*parts, *legend, "</g></svg>", ""])


def _styles(lines: Sequence[Line]) -> Dict[str, Tuple[str, str]]:
    """Colour and dashes of each name, in the order of their first lines."""
    names = list(dict.fromkeys(line.name for line in lines))
    return {name: STYLES[i % len(STYLES)] for i, name in enumerate(names)}


class _Scale:
    """Maps the ranges of a chart to pixels."""

    def __init__(self, chart: Chart, width: int, height: int) -> None:
        points = [point for line in chart.lines for point in line.points]
        points += [(x, edge) for line in chart.lines for x, *edges in line.band for edge in edges]
        if not points or not all(math.isfinite(value) for point in points for value in point):
            raise ValueError(f"{chart.title}: no points, or one that is not finite")
        self.log_x = chart.log_x
        if chart.log_x and not all(x > 0 for x, _ in points):
            raise ValueError(f"{chart.title}: a logarithmic axis needs numbers above 0")
        self.x = _range([self._of_axis(x) for x, _ in points])
        self.y = _range([y for _, y in points])
        self.width, self.height = width, height

    def place(self, x: float, y: float) -> str:
        return f"{self.across(x):.1f},{self.down(y):.1f}"

    def across(self, x: float) -> float:
        low, high = self.x
        return LEFT + (self.width - LEFT - RIGHT) * (self._of_axis(x) - low) / (high - low)

    def ticks_across(self) -> List[float]:
        """Round numbers of x: powers of ten on a logarithmic axis that has three of them."""
        low, high = self.x
        if not self.log_x:
            return ticks(low, high)
        powers = [10.0 ** power for power in range(math.ceil(low), math.floor(high) + 1)]
        return powers[::-(-len(powers) // 5)] if len(powers) > 2 else [10.0 ** low, 10.0 ** high]

    def _of_axis(self, x: float) -> float:
        return math.log10(x) if self.log_x else x

    def down(self, y: float) -> float:
        low, high = self.y
        return self.height - BOTTOM - (self.height - TOP - BOTTOM) * (y - low) / (high - low)


def _range(values: Sequence[float]) -> Tuple[float, float]:
    low, high = min(values), max(values)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _chart(chart: Chart, styles: Dict[str, Tuple[str, str]], width: int, height: int) -> List[str]:
    scale = _Scale(chart, width, height)
    right, bottom = width - RIGHT, height - BOTTOM
    parts = [f'<text x="{LEFT}" y="16" font-weight="bold">{_text(chart.title)}</text>',
             f'<text x="{(LEFT + right) / 2:.0f}" y="{height - 6}" text-anchor="middle">'
             f'{_text(chart.x)}</text>',
             f'<text transform="translate(11 {(TOP + bottom) / 2:.0f}) rotate(-90)" '
             f'text-anchor="middle">{_text(chart.y)}</text>']
    for x in scale.ticks_across():
        parts.append(f'<text x="{scale.across(x):.1f}" y="{bottom + 14}" '
                     f'text-anchor="middle">{x:{".2g" if chart.log_x else ".6g"}}</text>')
    for y in ticks(*scale.y):
        parts.append(f'<path d="M{LEFT} {scale.down(y):.1f}H{right}" stroke="#d7dce2"/>'
                     f'<text x="{LEFT - 5}" y="{scale.down(y) + 4:.1f}" '
                     f'text-anchor="end">{y:.6g}</text>')
    for line in chart.lines:
        parts += _line(line, chart.steps, scale, *styles[line.name])
    return parts


def _line(line: Line, steps: bool, scale: _Scale, colour: str, dashes: str) -> List[str]:
    parts: List[str] = []
    if line.dots:
        for x, y in line.points:
            parts.append(f'<circle cx="{scale.across(x):.1f}" cy="{scale.down(y):.1f}" r="2.4" '
                         f'fill="{colour}" fill-opacity="0.55"/>')
        return parts
    if line.band:
        edge = [scale.place(x, low) for x, low, _ in line.band]
        edge += [scale.place(x, high) for x, _, high in reversed(line.band)]
        parts.append(f'<polygon points="{" ".join(edge)}" fill="{colour}" fill-opacity="0.12"/>')
    points = list(line.points)
    if steps:
        corners = [(after[0], before[1]) for before, after in zip(points, points[1:])]
        points = [point for pair in zip(points, [*corners, points[-1]]) for point in pair][:-1]
    drawn = " ".join(scale.place(x, y) for x, y in points)
    parts.append(f'<polyline points="{drawn}" fill="none" stroke="{colour}" '
                 f'stroke-width="1.6" stroke-dasharray="{dashes}">'
                 f'<title>{_text(line.name)}</title></polyline>')
    return parts


def _legend(charts: Sequence[Chart], styles: Dict[str, Tuple[str, str]], width: int,
            y: int) -> Tuple[List[str], int]:
    """The names with their marks, in as many rows as they need, and the number of rows."""
    dots = {line.name for chart in charts for line in chart.lines if line.dots}
    parts, x, rows = [], LEFT, 1
    for name, (colour, dashes) in styles.items():
        needed = 46 + 7 * len(name)
        if x > LEFT and x + needed > width:
            x, y, rows = LEFT, y + LEGEND, rows + 1
        mark = f'<circle cx="{x + 13}" cy="{y - 4}" r="3" fill="{colour}"/>' if name in dots else \
            f'<path d="M{x} {y - 4}h26" stroke="{colour}" stroke-width="2" ' \
            f'stroke-dasharray="{dashes}"/>'
        parts.append(f'{mark}<text x="{x + 31}" y="{y}">{_text(name)}</text>')
        x += needed
    return parts, rows


def _text(value: Any) -> str:
    return html.escape(str(value))
