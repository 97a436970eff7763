"""What a sweep is judged by and how much of the workers it gets, as the pages name it."""

import json

import world


def rows_of(page, selector):
    """The texts of rows, without those of check boxes."""
    found = page.wait(
        f"JSON.stringify([...document.querySelectorAll({selector!r})]"
        ".map((row) => [...row.cells].filter((cell) => !cell.querySelector('.tick'))"
        ".map((cell) => cell.innerText.trim()))).replace(/^\\[\\]$/, '')"
    )
    return json.loads(found)


def number(text):
    return float(text) if text.replace(".", "").isdigit() else text


def reached_sweep(server):
    """Four trials whose returns rise by 100, 150, 200 and 50 a phase: the bar of 300 is reached after 3, 2, 2 phases."""
    sweep = server.submit(
        world.sweep_of(
            "soonest",
            4,
            objective={"metric": "return", "reach": 300, "clock": "steps"},
            terminator={"rule": "none"},
            budget={"unit": "frames", "per_run": 4000, "phases": 4},
        )
    )
    worker = server.join(cpus=4)
    for rise in (100, 150, 200, 50):
        grant = server.acquire(worker)
        for phase in range(4):
            if server.report(grant, phase, rise * (phase + 1))["verdict"] != "continue":
                break
    return sweep


def test_values_of_an_objective_of_time_are_named_and_ranked_as_times(tmp_path, pages):
    server = world.start(tmp_path / "data")
    sweep = reached_sweep(server)
    items = server.get(f"/v1/sweeps/{sweep}/best")["items"]
    assert [one["value"] for one in items] == [2000, 2000, 3000, "not_reached"]
    page = pages(f"http://127.0.0.1:{server.port}/#/sweeps/{sweep}")
    shown = rows_of(page, "[data-best] tbody tr")
    assert [row[1] for row in shown] == [one["id"] for one in items]
    assert [number(row[2]) for row in shown] == [2000, 2000, 3000, "not reached"]
    head = page.run("document.querySelector('[data-best] thead').innerText")
    assert "frames to return ≥ 300" in head
    assert "fewest frames to return ≥ 300" in page.run("document.querySelector('.head').innerText")
    # The curves show the metric, of which more is better.
    page.go(f"#/sweeps/{sweep}/phases")
    page.wait("document.querySelector('[data-card=flow] canvas[data-drawn]')")
    page.run(
        "[...document.querySelectorAll('[data-card=flow] header button')]"
        ".find((one) => one.textContent === 'Table').click()"
    )
    flow = rows_of(page, "[data-card=flow] .as-table tbody tr")
    first = {row[0]: int(row[2]) for row in flow if row[1] == "1"}
    curves = server.get(f"/v1/sweeps/{sweep}/curves?limit=100")["items"]
    ordered = sorted(curves, key=lambda one: -one["curve"][0]["value"])
    assert sorted(first, key=first.get) == [one["run"] for one in ordered]
    slowest = items[-1]["id"]
    page.go(f"#/trials/{slowest}")
    page.wait("document.querySelector('.facts')?.innerText.includes('not reached')")
    page.go(f"#/runs/{slowest.replace('tr', 'rn')}.0")
    page.wait("document.querySelector('.facts')?.innerText.includes('frames to return ≥ 300')")
    assert server.stop() == 0


def test_the_history_of_an_objective_of_time_is_one_of_times(tmp_path):
    server = world.start(tmp_path / "data")
    sweep = reached_sweep(server)
    for by in ("trial", "time", "spent"):
        history = server.get(f"/v1/sweeps/{sweep}/history?by={by}")
        assert [one["value"] for one in history["points"]] == [3000, 2000], (by, history)
    assert server.stop() == 0


def test_a_sweep_that_no_worker_can_train_says_what_it_lacks(tmp_path, pages):
    server = world.start(tmp_path / "data")
    sweep = server.submit(
        world.sweep_of(
            "large",
            2,
            resources={"cpus": 2, "gpus": 5, "memory": "4GiB", "labels": ["zone=a"]},
            share=3,
            slots={"min": 2, "max": 8},
            by="2h",
        )
    )
    page = pages(f"http://127.0.0.1:{server.port}/#/sweeps/{sweep}")
    running = "document.querySelector('[data-card=running]')?.innerText"
    needs = "a run needs 2 slots, 5 GPUs, 4 GiB, zone=a"
    page.wait(f"{running}.includes('No worker is connected: {needs}')")
    worker = server.join(cpus=4)
    lacks = f"No worker can train it: {needs}; connected: {worker} with 4 slots"
    page.wait(f"{running}.includes('{lacks}')")
    about = page.run("document.querySelector('[data-card=about]').innerText")
    assert "2 slots, 5 GPUs, 4 GiB, zone=a" in about
    assert "weight 3, at least 2, at most 8, done 2 h" in about
    assert server.stop() == 0


def test_workers_show_their_memory_and_labels(tmp_path, pages):
    server = world.start(tmp_path / "data")
    joined = {"request_id": "w1", "host": "node7", "pid": 7, "cpus": 8, "gpus": 2}
    resources = {"memory": 64 * 2**30, "labels": ["gpu=a100", "zone=b"]}
    server.post("/v1/workers", {**joined, **resources, "hone_version": "0.1.0"})
    page = pages(f"http://127.0.0.1:{server.port}/#/workers")
    (row,) = rows_of(page, "table[aria-label=Workers] tbody tr")
    assert row[1:4] == ["node7", "8", "2"]
    assert row[6:9] == ["present", "64 GiB", "gpu=a100, zone=b"]
    assert server.stop() == 0
