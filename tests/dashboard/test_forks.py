"""Populations and forks: what the pages show is what the routes answer, and a fork can be enqueued from a run."""

import json

import world


def cells(page, selector):
    found = page.wait(
        f"JSON.stringify([...document.querySelectorAll({selector!r})]"
        ".map((row) => [...row.cells].map((cell) => cell.innerText.trim()))).replace(/^\\[\\]$/, '')"
    )
    return json.loads(found)


def runs_of(server, sweep):
    return server.get(f"/v1/sweeps/{sweep}/runs?limit=1000")["items"]


def line_of(server, run):
    """The runs that a run continues, the oldest first, itself last."""
    line = []
    while run:
        line.insert(0, run)
        origin = server.get(f"/v1/runs/{run}")["origin"]
        run = origin and origin["run"]
    return line


def test_forks_and_the_schedule_are_those_of_the_routes(filled, pages):
    server, sweep = filled.server, filled.population
    runs = runs_of(server, sweep)
    forks = [one for one in runs if one["origin"]]
    assert len(forks) >= 2
    page = pages(f"{filled.url}#/sweeps/{sweep}/population")
    shown = cells(page, "table[aria-label=Forks] tbody tr")
    assert {(row[0], row[1], int(row[2])) for row in shown} == {
        (one["id"], one["origin"]["run"], one["origin"]["phase"] + 1) for one in forks
    }
    furthest = max(one["step"] for one in runs)
    best = max((one for one in runs if one["step"] == furthest), key=lambda one: one["value"])
    schedule = cells(page, "table[aria-label=Schedule] tbody tr")
    assert [row[0] for row in schedule] == line_of(server, best["id"])
    # Another run is followed, and the address keeps it.
    other = forks[0]["id"]
    page.go(f"#/sweeps/{sweep}/population?run={other}")
    page.call("Page.reload")
    page.wait(f"document.querySelector('main p.muted a')?.innerText === {other!r}")
    schedule = cells(page, "table[aria-label=Schedule] tbody tr")
    assert [row[0] for row in schedule] == line_of(server, other)


def test_a_run_names_its_origin_and_its_forks(filled, pages):
    forks = [one for one in runs_of(filled.server, filled.population) if one["origin"]]
    child, parent = forks[-1]["id"], forks[-1]["origin"]["run"]
    page = pages(f"{filled.url}#/runs/{child}")
    page.wait("document.querySelector('[data-card=origin]')")
    text = page.run("document.querySelector('[data-card=origin]').innerText")
    assert f"Continues {parent}" in text and forks[-1]["origin"]["model"] in text
    shown = cells(page, "[data-card=origin] tbody tr")
    assert [row[0] for row in shown] == line_of(filled.server, child)
    page.go(f"#/runs/{parent}")
    trial = forks[-1]["trial"]
    page.wait(f"document.querySelector('[data-card=origin]')?.innerText.includes({trial!r})")


def test_a_sweep_without_forks_has_no_such_tab(filled, pages):
    page = pages(f"{filled.url}#/sweeps/{filled.ended}")
    page.wait("document.querySelector('nav.tabs')")
    tabs = page.run("document.querySelector('nav.tabs').innerText")
    assert "Population" not in tabs
    page.go(f"#/sweeps/{filled.ended}/population")
    page.wait("document.body.innerText.includes('No run of this sweep continues another one')")


def test_a_fork_is_enqueued_from_the_page_of_a_run(tmp_path, pages):
    server = world.start(tmp_path / "data")
    sweep = server.submit(
        world.population_of(
            name="forked", search={"method": "random", "trials": 4}, terminator={"rule": "none"}
        )
    )
    grant = server.acquire(server.join(cpus=1))
    for phase in range(3):
        world.save_checkpoint(server, grant, phase)
        server.report(grant, phase, 10.0 + phase)
    run = grant["attempt"].split("#")[0]
    page = pages(f"http://127.0.0.1:{server.port}/#/runs/{run}")
    page.click("[data-verb=fork]")
    page.wait("document.querySelector('dialog')")
    text = page.run("document.querySelector('dialog').innerText")
    assert f"continues {run} from a checkpoint" in text and "is not touched" in text
    fields = "[...document.querySelectorAll('dialog input, dialog select')]"
    assert page.run(f"{fields}[0].value") == "2"
    # A text that is no number is refused before it is sent.
    page.run(f"{fields}[1].value = 'fast'")
    page.click("dialog button[type=submit]")
    page.wait("document.querySelector('dialog [role=alert]').innerText.includes('is not a number')")
    page.run(f"{fields}[0].value = '1'")
    page.run(f"{fields}[1].value = '0.02'")
    page.click("dialog button[type=submit]")
    page.wait("!document.querySelector('dialog')")
    events = server.get(f"/v1/events?sweep={sweep}&limit=1000")["items"]
    asked = [one for one in events if one["kind"] == "trial_enqueued"]
    assert len(asked) == 1
    assert asked[0]["params"]["learning_rate"] == 0.02
    assert (asked[0]["origin"]["run"], asked[0]["origin"]["phase"]) == (run, 1)
    # A point of the curve opens the same dialog at its phase.
    page.wait("document.querySelector('[data-card=curve] canvas[data-drawn]')")
    for key in ("ArrowRight", "ArrowRight", "Enter"):
        page.run(
            "document.querySelector('[data-card=curve] canvas')"
            f".dispatchEvent(new KeyboardEvent('keydown', {{key: {key!r}}}))"
        )
    page.wait("document.querySelector('dialog')")
    assert page.run(f"{fields}[0].value") == "1"
    assert server.stop() == 0


def test_runs_that_continue_others_are_found(filled):
    for sweep in (filled.population, filled.ended):
        runs = filled.server.get(f"/v1/sweeps/{sweep}/runs?limit=1000")["items"]
        found = filled.server.get(f"/v1/sweeps/{sweep}/runs?limit=1000&where=forked")["items"]
        assert [one["id"] for one in found] == [one["id"] for one in runs if one["origin"]]
        assert (sweep == filled.population) == (found != [])


def test_the_page_of_a_sweep_without_forks_reads_no_curves(filled, pages):
    page = pages(f"{filled.url}#/sweeps/{filled.ended}/population")
    page.wait("document.querySelector('main .empty')")
    assert "No run of this sweep continues another one." in page.text()
    assert not any("/curves/matrix" in url or "/columns" in url for url in page.urls)
