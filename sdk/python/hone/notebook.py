"""HTML of a sweep for notebooks. Every text of a sweep is escaped: names come from files."""

from __future__ import annotations

import html
import math
from typing import Any, List, Mapping, Optional, Sequence, Tuple

WIDTH, HEIGHT, MARGIN = 480, 160, 8
Point = Tuple[int, float]


def escaped(value: Any) -> str:
    return html.escape(f"{value:.6g}" if isinstance(value, float) else str(value))


def sweep_html(sweep: Mapping[str, Any], best: Sequence[Mapping[str, Any]],
               trials: Sequence[Mapping[str, Any]], maximize: bool = True) -> str:
    """A heading, the values with the best so far, and the table of the best trials."""
    counts = sweep["trials"]
    head = (f"<b>{escaped(sweep['id'])}</b> {escaped(sweep['name'])}: {escaped(sweep['state'])}, "
            f"{escaped(counts['proposed'])} of {escaped(counts['total'])} trials")
    points = [(int(row["number"]), float(row["value"])) for row in trials
              if isinstance(row["value"], (int, float)) and math.isfinite(row["value"])]
    return f"<div>{head}<br>{curve_svg(points, maximize)}{table_html(best)}</div>"


def table_html(best: Sequence[Mapping[str, Any]]) -> str:
    """Rank, trial, value, state and parameters of each row; of noisy single runs, what a model
    expects with its spread."""
    names: List[str] = []
    for row in best:
        names += [name for name in row["params"] if name not in names]
    modelled = any(isinstance(row.get("expected_low"), (int, float)) for row in best)
    heads = ["rank", "trial", "value", *(["expected", "spread"] if modelled else []), "state",
             *names]
    lines = ["<tr>" + "".join(f"<th>{escaped(head)}</th>" for head in heads) + "</tr>"]
    for row in best:
        cells = [row["rank"], row["id"], row["value"], *(expected_cells(row) if modelled else []),
                 row["state"], *(row["params"].get(name, "") for name in names)]
        lines.append("<tr>" + "".join(f"<td>{escaped(cell)}</td>" for cell in cells) + "</tr>")
    return "<table>" + "".join(lines) + "</table>" if best else ""


def expected_cells(row: Mapping[str, Any]) -> List[str]:
    """What a model expects of the row, and one standard deviation on either side."""
    if not isinstance(row.get("expected_low"), (int, float)):
        return ["", ""]
    return [f"{row['expected']:.6g}", f"{row['expected_low']:.6g} .. {row['expected_high']:.6g}"]


def curve_svg(points: Sequence[Point], maximize: bool = True) -> str:
    """A dot for each trial's value in order of proposal, and a line for the best so far."""
    if not points:
        return ""
    low, high = min(value for _, value in points), max(value for _, value in points)
    last = max(number for number, _ in points)

    def place(number: int, value: float) -> str:
        x = MARGIN + (WIDTH - 2 * MARGIN) * (number / last if last else 0.5)
        y = HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * ((value - low) / (high - low)
                                                      if high > low else 0.5)
        return f"{x:.1f},{y:.1f}"

    dots, line = [], []
    best: Optional[float] = None
    for number, value in sorted(points):
        best = value if best is None else max(best, value) if maximize else min(best, value)
        line.append(place(number, best))
        x, y = place(number, value).split(",")
        dots.append(f'<circle cx="{x}" cy="{y}" r="2.5"><title>{value:.6g}</title></circle>')
    return (f'<svg width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
            f'aria-label="values from {low:.6g} to {high:.6g}">'
            f'<polyline points="{" ".join(line)}" fill="none" stroke="currentColor"/>'
            f'<g fill="currentColor" fill-opacity="0.5">{"".join(dots)}</g></svg>')
