"""Pages and command line name the same winners, values and orders, on sweeps of every kind."""

import json
import re
import subprocess

import pytest

import world
from test_objectives import rows_of

KINDS = ("ended", "seeds", "confirmation", "population", "objectives", "nulls", "running")


def hone(filled, *words):
    """The JSON that a command prints."""
    command = [world.e2e.program("hone"), *words, "--format", "json"]
    server = filled.url.rstrip("/")
    ran = subprocess.run([*command, "--server", server], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def shown(value):
    """What a cell of a page is, as a number where it is one."""
    try:
        return float(value)
    except ValueError:
        return value.replace(" ", "_")


def same(cell, value):
    if isinstance(value, (int, float)):
        return shown(cell) == pytest.approx(value, rel=6e-4)
    return cell == "–" if value is None else shown(cell) == value


def column(page, card, title):
    head = page.run(
        f"JSON.stringify([...document.querySelectorAll('[data-card={card}] thead th')]"
        ".map((one) => one.innerText.trim()))"
    )
    return json.loads(head).index(title)


def ranking(item):
    return item["confirmed"] if item["confirmed_seeds"] > 0 else item["value"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_overview_shows_the_leaderboard_of_hone_best(filled, pages, kind):
    sweep = getattr(filled, kind)
    items = hone(filled, "best", sweep)
    page = pages(f"{filled.url}#/sweeps/{sweep}")
    rows = rows_of(page, "[data-best] tbody tr")
    assert [row[1] for row in rows] == [one["id"] for one in items]
    assert [re.sub(r"[*+]", "", row[0]) for row in rows] == [str(one["rank"]) for one in items]
    assert all(same(row[2], one["value"]) for row, one in zip(rows, items))
    if any(one["confirmed_seeds"] > 0 for one in items):
        at = column(page, "best", "Confirmed")
        for row, one in zip(rows, items):
            assert same(row[at], one["confirmed"] if one["confirmed_seeds"] > 0 else None)
    for metric in items[0].get("further") or {}:
        at = column(page, "best", metric)
        assert all(same(row[at], one["further"][metric]) for row, one in zip(rows, items))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "objectives"])
def test_the_winner_is_first_with_the_value_that_ranks_it(filled, pages, kind):
    sweep = getattr(filled, kind)
    first = hone(filled, "best", sweep)[0]
    page = pages(f"{filled.url}#/sweeps/{sweep}")
    page.wait("document.querySelector('[data-card=winner] .winner-value')")
    card = "document.querySelector('[data-card=winner]')"
    assert page.run(f"{card}.querySelector('a').innerText") == first["id"]
    value = page.run(f"{card}.querySelector('strong').innerText")
    assert same(value, ranking(first))
    said = page.run(f"{card}.querySelector('[data-certainty]').innerText")
    confirmed = first["confirmed_seeds"] > 0
    stage = "confirmation" if kind == "confirmation" else "not confirmed"
    assert said.startswith("confirmed by" if confirmed else stage), said
    chips = json.loads(
        page.run(
            f"JSON.stringify([...{card}.querySelectorAll('.chips .chip')]"
            ".map((one) => one.innerText.trim().split(/\\s+/)))"
        )
    )
    assert {name for name, _ in chips} == set(first["params"])
    tile = page.run("document.querySelector('.facts dd').firstChild.textContent")
    assert same(tile, ranking(first))
    # The list of sweeps names the same value.
    page.go("#/")
    rows = rows_of(page, "tbody tr")
    (row,) = [row for row in rows if sweep in row[0].split()]
    assert same(row[2].removesuffix("✓").strip(), ranking(first))


@pytest.mark.parametrize("kind", KINDS)
def test_the_table_of_trials_has_the_order_of_hone_trials(filled, pages, kind):
    sweep = getattr(filled, kind)
    trials = hone(filled, "trials", sweep, "--sort", "value")
    page = pages(f"{filled.url}#/sweeps/{sweep}/trials")
    rows = rows_of(page, "tr.row")
    # A pinned trial has a dot behind its id.
    assert [row[0].split()[0] for row in rows] == [one["id"] for one in trials][: len(rows)]
    assert all(same(row[1], one["value"]) for row, one in zip(rows, trials))


@pytest.mark.parametrize("kind", ["ended", "seeds", "nulls"])
def test_the_page_of_a_trial_begins_as_hone_explain_does(filled, pages, kind):
    sweep = getattr(filled, kind)
    for item in hone(filled, "best", sweep)[:2]:
        command = [world.e2e.program("hone"), "explain", item["id"]]
        server = ["--server", filled.url.rstrip("/")]
        told = subprocess.run([*command, *server], capture_output=True, text=True).stdout
        told = " ".join(told.split())
        page = pages(f"{filled.url}#/trials/{item['id']}")
        said = page.wait("document.querySelector('[data-card=why] strong')?.innerText")
        place = re.match(rf"{item['id']} ranks \d+ of \d+ in {sweep}", said)
        assert place and place[0] in told, (said, told)
        numbers = re.findall(r"value is (-?[\d.e+-]*\d)", said)
        assert same(numbers[0], ranking(item))


def test_the_numbers_of_the_overview_are_those_of_hone_show(filled, pages):
    for kind in KINDS:
        sweep = getattr(filled, kind)
        told = hone(filled, "show", sweep)
        page = pages(f"{filled.url}#/sweeps/{sweep}")
        page.wait("document.querySelector('[data-best] tbody tr')")
        facts = page.run("document.querySelector('.facts').innerText")
        assert re.search(rf"Trials\s+{told['trials']['proposed']}\b", facts), facts
        strip = page.run("document.querySelector('[data-card=ends] .strip').title")
        assert strip == ", ".join(
            f"{told['runs'][state]} {state}"
            for state in ("running", "leased", "queued", "paused", "completed")
            + ("stopped", "failed", "canceled")
            if told["runs"][state] > 0
        )
        # The tile of what was not trained is the sum of the table of ends.
        ends = filled.server.get(f"/v1/sweeps/{sweep}/summary")["ends"]
        left = sum(one["not_trained"] or 0 for one in ends)
        tile = re.search(r"Not trained\s+([\d.]+) ?([kMG]?)", facts)
        size = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}[tile[2]]
        assert float(tile[1]) * size == pytest.approx(left, rel=6e-3)


def test_several_objectives_are_all_named_and_the_front_is_first(filled, pages):
    sweep = filled.objectives
    front = filled.server.get(f"/v1/sweeps/{sweep}/pareto")
    page = pages(f"{filled.url}#/sweeps/{sweep}")
    rows = rows_of(page, "[data-card=front] tbody tr")
    assert [row[0] for row in rows] == [one["id"] for one in front["items"]]
    for row, one in zip(rows, front["items"]):
        assert same(row[1], one["values"]["return"]) and same(row[2], one["values"]["latency_ms"])
    head = page.run("document.querySelector('.head').innerText")
    assert "maximize return, minimize latency_ms" in head
    facts = page.run("document.querySelector('.facts').innerText")
    least = min(one["values"]["latency_ms"] for one in front["items"])
    assert re.search(rf"Best latency_ms \(minimize\)\s+{least:.4g}\b", facts), facts
    # All trials are drawn, those that another one beats as well.
    page.go(f"#/sweeps/{sweep}/pareto")
    page.wait("document.querySelector('[data-card=pareto] canvas[data-drawn]')")
    page.run(
        "[...document.querySelectorAll('[data-card=pareto] header button')]"
        ".find((one) => one.textContent === 'Table').click()"
    )
    drawn = rows_of(page, "[data-card=pareto] .as-table tbody tr")
    assert {row[0] for row in drawn if row[3] == "yes"} == {one["id"] for one in front["items"]}
    assert len(drawn) > front["completed"] - 2 and len(drawn) > len(front["items"])


def test_null_is_shown_as_null_and_inactive_as_a_dash(filled, pages):
    sweep = filled.nulls
    trials = {
        one["id"]: one["params"]
        for one in filled.server.get(f"/v1/sweeps/{sweep}/trials?limit=100")["items"]
    }
    page = pages(f"{filled.url}#/sweeps/{sweep}/trials")
    rows = rows_of(page, "tr.row")
    head = json.loads(
        page.run(
            "JSON.stringify([...document.querySelectorAll('thead th')].map((one) => one.innerText))"
        )
    )
    names = [title.strip(" ↓↑") for title in head[1:]]
    for row in rows:
        params = trials[row[0].split()[0]]
        clip = params["clip"]
        assert row[names.index("clip")] == ("null" if clip is None else str(clip))
        assert (row[names.index("momentum")] == "–") == ("momentum" not in params)
    assert any(params["clip"] is None for params in trials.values())


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "population"])
def test_the_best_so_far_ends_at_the_tuned_value_of_the_leaders(filled, kind):
    """A failed trial, and one that was stopped before half of the longest, was the best so far."""
    sweep = getattr(filled, kind)
    items = [one for one in hone(filled, "best", sweep) if one["comparable"]]
    values = [one["value"] for one in items if isinstance(one["value"], (int, float))]
    points = filled.server.get(f"/v1/sweeps/{sweep}/history")["points"]
    assert points[-1]["value"] == max(values)
