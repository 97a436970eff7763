"""Distributions of values and the history of a front's volume, against sums made here."""

import json

import pytest


def table_of(page, card):
    """The numbers of a chart, by its own table. A chart out of sight is not drawn."""
    page.wait(f"document.querySelector('[data-card={card}]')")
    page.run(f"document.querySelector('[data-card={card}]').scrollIntoView()")
    page.wait(f"document.querySelector('[data-card={card}] canvas[data-drawn]')")
    page.run(
        f"[...document.querySelectorAll('[data-card={card}] header button')]"
        ".find((one) => one.textContent === 'Table').click()"
    )
    found = page.wait(
        f"JSON.stringify([...document.querySelectorAll('[data-card={card}] .as-table tbody tr')]"
        ".map((row) => [...row.cells].map((cell) => cell.innerText))).replace(/^\\[\\]$/, '')"
    )
    return [[row[0], *map(float, row[1:])] for row in json.loads(found)]


def values_of(server, sweep):
    column = server.get(f"/v1/sweeps/{sweep}/columns?fields=value")["columns"]["value"]
    return sorted(one for one in column if isinstance(one, float | int))


def test_the_distribution_of_a_sweep_is_that_of_its_values(filled, pages):
    values = values_of(filled.server, filled.ended)
    page = pages(f"{filled.url}#/sweeps/{filled.ended}/parameters")
    rows = table_of(page, "distribution")
    assert [row[1] for row in rows[1:]] == pytest.approx(values)
    assert [row[2] for row in rows[1:]] == pytest.approx(
        [(i + 1) / len(values) for i in range(len(values))]
    )


def test_a_brush_has_a_distribution_beside_that_of_all(filled, pages):
    page = pages(f"{filled.url}#/sweeps/{filled.ended}/parameters?brush=normalize~0.9~1.1")
    rows = table_of(page, "distribution")
    columns = filled.server.get(
        f"/v1/sweeps/{filled.ended}/columns?fields=value,params.normalize"
    )["columns"]
    flags = columns["params.normalize"]
    if isinstance(flags, dict):
        flags = [flags["words"][code] for code in flags["codes"]]
    kept = sorted(
        value
        for value, flag in zip(columns["value"], flags, strict=True)
        if flag is True and isinstance(value, float | int)
    )
    assert [row[1] for row in rows if row[0] == "brushed"][1:] == pytest.approx(kept)
    assert len([row for row in rows if row[0] == "all"]) > len(kept)


def test_sweeps_are_compared_by_their_distributions_and_trials_are_not(filled, pages):
    page = pages(f"{filled.url}#/compare/{filled.ended},{filled.running}")
    page.wait("document.querySelector('[data-card=metrics] [data-key] h2')")
    rows = table_of(page, "distribution")
    for sweep in (filled.ended, filled.running):
        shown = [row[1] for row in rows if row[0] == sweep][1:]
        assert shown == pytest.approx(values_of(filled.server, sweep))
    first, second, *_ = filled.leaders()
    page.go(f"#/compare/{first},{second}")
    page.wait("document.querySelector('[data-card=results]')")
    assert page.run("document.querySelector('[data-card=distribution]')") is None


def area(front):
    """What points of (loss, latency) in the unit square dominate of it; smaller is better."""
    total, right = 0, 1
    for x, y in sorted(front, reverse=True):
        best = min(b for a, b in front if a <= x)
        total += (right - x) * (1 - best)
        right = x
    return total


def test_the_volume_of_the_front_grows_to_that_of_all_completed_trials(filled, pages):
    columns = filled.server.get(
        f"/v1/sweeps/{filled.objectives}/columns?fields=state,value,further.*"
    )["columns"]
    states = [columns["state"]["words"][code] for code in columns["state"]["codes"]]
    points = [
        (-value, latency)
        for state, value, latency in zip(
            states, columns["value"], columns["further.latency_ms"], strict=True
        )
        if state == "completed"
    ]
    lows, highs = [[pick(one[i] for one in points) for i in (0, 1)] for pick in (min, max)]
    scaled = [
        tuple((one[i] - lows[i]) / (highs[i] - lows[i]) for i in (0, 1)) for one in points
    ]
    page = pages(f"{filled.url}#/sweeps/{filled.objectives}/pareto")
    rows = table_of(page, "hypervolume")
    assert rows[-1][2] == pytest.approx(area(scaled), abs=1e-6)
    heights = [row[2] for row in rows]
    assert heights == sorted(heights) and len(heights) > 2
