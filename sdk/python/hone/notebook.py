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
    """Rank, trial, value, state and parameters of each row."""
    names: List[str] = []
    for row in best:
        names += [name for name in row["params"] if name not in names]
    heads = ["rank", "trial", "value", "state", *names]
    lines = ["<tr>" + "".join(f"<th>{escaped(head)}</th>" for head in heads) + "</tr>"]
    for row in best:
        cells = [row["rank"], row["id"], row["value"], row["state"],
                 *(row["params"].get(name, "") for name in names)]
        lines.append("<tr>" + "".join(f"<td>{escaped(cell)}</td>" for cell in cells) + "</tr>")
    return "<table>" + "".join(lines) + "</table>" if best else ""
