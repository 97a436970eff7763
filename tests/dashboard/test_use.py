"""What users do: find, filter, steer by keys, follow a sweep, lose the server, have the wrong token."""

import hashlib
import json
import os
import pathlib

import pytest

import world

HOSTILE = "<img src=x onerror=alert(1)>\"'&${7*7}</script><script>alert(2)</script>"


def allow_refused_requests(page):
    """The browser itself logs a request that failed or was refused; nothing else may have been logged."""
    others = [one for one in page.faults if not one.startswith("log: Failed to load resource")]
    assert others == []
    page.faults.clear()


def table_of(page, card):
    """The numbers of a chart: the header and the rows of its table."""
    page.wait(f"document.querySelector('[data-card={card}] button[aria-pressed]')")
    page.run(
        f"[...document.querySelectorAll('[data-card={card}] header button')]"
        ".find((one) => one.textContent === 'Table').click()"
    )
    return page.wait(
        f"JSON.stringify([...document.querySelectorAll('[data-card={card}] .as-table tr')]"
        ".map((row) => [...row.cells].map((cell) => cell.textContent)))"
    )


def test_leaderboard_shows_the_order_and_values_of_the_route(filled, pages):
    for sweep in (filled.ended, filled.seeds):
        page = pages(f"{filled.url}#/sweeps/{sweep}")
        shown = json.loads(
            page.wait(
                "JSON.stringify([...document.querySelectorAll('[data-best] tbody tr')]"
                ".map((row) => [row.cells[1].innerText, Number(row.cells[2].innerText)]))"
                ".replace(/^\\[\\]$/, '')"
            )
        )
        items = filled.server.get(f"/v1/sweeps/{sweep}/best?limit=10")["items"]
        assert [one[0] for one in shown] == [one["id"] for one in items]
        for (_, value), item in zip(shown, items):
            assert value == pytest.approx(item["value"], rel=1e-3)


def test_tables_of_charts_equal_their_routes(filled, pages):
    page = pages(f"{filled.url}#/sweeps/{filled.ended}/phases")
    rows = json.loads(table_of(page, "verdicts"))[1:]
    items = filled.server.get(f"/v1/sweeps/{filled.ended}/phases")["items"]
    assert [[int(cell) for cell in row[:8]] for row in rows] == [
        [one["phase"] + 1]
        + [
            one[name]
            for name in (
                "step",
                "reports",
                "continued",
                "paused",
                "stopped",
                "completed",
                "diverged",
            )
        ]
        for one in items
    ]
    page.go(f"#/sweeps/{filled.ended}")
    rows = json.loads(table_of(page, "history"))[1:]
    points = filled.server.get(f"/v1/sweeps/{filled.ended}/history")["points"]
    assert [(float(x), float(value), trial) for x, value, trial in rows] == [
        (one["x"], one["value"], one["trial"]) for one in points
    ]
    page.go(f"#/sweeps/{filled.ended}/curves")
    rows = json.loads(table_of(page, "curves"))[1:]
    assert len(rows) == filled.server.get(f"/v1/sweeps/{filled.ended}")["phases"]["done"]


def test_every_trial_of_a_conditional_space_is_drawn_once(filled, pages):
    page = pages(f"{filled.url}#/sweeps/{filled.ended}/parameters")
    drawn = page.wait("Number(document.querySelector('[data-card=parallel] canvas').dataset.lines)")
    assert drawn == 24
    rows = json.loads(table_of(page, "parallel"))[1:]
    assert len({row[0] for row in rows}) == len(rows) == 24


def test_filter_and_states_narrow_the_table_and_stay_in_the_address(filled, pages):
    page = pages(f"{filled.url}#/sweeps/{filled.ended}/trials")
    page.wait(
        "document.querySelectorAll('tr.row').length === 24 || document.querySelector('tr.row')"
    )
    page.key("/")
    page.type("params.optimizer = adam")
    page.key("Enter")
    want = len(
        filled.server.get(
            f"/v1/sweeps/{filled.ended}/trials?limit=1000&where=params.optimizer%20%3D%20adam"
        )["items"]
    )
    page.wait(f"document.body.innerText.includes('{want} of 24 trials')")
    page.call("Page.reload")
    page.wait(f"document.body.innerText.includes('{want} of 24 trials')")
    page.run("document.getElementById('filter').value = 'nonsense ='")
    page.run("document.getElementById('filter').dispatchEvent(new Event('change'))")
    page.wait("document.querySelector('.bar [role=alert]').textContent.length > 10")
    allow_refused_requests(page)


def test_best_trial_and_its_explanation_by_keys_alone(filled, pages):
    page = pages(filled.url)
    page.wait("document.querySelector('tbody a')")
    page.run(f"document.querySelector('a[href=\"#/sweeps/{filled.ended}\"]').focus()")
    page.key("Enter")
    page.wait("document.querySelector('[data-best] a')")
    page.key("b")
    page.wait("location.hash.startsWith('#/trials/')")
    page.wait("document.querySelector('[data-card=why] pre')")
    assert filled.best()["id"] in page.run("document.querySelector('h1').innerText")


def test_sweep_is_stopped_by_keys_alone(filled, pages):
    sweep = filled.server.submit(world.sweep_of("to stop", 4))
    page = pages(f"{filled.url}#/sweeps/{sweep}")
    page.wait("document.querySelector('[data-verb=stop]')")
    page.run("document.querySelector('[data-verb=stop]').focus()")
    page.key("Enter")
    page.wait("document.querySelector('dialog')")
    assert "No further trial is proposed" in page.text()
    page.run("document.querySelector('dialog button[type=submit]').focus()")
    page.key("Enter")
    page.wait("!document.querySelector('dialog')")
    page.wait("!document.querySelector('[data-verb=stop]')")
    assert filled.server.get(f"/v1/sweeps/{sweep}")["state"] != "running"


def test_page_follows_reports_as_they_arrive(filled, pages):
    page = pages(f"{filled.url}#/sweeps/{filled.running}")
    page.wait("document.getElementById('live').dataset.state === 'live'")
    done = filled.server.get(f"/v1/sweeps/{filled.running}")["runs"]["completed"]
    entry = next(one for one in filled.grants if one[1] < 10)
    while entry[1] < 10:
        verdict = filled.server.report(entry[0], entry[1], 490 + entry[1] / 100)["verdict"]
        entry[1] += 1
        if verdict != "continue":
            break
    best = filled.server.get(f"/v1/sweeps/{filled.running}")["best"]["value"]
    assert best > 480 and done >= 0
    shown = str(float(f"{best:.4g}"))
    page.wait(f"document.querySelector('.facts dd').firstChild.textContent === '{shown}'")


def test_a_run_that_begins_while_the_page_is_open_is_drawn(tmp_path, pages):
    server = world.start(tmp_path / "data")
    sweep = server.submit(world.sweep_of("growing", 6, terminator={"rule": "none"}))
    worker = server.join(cpus=8)
    for _ in range(2):
        server.report(server.acquire(worker), 0, 12.5)
    page = pages(f"http://127.0.0.1:{server.port}/#/sweeps/{sweep}/curves")
    page.wait("document.body.innerText.includes('2 runs drawn')")
    page.wait("document.getElementById('live').dataset.state === 'live'")
    grant = server.acquire(worker)
    server.report(grant, 0, 13.5)
    server.report(grant, 1, 14.5)
    page.wait("document.body.innerText.includes('3 runs drawn')")
    rows = json.loads(table_of(page, "curves"))[1:]
    run = grant["attempt"].split("#")[0]
    assert [float(row[3]) for row in rows if row[0] == run] == [13.5, 14.5]
    assert server.stop() == 0


def test_view_survives_a_killed_server(tmp_path, pages):
    server = world.start(tmp_path / "data")
    sweep = server.submit(world.sweep_of())
    world.train(server, sweep, server.join(cpus=8), seed=7)
    address = f"#/sweeps/{sweep}/curves?zoom=200000%2C600000&y=symlog&states=stopped"
    page = pages(f"http://127.0.0.1:{server.port}/{address}")
    page.wait("document.querySelector('[data-card=curves] canvas[data-drawn]')")
    page.wait("document.getElementById('live').dataset.state === 'live'")
    before = page.run("location.hash")
    server.kill()
    page.wait("document.getElementById('live').dataset.state === 'lost'")
    server.start(server.port)
    page.wait("document.getElementById('live').dataset.state === 'live'")
    assert page.run("location.hash") == before
    assert page.run("document.querySelector('select[aria-label=y]').value") == "symlog"
    allow_refused_requests(page)
    assert server.stop() == 0


def test_page_of_a_server_that_was_away_appears_when_it_is_back(tmp_path, pages):
    server = world.start(tmp_path / "data")
    page = pages(f"http://127.0.0.1:{server.port}/")
    page.wait("document.body.innerText.includes('There is no sweep yet')")
    server.kill()
    page.go("#/workers")
    page.wait("document.querySelector('main [role=alert]')")
    assert "does not answer" in page.run("document.querySelector('main [role=alert]').innerText")
    server.start(server.port)
    page.wait("document.body.innerText.includes('No worker has joined this server')")
    allow_refused_requests(page)
    assert server.stop() == 0


def test_sweep_that_is_gone_is_one_sentence(filled, pages):
    page = pages(f"{filled.url}#/sweeps/sw_4711")
    page.wait("document.querySelector('main [role=alert]')")
    assert "no sweep sw_4711" in page.run("document.querySelector('main [role=alert]').innerText")
    allow_refused_requests(page)


def test_tokens_decide_what_is_offered(tmp_path, pages):
    server = world.start(tmp_path / "data", "--auth")
    admin = (server.folder / "admin.token").read_text().strip()
    headers = {"Authorization": f"Bearer {admin}"}

    def post(path, body):
        answer = server.ask("POST", path, body, headers)
        assert answer.status in (200, 201), answer
        return answer.json

    sweep = post("/v1/sweeps", {"request_id": "s1", "spec": world.sweep_of()})["sweep"]
    reader = "hone_reader_of_the_tests"
    digest = hashlib.sha256(reader.encode()).hexdigest()
    post("/v1/tokens", {"request_id": "t1", "name": "r", "scopes": ["read"], "sha256": digest})
    url = f"http://127.0.0.1:{server.port}/"
    page = pages(f"{url}#/sweeps/{sweep}")
    page.wait("document.querySelector('input[type=password]')")
    page.run("document.querySelector('input[type=password]').value = 'hone_wrong'")
    page.click("form button[type=submit]")
    page.wait("document.body.innerText.includes('The token was refused')")
    allow_refused_requests(page)
    page.open(f"{url}?1#token={reader}&/sweeps/{sweep}")
    page.wait("document.querySelector('[data-card=about]')")
    assert reader not in page.run("location.href")
    assert not page.run("document.querySelector('[data-verb]')")
    page.open(f"{url}?2#token={admin}&/sweeps/{sweep}")
    page.wait("document.querySelector('[data-verb=stop]')")
    page.wait("document.getElementById('live').dataset.state === 'live'")
    assert server.stop() == 0


def test_text_of_others_is_only_text(tmp_path, pages):
    server = world.start(tmp_path / "data")
    spec = world.sweep_of(HOSTILE, 3, project=HOSTILE[:60])
    spec["objective"]["metric"] = "return<b>x</b>"
    sweep = server.submit(spec)
    worker = server.join(cpus=2)
    grant = server.acquire(worker)
    server.report(grant, 0, 1.5)
    server.post(
        f"/v1/leases/{grant['lease']}/metrics",
        {"points": [{"name": "loss<i>", "step": 1, "value": 0.5}]},
    )
    server.end(grant, "exit_code", 1, HOSTILE, HOSTILE * 3)
    run = grant["attempt"].split("#")[0]
    trial = run.split(".")[0].replace("rn_", "tr_")
    for on in (sweep, trial):
        server.post("/v1/notes", {"request_id": f"n{on}", "on": on, "text": HOSTILE * 20})
    page = pages(f"http://127.0.0.1:{server.port}/", width=390)
    page.run("window.alert = () => { window.ran = true; }")
    for address in (
        "#/",
        f"#/sweeps/{sweep}",
        f"#/sweeps/{sweep}/trials",
        f"#/sweeps/{sweep}/events",
        f"#/trials/{trial}",
        f"#/runs/{run}",
        f"#/lineage/{sweep}",
    ):
        page.go(address)
        page.wait(
            "document.querySelector('main h1') && !document.querySelector('main > [role=status]')"
        )
        page.wait(f"location.hash.startsWith({address!r})")
        assert page.run("document.querySelectorAll('main img, main script').length") == 0, address
        assert page.run("document.documentElement.scrollWidth") <= 390, address
    assert page.run("window.ran === undefined")
    assert "<img src=x" in page.text() or HOSTILE[:12] in page.run("document.body.textContent")
    assert server.stop() == 0


def test_many_curves_are_drawn_as_a_density(tmp_path, pages):
    server = world.start(tmp_path / "data")
    spec = world.sweep_of("many", 160, terminator={"rule": "none"})
    spec["budget"] = {"unit": "frames", "per_run": 1000, "phases": 3}
    sweep = server.submit(spec)
    worker = server.join(cpus=200)
    for _ in range(160):
        grant = server.acquire(worker)
        skill = grant["params"]["gamma"] * grant["params"]["t_max"]
        for phase in range(3):
            server.report(grant, phase, skill * (phase + 1))
    page = pages(f"http://127.0.0.1:{server.port}/#/sweeps/{sweep}/curves")
    page.wait("document.querySelector('[data-card=curves] .ramp')")
    colours = page.wait(
        "(() => { const canvas = document.querySelector('[data-card=curves] canvas');"
        " const data = canvas.getContext('2d').getImageData(300, 50, 600, 300).data;"
        " const found = new Set(); for (let i = 0; i < data.length; i += 4)"
        " found.add(`${data[i]},${data[i + 1]},${data[i + 2]}`);"
        " return found.size > 12 ? found.size : 0; })()"
    )
    assert colours > 12
    if "HONE_PICTURES" in os.environ:
        page.picture(pathlib.Path(os.environ["HONE_PICTURES"]) / "density.png")
    page.run(
        "[...document.querySelectorAll('select')].find((one) => one.ariaLabel === 'y').value = 'rank'"
    )
    page.run(
        "[...document.querySelectorAll('select')].find((one) => one.ariaLabel === 'y')"
        ".dispatchEvent(new Event('change'))"
    )
    page.wait("location.hash.includes('y=rank')")
    assert server.stop() == 0


def test_the_log_of_a_running_run_grows_on_its_page(filled, pages):
    grant = filled.grants[-1][0]  # another test ends the first
    run = grant["attempt"].split("#")[0]
    server, lease = filled.server, grant["lease"]
    page = pages(f"{filled.url}#/runs/{run}")
    page.wait("document.querySelector('[data-card=log]')?.innerText.includes('Waiting for wk_')")
    path = f"/v1/workers/{filled.worker}/log?lease={lease}&offset="
    first = f"\x1b[31m{HOSTILE}\x1b[0m\x1b[2J\n".encode()
    assert server.post(path + "0", first)["wanted"]
    page.wait("document.querySelector('pre.log').textContent !== ''")
    assert page.run("document.querySelector('pre.log').textContent") == f"{HOSTILE}\ufffd[2J\n"
    assert server.post(f"{path}{len(first)}", b"second line\n")["wanted"]
    page.wait("document.querySelector('pre.log').textContent.endsWith('second line\\n')")
    # What is looked for is marked, and stays so while the log grows.
    page.run("document.querySelector('[aria-label=\"Find in the log\"]').focus()")
    page.type("LINE")
    page.wait("document.querySelector('[data-card=log]').innerText.includes('1 of 1 place')")
    assert server.post(f"{path}{len(first) + 12}", b"third line\n")["wanted"]
    page.wait("document.querySelector('[data-card=log]').innerText.includes('1 of 2 places')")
    page.key("Enter")
    page.wait("document.querySelector('[data-card=log]').innerText.includes('2 of 2 places')")
    marked = "String([...CSS.highlights.get('found-now')][0])"
    assert page.run(marked) == "line"
    page.run(
        "[...document.querySelectorAll('[data-card=log] button')]"
        ".find((one) => one.innerText === 'Wrap').click()"
    )
    assert page.run("getComputedStyle(document.querySelector('pre.log')).whiteSpace") == "pre"
    # Of a page that was left nothing more is asked.
    page.go("#/workers")
    page.wait("!document.querySelector('pre.log')")


def test_failures_are_grouped_by_their_cause(filled, pages):
    sweep = filled.nulls
    causes = filled.server.get(f"/v1/sweeps/{sweep}/summary")["outcome"]["causes"]
    assert causes[0]["runs"] > 1
    page = pages(f"{filled.url}#/sweeps/{sweep}")
    page.wait("document.querySelector('table[aria-label=\"Causes of failures\"]')")
    shown = page.run(
        "[...document.querySelectorAll('table[aria-label=\"Causes of failures\"] tbody tr')]"
        ".map((row) => [...row.cells].map((one) => one.innerText))"
    )
    assert shown == [[one["cause"], str(one["runs"]), one["run"]] for one in causes]
