"""Charts of a sweep as SVG, for notebooks and papers: without other libraries, from the routes that
the dashboard reads."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Sequence, Tuple, Union

from . import plot
from .errors import HoneError
from .parallel import ABSENT, Axis, axis_of
from .parallel import parallel as draw_parallel

if TYPE_CHECKING:
    from .sweep import Sweep

LEADERS = 5  # runs that a chart of curves names


class Figure:
    """A chart. A notebook shows it, save() writes it, str() is its text."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the chart to a file, as history.svg."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def _repr_svg_(self) -> str:
        return self.svg

    __str__ = _repr_svg_


def finite(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def objective_of(sweep: Sweep) -> Tuple[str, bool]:
    """The name of the values of trials, and whether larger ones are better."""
    objective = sweep.spec.get("objective") or sweep.spec["objectives"][0]
    time = objective.get("reach") is not None
    name = f"time to {objective['metric']} {objective['reach']:g}" if time else objective["metric"]
    return str(name), objective.get("goal", "maximize") == "maximize" and not time


def history(sweep: Sweep) -> Figure:
    """The value of each trial in order of proposal, and the best so far."""
    name, larger = objective_of(sweep)
    points = [(float(row["number"] + 1), float(row["value"])) for row in sweep.trials()
              if finite(row["value"])]
    best: List[plot.Point] = []
    for number, value in points:
        if not best or (value > best[-1][1] if larger else value < best[-1][1]):
            best.append((number, value))
    if best:
        best.append((points[-1][0], best[-1][1]))
    return _figure(sweep, [plot.Chart(f"{sweep.id}: {len(points)} trials", [
        plot.Line("best so far", best), plot.Line("trials", points, dots=True)],
        "trial", name, steps=True)], width=560, height=300)


def curves(sweep: Sweep) -> Figure:
    """The reports of every run; those of the leaders have names."""
    name, _ = objective_of(sweep)
    leaders = {row["run"]: f"{row['rank']}. {row['id']}"
               for row in sweep.client.best(sweep.id, limit=LEADERS)}
    others, named = [], []
    for run in sweep.client.pages(f"/v1/sweeps/{sweep.id}/curves"):
        points = [(float(point["step"]), float(point["value"])) for point in run["curve"]
                  if finite(point["value"])]
        if run["run"] in leaders:
            named.append(plot.Line(leaders[run["run"]], points))
        elif points:
            others.append(plot.Line("others", points, faint=True))
    named.sort(key=lambda line: int(line.name.split(".")[0]))
    return _figure(sweep, [plot.Chart(f"{sweep.id}: {len(named) + len(others)} runs",
                                      others + [line for line in named if line.points],
                                      str(sweep.spec["budget"]["unit"]), name)],
                   width=560, height=300)


def slices(sweep: Sweep) -> Figure:
    """The values of trials over each parameter that is a number."""
    name, _ = objective_of(sweep)
    rows = [row for row in sweep.trials() if finite(row["value"])]
    charts = []
    for parameter, domain in sweep.spec["parameters"].items():
        points = sorted((float(row[f"params.{parameter}"]), float(row["value"])) for row in rows
                        if finite(row.get(f"params.{parameter}")))
        if len({x for x, _ in points}) > 1:
            charts.append(plot.Chart(parameter, [plot.Line("trials", points, dots=True)], y=name,
                                     log_x=domain.get("scale") == "log"))
    return _figure(sweep, charts, width=360, height=220)


def parallel(sweep: Sweep) -> Figure:
    """A line for each trial through its parameters, those that vary, and its value; the best are
    dark and on top."""
    name, larger = objective_of(sweep)
    rows = [row for row in sweep.trials() if finite(row["value"])]
    axes = []
    for parameter, domain in sweep.spec["parameters"].items():
        domain = domain if isinstance(domain, Mapping) else {}
        axes.append(axis_of(parameter, [row.get(f"params.{parameter}", ABSENT) for row in rows],
                            domain.get("values", ()), domain.get("scale") == "log"))
    varied = [axis for axis in axes if axis is not None]
    if not varied:
        raise HoneError(f"{sweep.id} has nothing to draw yet: no parameter differs among trials "
                        "with a value")
    values = [float(row["value"]) for row in rows]
    low, high = min(values), max(values)
    shares = [(value - low) / (high - low) if high > low else 0.5 for value in values]
    value_axis = axis_of(name, values) or Axis(name, shares, [(0.5, f"{low:.4g}")])
    return Figure(draw_parallel([*varied, value_axis],
                                [share if larger else 1 - share for share in shares],
                                f"{sweep.id}: {len(rows)} trials"))


def importance(sweep: Sweep) -> Figure:
    """The share of the variance that each parameter, and each pair, explains, with the deviation
    among the trees of the forest. Raises Problem (conflict) for fewer than ten trials."""
    items: Sequence[Mapping[str, Any]] = \
        sweep.client.get(f"/v1/sweeps/{sweep.id}/importance")["items"]
    rows = [(" with ".join(item["parameters"]), float(item["share"]), float(item["deviation"]))
            for item in items if len(item["parameters"]) == 1 or item["share"] >= 0.005]
    return Figure(plot.bars(f"{sweep.id}: share of the variance of {objective_of(sweep)[0]}", rows))


def front(sweep: Sweep) -> Figure:
    """The first two objectives of every trial, and the trials that no other one dominates."""
    objectives = sweep.spec.get("objectives") or []
    if len(objectives) < 2:
        raise HoneError(f"{sweep.id} has one objective: a front needs two")
    x, y = (one["metric"] for one in objectives[:2])
    best = {item["id"] for item in sweep.client.get(f"/v1/sweeps/{sweep.id}/pareto")["items"]}
    points: Dict[bool, List[plot.Point]] = {True: [], False: []}
    columns = sweep.client.get(f"/v1/sweeps/{sweep.id}/columns",
                               fields="trial,value,further.*")["columns"]
    further = columns.get(f"further.{y}", [])
    for trial, one, other in zip(columns["trial"], columns["value"], further):
        if finite(one) and finite(other):
            points[f"tr_{trial}" in best].append((float(one), float(other)))
    lines = [plot.Line("dominated", sorted(points[False]), dots=True),
             plot.Line("front", sorted(points[True]), dots=True)]
    return _figure(sweep, [plot.Chart(sweep.id, [one for one in lines if one.points], x, y)],
                   width=560, height=300)


def _figure(sweep: Sweep, charts: Sequence[plot.Chart], width: int, height: int) -> Figure:
    if not any(line.points for chart in charts for line in chart.lines):
        raise HoneError(f"{sweep.id} has nothing to draw yet: no trial has a value")
    return Figure(plot.svg(charts, width=width, height=height))


FIGURES: Dict[str, Callable[[Sweep], Figure]] = {
    "history": history, "curves": curves, "slices": slices, "importance": importance,
    "parallel": parallel, "front": front}
