"""Confirmed schedules: parameters that change at recorded phases, on the pages of trial, run and confirmation."""

import json

import pytest

import world


def rows_of(page, selector):
    found = page.wait(
        f"JSON.stringify([...document.querySelectorAll({selector!r})]"
        ".map((row) => [...row.cells].map((cell) => cell.innerText.trim()))).replace(/^\\[\\]$/, '')"
    )
    return json.loads(found)


def phases_of(first, last):
    return f"{first} to {last}" if first < last else str(last)


def test_a_confirmed_schedule_is_shown_and_not_its_first_parameters_alone(tmp_path, pages):
    server = world.start(tmp_path / "data")
    population = server.submit(world.population_of())
    worker = server.join(cpus=8)
    world.train_population(server, worker)
    confirmation = server.post(
        f"/v1/sweeps/{population}/confirm", {"request_id": "c1", "top": 2, "seeds": 2}
    )["sweep"]
    world.train_population(server, worker)
    trials = server.get(f"/v1/sweeps/{confirmation}/trials")["items"]
    trial = next(one for one in trials if one["schedule"])
    stages = [{"phase": 0, "params": trial["params"]}, *trial["schedule"]]
    ends = [one["phase"] for one in stages[1:]] + [5]
    expected = [
        (phases_of(one["phase"] + 1, end), one["params"]["learning_rate"])
        for one, end in zip(stages, ends)
    ]
    page = pages(f"http://127.0.0.1:{server.port}/#/trials/{trial['id']}")
    for address in (f"#/trials/{trial['id']}", f"#/runs/{trial['id'].replace('tr', 'rn')}.0"):
        page.go(address)
        page.wait(f"document.querySelector('h1').innerText === {address.split('/')[-1]!r}")
        shown = rows_of(page, "table[aria-label=Schedule] tbody tr")
        assert [row[0] for row in shown] == [one[0] for one in expected]
        for row, (_, rate) in zip(shown, expected):
            assert float(row[2]) == pytest.approx(rate, rel=1e-3)
    page.go(f"#/sweeps/{population}/confirm")
    page.wait(
        "document.querySelector('[data-card=ranking]')?.innerText.includes('from phase "
        f"{stages[1]['phase'] + 1} on learning_rate=')"
    )
    assert server.stop() == 0
