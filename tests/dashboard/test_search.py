"""The search fields take words, as well as expressions; an error leaves the list."""

import json
import re

from test_objectives import rows_of
from test_use import allow_refused_requests


def typed(page, selector, text):
    page.run(
        f"(() => {{ const field = document.querySelector({json.dumps(selector)});"
        f" field.value = {json.dumps(text)}; field.dispatchEvent(new Event('change')); }})()"
    )


def test_words_find_sweeps_by_name_and_errors_leave_the_list(filled, pages):
    page = pages(filled.url)
    table = "table[aria-label=Sweeps] tbody tr"
    page.wait(f"document.querySelector('{table}')")
    typed(page, "input[type=search]", "seeds")
    rows = f"[...document.querySelectorAll('{table}')]"
    page.wait(f"{rows}.every((row) => /seeds/.test(row.innerText))")
    names = {re.search(r"sw_\d+", row[0])[0] for row in rows_of(page, table)}
    assert names == {filled.seeds, filled.confirmation}
    typed(page, "input[type=search]", "nonsense = 1")
    page.wait("document.querySelector('[role=alert]')?.innerText.includes('no field')")
    assert {re.search(r"sw_\d+", row[0])[0] for row in rows_of(page, table)} == names
    typed(page, "input[type=search]", "")
    page.wait(f"document.querySelectorAll('{table}').length > 4")
    assert page.run("document.querySelector('[role=alert]')") is None
    assert page.run("document.querySelector('input[type=search]').placeholder").startswith("Filter")
    allow_refused_requests(page)


def test_words_and_bare_names_find_trials(filled, pages):
    server = filled.server
    trials = server.get(f"/v1/sweeps/{filled.nulls}/trials?limit=100")["items"]
    page = pages(f"{filled.url}#/sweeps/{filled.nulls}/trials")
    page.wait("document.querySelector('tr.row')")
    for text, wanted in (
        ("adam", lambda one: one["params"]["optimizer"] == "adam"),
        ("sgd failed", lambda one: one["params"]["optimizer"] == "sgd"
            and one["state"] == "failed"),
        ("learning_rate < 0.0005", lambda one: one["params"]["learning_rate"] < 0.0005),
        ("clip = null and gamma = 0.9", lambda one: one["params"]["clip"] is None
            and one["params"]["gamma"] == 0.9),
        (trials[3]["id"], lambda one: one["id"] == trials[3]["id"]),
    ):
        typed(page, "#filter", text)
        found = sorted(one["id"] for one in trials if wanted(one))
        assert found, text
        shown = "[...document.querySelectorAll('tr.row td a')].map((one) => one.innerText)"
        page.wait(f"JSON.stringify({shown}.sort()) === JSON.stringify({json.dumps(found)})", text)
    typed(page, "#filter", "nonsense = 1")
    page.wait("document.querySelector('.bar [role=alert]').innerText.includes('no field')")
    assert page.run("document.querySelectorAll('tr.row').length") == 1
    allow_refused_requests(page)
