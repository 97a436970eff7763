"""Trials, runs and sweeps side by side: how one gets there, what is shown, what is refused."""

import json

ROWS = (
    "Object.fromEntries([...document.querySelectorAll('[data-card={card}] tbody tr:not(.group)')]"
    ".map((row) => [row.cells[0].innerText, [...row.cells].slice(1).map((one) => one.innerText)]))"
)


def rows(page, card):
    return page.run(ROWS.replace("{card}", card))


def drawn(page, card="compare"):
    page.wait(f"document.querySelector('[data-card={card}] canvas[data-drawn]')")


def test_trials_are_chosen_with_shift_and_compared(filled, pages):
    page = pages(f"{filled.url}#/sweeps/{filled.seeds}/trials")
    page.wait("document.querySelectorAll('tr.row .tick').length === 8")
    ids = page.run("[...document.querySelectorAll('tr.row td a')].map((one) => one.innerText)")
    page.run("document.querySelectorAll('.tick')[1].click()")
    page.run(
        "document.querySelectorAll('.tick')[3]"
        ".dispatchEvent(new MouseEvent('click', {bubbles: true, shiftKey: true}))"
    )
    page.wait("document.querySelectorAll('tr[aria-selected=true]').length === 3")
    page.click("[data-act=compare]")
    drawn(page)
    assert page.run("location.hash") == "#/compare/" + ",".join(ids[1:4])
    sweep = filled.server.get(f"/v1/sweeps/{filled.seeds}")
    trials = [filled.server.get(f"/v1/trials/{one}") for one in ids[1:4]]
    results, differences = rows(page, "results"), rows(page, "differences")
    for at, trial in enumerate(trials):
        assert abs(float(results["Value"][at]) - trial["value"]) < 0.1
        runs = filled.server.get(f"/v1/trials/{trial['id']}/runs")["items"]
        assert results["Seeds"][at].split() == [str(run["seed"]) for run in runs]
    names = sweep["spec"]["parameters"]
    differing = {
        name for name in names if len({json.dumps(one["params"].get(name)) for one in trials}) > 1
    }
    assert set(differences) == differing
    page.wait("document.querySelector('[data-card=metrics] canvas')")
    page.run("document.querySelector('[data-card=metrics]').scrollIntoView()")
    drawn(page, "metrics")
    assert page.run(
        "[...document.querySelectorAll('[data-card=metrics] h2')].map((one) => one.innerText)"
    )[1:] == ["entropy", "loss"]


def test_keys_extend_a_selection(filled, pages):
    page = pages(f"{filled.url}#/sweeps/{filled.ended}/trials")
    page.wait("document.querySelector('tr.row')")
    page.run("document.querySelector('.virtual').focus()")
    page.key("ArrowDown")
    page.key(" ")
    page.key("ArrowDown", modifiers=8)
    page.key("ArrowDown", modifiers=8)
    page.wait("document.querySelectorAll('tr[aria-selected=true]').length === 3")
    assert page.run("document.activeElement.classList.contains('row')")
    page.wait("document.querySelector('[data-act=compare]').getAttribute('href').includes(',')")


def test_runs_of_a_trial_and_of_forks_are_compared(filled, pages):
    server = filled.server
    trial = server.get(f"/v1/sweeps/{filled.seeds}/best")["items"][0]["id"]
    page = pages(f"{filled.url}#/trials/{trial}")
    page.wait("document.querySelectorAll('[data-card=runs] .tick').length === 3")
    page.run("document.querySelectorAll('[data-card=runs] .tick')[0].click()")
    page.run("document.querySelectorAll('[data-card=runs] .tick')[2].click()")
    page.click("[data-card=runs] [data-act=compare]")
    drawn(page)
    page.wait("document.querySelector('[data-card=differences]').innerText.includes('seeds may')")
    runs = server.get(f"/v1/sweeps/{filled.population}/runs?limit=100")["items"]
    fork = next(run for run in runs if run["origin"])
    page.go(f"#/compare/{fork['origin']['run']},{fork['id']}")
    page.wait("document.querySelector('h1').innerText === 'Compare 2 runs'")
    found = rows(page, "results")["Continues"]
    assert found[0] == "–" or "after phase" in found[0]
    assert found[1].startswith(f"{fork['origin']['run']} after phase")
    assert "learning_rate" in found[1] and "→" in found[1]


def test_sweeps_are_compared_without_false_differences(filled, pages):
    """The short form of a command differed from its long form."""
    page = pages(filled.url)
    page.wait("document.querySelectorAll('.tick').length >= 6")
    for sweep in (filled.ended, filled.running, filled.seeds):
        page.run(f"document.querySelector('.tick[aria-label=\"Select {sweep}\"]').click()")
    page.click("[data-act=compare]")
    drawn(page)
    page.wait("document.querySelector('h1').innerText === 'Compare 3 sweeps'")
    differences = rows(page, "differences")
    assert differences["search.trials"] == ["24", "40", "8"]
    assert not any(name.startswith(("command", "objective")) for name in differences)
    values = rows(page, "results")["Value"]
    for sweep, shown in zip((filled.ended, filled.running, filled.seeds), values, strict=True):
        best = filled.server.get(f"/v1/sweeps/{sweep}")["best"]["value"]
        assert abs(float(shown) - best) < 0.1
    # One is left out by its button, another one is added by its id.
    page.click(f"[data-card=results] [aria-label='Leave {filled.running} out']")
    page.wait("document.querySelector('h1').innerText === 'Compare 2 sweeps'")
    page.run(
        f"(() => {{ document.querySelector('form.bar input').value = '{filled.population}';"
        " document.querySelector('form.bar button').click(); })()"
    )
    page.wait("document.querySelector('h1').innerText === 'Compare 3 sweeps'")


def test_a_curve_is_switched_off_and_the_axis_chosen(filled, pages):
    ids = [one["id"] for one in filled.server.get(f"/v1/sweeps/{filled.seeds}/best")["items"][:3]]
    page = pages(f"{filled.url}#/compare/{','.join(ids)}?x=time")
    drawn(page)
    page.click(f"[data-card=compare] .legend [data-key={ids[1]}]")
    page.wait(f"new URLSearchParams(location.hash.split('?')[1]).get('hide') === '{ids[1]}'")
    page.run(
        "[...document.querySelectorAll('[data-card=compare] header button')]"
        ".find((one) => one.innerText === 'Table').click()"
    )
    page.wait("document.querySelector('.as-table')")
    shown = page.run(
        "[...new Set([...document.querySelectorAll('.as-table tbody tr')]"
        ".map((one) => one.cells[0].innerText))]"
    )
    assert shown == [ids[0], ids[2]]


def test_what_cannot_be_compared_is_refused_in_a_sentence(filled, pages):
    page = pages(f"{filled.url}#/compare/tr_1,{filled.ended}")
    page.wait("document.querySelector('[role=alert]')?.innerText.includes('compared with sweeps')")
    page.go("#/compare/tr_1,bogus")
    page.wait("document.querySelector('[role=alert]')?.innerText.includes('bogus is no id')")
    page.go("#/compare/" + ",".join(f"tr_{n}" for n in range(1, 15)))
    page.wait("document.querySelector('[role=alert]')?.innerText.includes('At most 12')")
