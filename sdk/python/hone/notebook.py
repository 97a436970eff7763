"""HTML of a sweep for notebooks. Every text of a sweep is escaped: names come from files."""

from __future__ import annotations

import html
from typing import Any, List, Mapping, Sequence


def escaped(value: Any) -> str:
    return html.escape(f"{value:.6g}" if isinstance(value, float) else str(value))


def sweep_html(sweep: Mapping[str, Any], best: Sequence[Mapping[str, Any]], chart: str) -> str:
    """A heading, the chart (SVG), and the table of the best trials."""
    counts = sweep["trials"]
    head = (f"<b>{escaped(sweep['id'])}</b> {escaped(sweep['name'])}: {escaped(sweep['state'])}, "
            f"{escaped(counts['proposed'])} of {escaped(counts['total'])} trials")
    return f"<div>{head}<br>{chart}{table_html(best)}</div>"


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
