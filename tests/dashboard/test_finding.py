"""What is looked for: a brush filters every chart and table, columns are chosen and stay."""

import json

import world
from test_curves import LEGEND
from test_objectives import rows_of

SHOWN = "[...document.querySelectorAll('tr.row td a')].map((one) => one.innerText)"


def titles(page):
    return page.run(
        "[...document.querySelectorAll('.virtual thead th')].slice(1)"
        ".map((one) => one.innerText.replace(/[ ↑↓]+$/, ''))"
    )


def test_a_brush_filters_the_charts_and_the_table(filled, pages):
    """A brush filtered its own chart alone, and the tabs forgot what was filtered on their page."""
    server = filled.server
    trials = server.get(f"/v1/sweeps/{filled.ended}/trials?limit=100")["items"]
    page = pages(f"{filled.url}#/sweeps/{filled.ended}/parameters?axes=4", width=1400)
    page.wait("document.querySelector('[data-card=parallel] canvas[data-drawn]')")
    page.wait("document.querySelector('[data-card=importance] .bars')")
    # The last axis is the objective's: its upper part.
    left, top, width = page.run(
        "(() => { const box = document.querySelector('[data-card=parallel] canvas')"
        ".getBoundingClientRect(); return [box.left, box.top, box.width]; })()"
    )
    page.drag((left + width - 56, top + 200), (left + width - 56, top + 20))
    page.wait("document.querySelector('button[data-brush=\"=\"]')")
    low, high = page.run(
        "new URLSearchParams(location.hash.split('?')[1]).get('brush').split('~').slice(1)"
    )
    assert high == "Infinity"
    inside = sorted(one["id"] for one in trials if one["value"] >= float(low))
    assert 0 < len(inside) < len(trials)
    page.wait(f"document.body.innerText.includes('{len(inside)} of 24 trials brushed')")
    page.click("nav.tabs a[href*='/trials']")
    page.wait("document.querySelector('tr.row')")
    assert sorted(page.run(SHOWN)) == inside
    page.click("nav.tabs a[href*='/curves']")
    page.wait(f"{LEGEND}.includes('{len(inside)} run')")
    # A brush of a parameter in addition, by the address; chips remove them.
    page.go(f"#/sweeps/{filled.ended}/trials?brush=optimizer~0~0.2;%3D~{low}~Infinity")
    both = [
        one["id"]
        for one in trials
        if one["value"] >= float(low) and one["params"]["optimizer"] == "adam"
    ]
    page.wait(f"JSON.stringify({SHOWN}.sort()) === JSON.stringify({json.dumps(sorted(both))})")
    assert "optimizer adam" in page.run("document.querySelector('.chips').innerText")
    page.click("button[data-brush='=']")
    page.click("button[data-brush=optimizer]")
    page.wait("document.querySelectorAll('tr.row').length === 24")


def test_importance_is_that_of_the_trials_that_the_filter_leaves(filled, pages):
    """The bars were those of all trials, whatever was brushed."""
    where = "%20or%20".join(f"params.gamma%20%3D%20{one}" for one in (0.95, 0.99, 0.995, 0.999))
    path = f"/v1/sweeps/{filled.ended}/importance"
    expected = filled.server.get(f"{path}?where={where}")
    assert expected["trials"] < filled.server.get(path)["trials"]
    page = pages(f"{filled.url}#/sweeps/{filled.ended}/parameters?brush=gamma~0.2~1", width=1400)
    bars = "document.querySelector('[data-card=importance]').innerText"
    page.wait(f"{bars}.includes('that the filter leaves')")
    assert f"{expected['trials']} " in page.run(bars)
    page.click("button[data-brush=gamma]")
    page.wait(f"!{bars}.includes('that the filter leaves')")
    page = pages(f"{filled.url}#/sweeps/{filled.ended}/parameters?where=value%20%3E%201e9")
    page.wait(f"{bars}.includes('the filter leaves 0')")


def test_a_filter_leaves_forks_of_a_population_out(filled, pages):
    """The page of a population knew no filter: its forks were listed whatever was brushed."""
    sweep = filled.population
    page = pages(f"{filled.url}#/sweeps/{sweep}/population", width=1400)
    rows = (
        "[...document.querySelectorAll('[data-card=forks] tbody tr')]"
        ".map((one) => one.cells[0].innerText)"
    )
    page.wait(f"{rows}.length > 1")
    forks = page.run(rows)
    trials = filled.server.get(f"/v1/sweeps/{sweep}/trials?limit=100")["items"]
    rates = {one["id"]: one["params"]["learning_rate"] for one in trials}
    rate = {run: rates[run.replace("rn_", "tr_")[:-2]] for run in forks}
    middle = sorted(rate.values())[len(forks) // 2]
    low = [run for run in forks if rate[run] < middle]
    assert 0 < len(low) < len(forks)
    page = pages(f"{filled.url}#/sweeps/{sweep}/population?where=learning_rate%20%3C%20{middle}")
    page.wait(f"JSON.stringify({rows}) === JSON.stringify({json.dumps(low)})")
    page.wait("document.querySelector('[data-card=places] canvas[data-drawn]')")


def test_columns_are_chosen_ordered_and_stay(filled, pages):
    address = f"{filled.url}#/sweeps/{filled.ended}/trials"
    page = pages(address, width=700)
    page.wait("document.querySelector('tr.row')")
    assert titles(page)[:3] == ["Trial", "return", "State"]
    page.click(".menu summary")
    page.click(".menu li[data-key=reason] input")
    page.click(".menu li[data-key=number] input")
    page.click(".menu [aria-label='Move up State']")
    page.click(".menu [aria-label='Pin gamma']")
    page.wait("location.hash.includes('cols=')")
    chosen = titles(page)
    assert chosen[:3] == ["Trial", "return", "gamma"]
    assert "Reason" not in chosen and chosen[-1] == "No"
    # The pinned ones stay in view.
    page.run("document.querySelector('.virtual').scrollLeft = 400")
    lefts = page.run(
        "[...document.querySelector('tr.row').cells].slice(0, 4)"
        ".map((cell) => cell.getBoundingClientRect().left)"
    )
    assert lefts == sorted(lefts) and 0 <= lefts[0] and lefts[3] < 700
    # Another visit, without the address.
    again = pages(address)
    again.wait("document.querySelector('tr.row')")
    assert titles(again) == chosen
    again.click(".menu summary")
    again.run(
        "[...document.querySelectorAll('.menu button')]"
        ".find((one) => one.textContent === 'Reset').click()"
    )
    again.wait("!location.hash.includes('cols=')")
    assert titles(again)[:3] == ["Trial", "return", "State"]
    again.key("Escape")
    assert len(rows_of(again, "tr.row")) == 24


def test_axes_are_chosen_and_ordered_and_a_brush_takes_the_first(filled, pages):
    page = pages(f"{filled.url}#/sweeps/{filled.ended}/parameters", width=1400)
    page.wait("document.querySelector('[data-card=parallel] canvas[data-drawn]')")
    page.wait("document.querySelector('[data-card=importance] .bars')")
    row = "document.querySelector('.menu-panel li[data-key={}]').querySelector({!r})"
    names = page.run(
        "[...document.querySelectorAll('.menu-panel li')].map((one) => one.dataset.key)"
    )
    assert sorted(names) == sorted(world.PARAMETERS)
    for name in names:
        if name not in ("gamma", "t_max"):
            page.run(row.format(name, "input") + ".click()")
    first, second = [name for name in names if name in ("gamma", "t_max")]
    page.run(row.format(second, "[aria-label^='Move up']") + ".click()")
    page.wait(f"location.hash.includes('order={second}%2C{first}')")
    # Three axes: two parameters and the objective.
    page.wait("document.querySelector('[data-card=parallel] .chart').style.minWidth === '276px'")
    left, top = page.run(
        "(() => { const box = document.querySelector('[data-card=parallel] canvas')"
        ".getBoundingClientRect(); return [box.left, box.top]; })()"
    )
    page.drag((left + 56, top + 200), (left + 56, top + 60))
    page.wait(f"document.querySelector('button[data-brush={second}]')")
    page.call("Page.reload")
    page.wait(f"document.querySelector('.menu-panel li')?.dataset.key === '{second}'")
    page.run(
        "[...document.querySelectorAll('.menu-panel button')]"
        ".find((one) => one.textContent === 'Reset').click()"
    )
    page.wait("!location.hash.includes('order')")
