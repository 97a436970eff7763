"""Paper and narrow screens, the way back, and brushes on the charts that show trials."""

import math
import re

import world

PRINTED = """
[...document.querySelectorAll('main canvas')].every((one) => one.dataset.drawn)
"""


def hidden(page, selector):
    return page.run(
        f"[...document.querySelectorAll({selector!r})]"
        ".every((one) => getComputedStyle(one).display === 'none')"
    )


def test_paper_has_every_chart_in_the_light_palette_and_no_controls(filled, pages):
    page = pages(f"{filled.url}#/sweeps/{filled.ended}/parameters", dark=True)
    page.wait("document.querySelector('[data-card=parallel] canvas[data-drawn]')")
    assert not page.run(PRINTED), "charts below the window wait until they are seen"
    # A page on paper is made while both events are sent.
    page.run(
        "addEventListener('afterprint', () => { window.printed ="
        " [...document.querySelectorAll('main canvas')].map((one) => one.dataset.drawn ?? ''); });"
        "addEventListener('beforeprint', () => { window.theme ="
        " document.documentElement.dataset.theme; })"
    )
    assert len(page.call("Page.printToPDF", printBackground=True)["data"]) > 10_000
    drawn = page.run("window.printed")
    assert drawn and all(drawn)
    assert page.run("window.theme") == "light"
    assert page.run("document.documentElement.dataset.theme ?? ''") == ""
    page.call("Emulation.setEmulatedMedia", media="print", features=[])
    assert hidden(page, ".top") and hidden(page, ".tabs") and hidden(page, "main header button")
    assert not hidden(page, "main h1")
    page.call("Emulation.setEmulatedMedia", media="", features=[])


def scroll_when_drawn(page, to, part, top):
    """In the frame where the part is there: sooner than a command from outside could."""
    page.run(
        f"location.hash = '{to}';"
        f"const step = () => document.querySelector('{part}')"
        f"  ? (document.scrollingElement.scrollTop = {top}) : requestAnimationFrame(step);"
        "step();"
    )


def test_back_finds_the_place_in_a_table_and_in_a_page(filled, pages):
    page = pages(f"{filled.url}#/sweeps/{filled.ended}/trials", height=300)
    page.wait("document.querySelector('tr.row')")
    table = "document.querySelector('.virtual')"
    page.wait(f"{table}.scrollHeight > {table}.clientHeight + 100")
    page.run(f"{table}.scrollTop = 84")
    page.wait("history.state?.scroll?.table === 84")
    page.go(f"#/trials/{filled.best()['id']}")
    page.wait("document.querySelector('[data-card=band] canvas[data-drawn]')")
    assert page.run("document.scrollingElement.scrollTop") == 0
    page.run("document.scrollingElement.scrollTop = 333")
    page.wait("history.state?.scroll?.page === 333")
    page.run("history.back()")
    page.wait(f"{table}?.scrollTop === 84")
    page.run("history.forward()")
    page.wait("document.querySelector('[data-card=band]')")
    page.wait("document.scrollingElement.scrollTop === 333")
    # The state of the view, which is part of the address, leaves the place alone.
    choice = "document.querySelector('select[aria-label=Last]')"
    scroll_when_drawn(page, "#/workers/wk_1", "[data-card=slots] canvas[data-drawn]", 200)
    page.wait(choice)
    page.wait("history.state?.scroll?.page === 200")
    page.run(f"{choice}.value = '30m'")
    page.run(f"{choice}.dispatchEvent(new Event('change', {{bubbles: true}}))")
    page.wait("location.hash.includes('last=30m')")
    assert page.run("history.state.scroll.page") == 200


def test_bars_of_importance_have_room_on_a_narrow_screen(tmp_path, pages):
    long = "the_learning_rate_of_the_second_critic_network"
    server = world.start(tmp_path / "data")
    spec = world.sweep_of("long names", 14, terminator={"rule": "none"})
    spec["parameters"] = {
        long: {"type": "float", "min": 0.0, "max": 1.0},
        "x": {"type": "float", "min": 0.0, "max": 1.0},
    }
    spec["command"] = ["python3", "train.py", "--x", "${x}"]
    spec["budget"] = {"unit": "frames", "per_run": 1000, "phases": 1}
    sweep = server.submit(spec)
    worker = server.join(cpus=16)
    for _ in range(14):
        grant = server.acquire(worker)
        server.report(grant, 0, grant["params"][long] + 0.3 * grant["params"]["x"])
        server.end(grant)
    page = pages(f"http://127.0.0.1:{server.port}/#/sweeps/{sweep}/parameters", width=390)
    page.wait("document.querySelector('.bars i')")
    assert page.run("document.querySelector('.bars i').getBoundingClientRect().width") > 120
    assert page.run("document.documentElement.scrollWidth") <= 390
    assert server.stop() == 0


def pareto_rows(page):
    return page.run(
        "[...document.querySelectorAll('[data-card=pareto] .as-table tbody tr')]"
        ".map((row) => row.cells[0].innerText).sort()"
    )


def test_a_brush_filters_the_trials_of_pareto_and_confirmation(filled, pages):
    server, sweep = filled.server, filled.ended
    trials = server.get(f"/v1/sweeps/{sweep}/trials?limit=100")["items"]
    low, high = 1e-5, 10**-3.5
    kept = {one["id"] for one in trials if low <= one["params"]["learning_rate"] <= high}
    assert 0 < len(kept) < len(trials)
    page = pages(f"{filled.url}#/sweeps/{sweep}/pareto?brush=learning_rate~0~0.5")
    page.wait("document.querySelector('[data-card=pareto] canvas[data-drawn]')")
    page.run(
        "[...document.querySelectorAll('[data-card=pareto] header button')]"
        ".find((one) => one.textContent === 'Table').click()"
    )
    shown = set(pareto_rows(page))
    assert shown and shown <= kept
    page.click("[data-brush]")
    page.wait("!location.hash.includes('brush')")
    # Of the confirmed trials, those that are within.
    items = server.get(f"/v1/sweeps/{filled.seeds}/confirm")["items"]
    rates = {one.get("of") or one["trial"]: one["params"]["learning_rate"] for one in items}
    middle = sorted(rates.values())[1]
    share = (math.log10(middle) + 5) / 3 + 1e-6
    page.go(f"#/sweeps/{filled.seeds}/confirm?brush=learning_rate~0~{share:.6f}")
    page.wait("document.querySelector('[data-card=ranking] tbody tr')")
    text = page.run("document.querySelector('[data-card=ranking]').innerText")
    assert set(re.findall(r"tr_\d+", text)) & set(rates) == {
        trial for trial, rate in rates.items() if rate <= middle
    }
    page.click("[data-brush]")
    page.wait("document.querySelectorAll('[data-card=ranking] tbody tr').length === 3")


def test_the_list_of_sweeps_shows_how_far_forecasts_were_from_what_came(tmp_path, pages):
    server = world.start(tmp_path / "data")
    spec = world.sweep_of("forecast", 1, terminator={"rule": "none"})
    spec["budget"] = {"unit": "frames", "per_run": 1000, "phases": 20}
    server.submit(spec)
    page = pages(f"http://127.0.0.1:{server.port}/#/")
    page.wait("document.querySelector('tbody tr')")
    assert not page.run("document.querySelector('[data-card=forecasts]')")
    grant = server.acquire(server.join(cpus=2))
    for phase in range(20):
        server.report(grant, phase, 100 - 80 * math.exp(-(phase + 1) / 6))
    server.end(grant)
    figures = server.ask("GET", "/metrics").body.decode()
    [error] = re.findall(r'^hone_forecast_error\{kind="run_value"\} (\S+)$', figures, re.M)
    page.call("Page.reload")
    page.wait("document.querySelector('[data-card=forecasts] tbody tr')")
    text = page.run("document.querySelector('[data-card=forecasts] tbody tr').innerText")
    shown = float(re.search(r"([\d.]+) ?%", text)[1])
    assert abs(shown - 100 * float(error)) <= 0.51
    assert "newest 1 run" in text
    assert server.stop() == 0
