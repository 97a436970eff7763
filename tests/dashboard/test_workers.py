"""The workers' pages: a worker as a place, honest lanes, the idle share, who waits."""

import json

import pytest

import world


def samples(count, **more):
    """The samples of `count` times 10 s until now."""
    return {
        "cores": 4,
        "memory": 8 << 30,
        "samples": [
            {
                "age": 10 * i,
                "cpu": 0.25 + 0.5 * (i % 2),
                "cpu_pressure": 0.1,
                "memory_pressure": 0,
                "io_pressure": 0.02,
                "memory": 3 << 30,
                **more,
            }
            for i in reversed(range(count))
        ],
    }


@pytest.fixture
def place(tmp_path):
    """A worker of two slots that one sweep holds while another waits, and a client that asks."""
    server = world.start(tmp_path / "data")
    worker = server.join(cpus=2)
    short = [server.submit(world.sweep_of(f"short {i}", 30)) for i in range(2)]
    for i in range(2):
        world.train(server, short[i], worker, seed=i, fail=0, diverge=0)
    holder = server.submit(world.sweep_of("holder", 4))
    grants = [server.acquire(worker) for _ in range(2)]
    waits = server.submit(world.sweep_of("waits", 4))
    spec = {**world.sweep_of("asked", 3), "trainer": {"name": "ask"}}
    del spec["command"]
    asked = server.submit(spec)
    server.post(f"/v1/sweeps/{asked}/ask", {"asker": "notebook"})
    leases = [one["lease"] for one in grants]
    server.post(f"/v1/workers/{worker}/beat", {"leases": leases, "machine": samples(30)})
    yield server, worker, holder, waits
    assert server.stop() == 0, server.log_text()


def url(server, address):
    return f"http://127.0.0.1:{server.port}/{address}"


def rows_of(page, card):
    return json.loads(
        page.run(
            f"JSON.stringify([...document.querySelectorAll('[data-card={card}] tbody tr')]"
            ".map((row) => [...row.cells].map((cell) => cell.innerText)))"
        )
    )


def test_a_worker_has_a_page(place, pages):
    server, worker, holder, waits = place
    page = pages(url(server, "#/workers"))
    page.wait(f"document.querySelector('tbody a[href=\"#/workers/{worker}\"]')")
    page.click(f'tbody a[href="#/workers/{worker}"]')
    for chart in ("slots", "cpu", "memory", "waits"):
        page.wait(f"document.querySelector('[data-card={chart}] canvas')")
        page.run(f"document.querySelector('[data-card={chart}]').scrollIntoView()")
        page.wait(f"document.querySelector('[data-card={chart}] canvas[data-drawn]')")
    assert not page.run("document.querySelector('[data-card=gpu]')"), "nothing of it was measured"
    history = server.get(f"/v1/workers/{worker}/history")
    facts = page.run("document.querySelector('main dl.facts').innerText")
    assert "2 held" in facts and "of 4 cores" in facts and "of 8 GiB" in facts
    assert [row[0] for row in rows_of(page, "held")] == [one["sweep"] for one in history["held"]]
    assert [row[:2] for row in rows_of(page, "held")] == [[holder, "2"]]
    waiting = rows_of(page, "waiting")
    why = {one["sweep"]: one["why"] for one in history["waiting"]}
    assert [row[0].split()[0] for row in waiting] == list(why)
    shown = dict((row[0].split()[0], row[2]) for row in waiting)
    for sweep, reason in why.items():
        assert reason[1:] in shown[sweep], (reason, shown[sweep])
    assert shown[waits].startswith("Every slot is held")


def test_a_worker_has_no_more_lanes_than_slots(place, pages):
    server, worker, holder, _ = place
    page = pages(url(server, f"#/workers/{worker}"))
    page.wait("document.querySelector('[data-card=slots] canvas[data-drawn]')")
    page.wait("document.querySelector('[data-card=slots]').innerText.includes('many short')")
    page.run(
        "[...document.querySelectorAll('[data-card=slots] header button')]"
        ".find((one) => one.textContent === 'Table').click()"
    )
    rows = json.loads(
        page.run(
            "JSON.stringify([...document.querySelectorAll('[data-card=slots] .as-table tbody tr')]"
            ".map((row) => [...row.cells].map((cell) => cell.textContent)))"
        )
    )
    assert {row[2] for row in rows} >= {holder}, "short attempts name their sweeps too"
    assert all(row[2] for row in rows)
    history = server.get(f"/v1/workers/{worker}/history?pixels=300")
    lanes = [one["lane"] for one in history["busy"]]
    lanes += [lane for one in history["items"] for lane in one["lanes"]]
    assert set(lanes) == {0, 1}


def test_samples_come_without_a_reload(place, pages):
    server, worker, _, _ = place
    page = pages(url(server, f"#/workers/{worker}"))
    page.wait("document.querySelector('[data-card=cpu] canvas')")
    server.post(
        f"/v1/workers/{worker}/beat",
        {"leases": [], "machine": samples(1, gpu=0.5, gpu_memory=1 << 30)},
    )
    page.wait("document.querySelector('[data-card=gpu] canvas')")


def test_the_page_fits_a_phone_and_both_themes(place, pages):
    server, worker, _, _ = place
    for dark in (False, True):
        page = pages(url(server, f"#/workers/{worker}"), width=390, dark=dark)
        page.wait("document.querySelector('[data-card=slots] canvas[data-drawn]')")
        page.wait("document.querySelector('[data-card=waiting] tbody tr')")
        assert page.run("document.documentElement.scrollWidth") <= 390


def test_clients_of_ask_are_no_workers_lanes(place, pages):
    server, worker, _, _ = place
    page = pages(url(server, "#/workers"))
    page.wait("document.querySelector('[data-card=timeline] canvas[data-drawn]')")
    facts = page.run("document.querySelector('main dl.facts').innerText")
    assert "Idle" in facts and "clients of hone ask" in facts
    timeline = server.get("/v1/timeline")
    assert [one["worker"] for one in timeline["workers"]] == [worker]


def test_a_worker_that_is_unknown_is_one_sentence(place, pages):
    server = place[0]
    page = pages(url(server, "#/workers/wk_4711"))
    page.wait("document.querySelector('main [role=alert]')")
    assert "no worker wk_4711" in page.run("document.querySelector('main [role=alert]').innerText")
    page.faults.clear()  # the browser logs the 404
