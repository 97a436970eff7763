"""The learning curves of a sweep: what is highlighted, what the legend claims, what a zoom shows."""

import json

import world

SHOWN = (
    "JSON.stringify([...document.querySelectorAll('[data-card=curves] .legend a')]"
    ".map((one) => one.innerText))"
)
LEGEND = "document.querySelector('[data-card=curves] .legend')?.innerText"


def started(server, trials, **changes):
    sweep = server.submit(
        world.sweep_of(
            "live",
            trials,
            terminator={"rule": "none"},
            budget={"unit": "frames", "per_run": 4000, "phases": 4},
            **changes,
        )
    )
    return sweep, server.join(cpus=16)


def trained(server, worker, rise, phases=4):
    grant = server.acquire(worker)
    for phase in range(phases):
        server.report(grant, phase, rise * (phase + 1))
    return f"tr_{grant['attempt'][3:].split('.')[0]}"


def test_the_leaders_of_a_live_sweep_are_those_of_now(tmp_path, pages):
    """The page kept the leaders of the moment it was opened."""
    server = world.start(tmp_path / "data")
    sweep, worker = started(server, 8)
    early = [trained(server, worker, rise) for rise in (10, 30, 20)]
    page = pages(f"http://127.0.0.1:{server.port}/#/sweeps/{sweep}/curves")
    page.wait(f"{SHOWN} === JSON.stringify({json.dumps([early[1], early[2], early[0]])})")
    late = [trained(server, worker, rise) for rise in (5, 40)]
    page.wait(f"{SHOWN} === JSON.stringify({json.dumps([late[1], early[1], early[2]])})")
    assert server.stop() == 0


def test_a_legend_claims_no_interval_and_no_state_that_is_not_there(filled, pages):
    page = pages(f"{filled.url}#/sweeps/{filled.ended}/curves")
    page.wait(f"{LEGEND}.includes('runs drawn') && {SHOWN} !== '[]'")
    runs = filled.server.get(f"/v1/sweeps/{filled.ended}")["runs"]
    shown = page.run(LEGEND)
    for state in ("completed", "stopped", "failed", "running"):
        assert (state in shown) == (runs[state] > 0), (state, runs, shown)
    assert "interval" not in shown
    page.go(f"#/sweeps/{filled.seeds}/curves")
    page.wait(f"{LEGEND}.includes('interquartile mean over seeds with its 95 % t-interval')")
    # A logarithm of values below 0 does not exist.
    page.go(f"#/sweeps/{filled.ended}/curves?y=log")
    server = filled.server
    below = any(
        point["value"] != "diverged" and point["value"] <= 0
        for run in server.get(f"/v1/sweeps/{filled.ended}/curves?limit=100")["items"]
        for point in run["curve"]
    )
    page.wait(f"{LEGEND}.includes('runs drawn')")
    page.wait(f"{LEGEND}.includes('symlog, as some values') === {json.dumps(below)}")


def test_a_run_under_the_pointer_names_what_differs_from_the_best(filled, pages):
    server = filled.server
    trials = {
        one["id"]: one["params"]
        for one in server.get(f"/v1/sweeps/{filled.nulls}/trials?limit=100")["items"]
    }
    best = server.get(f"/v1/sweeps/{filled.nulls}/best?limit=1")["items"][0]["id"]
    page = pages(f"{filled.url}#/sweeps/{filled.nulls}/curves")
    page.wait("document.querySelector('[data-card=curves] canvas[data-drawn]')")
    page.run("document.querySelector('[data-card=curves] canvas').focus()")
    seen = set()
    for key in ["ArrowRight"] + ["ArrowDown"] * 7:
        page.key(key)
        tip = page.wait(
            "document.querySelector('[data-card=curves] .tip:not([hidden])')?.innerText"
        )
        trial = tip.split(",")[0]
        if trial == best:
            assert "the best trial" in tip
            continue
        for name in {*trials[trial], *trials[best]}:
            differs = trials[trial].get(name, "-") != trials[best].get(name, "-")
            assert (f"{name} " in tip) == differs, (name, tip)
        seen.add(trial)
    assert len(seen) > 1


def test_curves_are_coloured_by_a_parameter(filled, pages):
    page = pages(f"{filled.url}#/sweeps/{filled.nulls}/curves?colour=clip")
    page.wait(f"{LEGEND}.includes('clip null') && {LEGEND}.includes('clip norm')")
    page.run(
        "(() => { const field = document.querySelector('select[aria-label=colour]');"
        " field.value = 'learning_rate'; field.dispatchEvent(new Event('change')); })()"
    )
    page.wait(f"{LEGEND}.includes('learning_rate 1e-5') && location.hash.includes('colour=')")
    page.wait("document.querySelector('[data-card=curves] .legend .ramp')")


TABLE = (
    "[...document.querySelectorAll('[data-card=curves] header button')]"
    ".find((one) => one.innerText === 'Table').click()"
)


def numbers(page):
    """The chart's numbers: rows of run, point, step, value and, on axes of time, x."""
    page.run(TABLE)
    page.wait("document.querySelector('.as-table tbody tr')")
    shown = page.run(
        "[...document.querySelectorAll('.as-table tbody tr')]"
        ".map((row) => [...row.cells].map((one) => one.innerText))"
    )
    page.run(TABLE)
    return shown


def choose(page, name, value):
    page.wait(f"document.querySelector('select[aria-label={name}]')")
    page.run(
        f"(() => {{ const field = document.querySelector('select[aria-label={name}]');"
        f" field.value = {json.dumps(value)}; field.dispatchEvent(new Event('change')); }})()"
    )


def drawn(page):
    page.wait("document.querySelector('[data-card=curves] canvas[data-drawn]')")
    page.wait(f"{LEGEND}.includes('drawn')")


def test_curves_are_drawn_over_time_and_of_any_metric(filled, pages):
    server = filled.server
    page = pages(f"{filled.url}#/sweeps/{filled.ended}/curves")
    drawn(page)
    page.wait("document.querySelector('select[aria-label=metric]').options.length === 3")
    choose(page, "x", "trained")
    page.wait(f"location.hash.includes('x=trained') && {LEGEND}.includes('24 runs drawn')")
    curves = server.get(f"/v1/sweeps/{filled.ended}/curves?limit=100")["items"]
    seconds = {(one["run"], at["step"]): at["seconds"] for one in curves for at in one["curve"]}
    rows = numbers(page)
    assert len(rows) == sum(
        isinstance(at["value"], float) for one in curves for at in one["curve"]
    )
    assert all(abs(float(row[4]) - seconds[row[0], int(row[2])]) < 1e-6 for row in rows)
    choose(page, "metric", "loss")
    page.wait(f"location.hash.includes('metric=loss') && {LEGEND}.includes('24 runs drawn')")
    page.wait("document.querySelector('select[aria-label=metric]').value === 'loss'")
    run = filled.best()["run"]
    losses = server.get(f"/v1/runs/{run}/metrics?name=loss&limit=1000")["items"]
    shown = [float(row[3]) for row in numbers(page) if row[0] == run]
    assert shown == [float(f"{one['value']:.7g}") for one in losses]


def test_trials_are_switched_off_and_only_the_selected_drawn(filled, pages):
    best = filled.server.get(f"/v1/sweeps/{filled.ended}/best")["items"]
    ids = [one["id"] for one in best[:3]]
    page = pages(f"{filled.url}#/sweeps/{filled.ended}/curves")
    drawn(page)
    page.click(f"[data-card=curves] button[data-key={ids[0]}]")
    page.wait(f"{LEGEND}.includes('23 runs drawn')")
    assert not any(row[0] == best[0]["run"] for row in numbers(page))
    numbers_of = [one[3:] for one in ids[1:]]
    page.go(f"#/sweeps/{filled.ended}/trials?pick={','.join(numbers_of)}")
    page.wait("document.querySelectorAll('tr[aria-selected=true]').length === 2")
    page.run(
        "[...document.querySelectorAll('a.button')]"
        ".find((one) => one.innerText === 'Curves of the selected').click()"
    )
    page.wait(f"{LEGEND}.includes('2 runs drawn')")
    assert {row[0] for row in numbers(page)} == {one["run"] for one in best[1:3]}


def test_a_box_zooms_both_axes(filled, pages):
    page = pages(f"{filled.url}#/sweeps/{filled.ended}/curves")
    drawn(page)
    page.run("document.querySelector('[data-card=curves]').scrollIntoView()")
    left, top, width = page.run(
        "(() => { const box = document.querySelector('[data-card=curves] canvas')"
        ".getBoundingClientRect(); return [box.left, box.top, box.width]; })()"
    )
    page.drag((left + 0.3 * width, top + 60), (left + 0.7 * width, top + 200))
    page.wait("location.hash.includes('zoom=')")
    zoom = page.run("new URLSearchParams(location.hash.split('?')[1]).get('zoom').split(',')")
    x0, x1, y0, y1 = map(float, zoom)
    assert 0 < x0 < x1 < 1_000_000 and 0 < y0 < y1 < 500
    # Along x alone the height fits what is shown.
    page.drag((left + 0.3 * width, top + 100), (left + 0.7 * width, top + 103))
    zoom = "new URLSearchParams(location.hash.split('?')[1]).get('zoom')"
    page.wait(f"{zoom}.split(',').length === 2")
    page.run("document.querySelector('[data-card=curves] canvas').focus()")
    page.key("Escape")
    page.key("Escape")
    page.wait("!location.hash.includes('zoom=')")
    page.key("+")
    page.wait("location.hash.includes('zoom=')")


def test_a_smoothed_curve_keeps_its_reports(filled, pages):
    page = pages(f"{filled.url}#/sweeps/{filled.ended}/curves")
    drawn(page)
    before = numbers(page)
    choose(page, "smoothing", "0.85")
    page.wait(f"{LEGEND}.includes('before smoothing')")
    assert numbers(page) == before
    page.run("document.querySelector('[data-card=curves] canvas').focus()")
    for _ in range(3):
        page.key("ArrowRight")
    page.wait("document.querySelector('.tip:not([hidden])')?.innerText.includes('smoothed')")


def test_a_stopped_run_under_the_cursor_shows_what_it_was_judged_by(filled, pages):
    """The rank and the cutoff were in the explanation alone."""
    server = filled.server
    runs = server.get(f"/v1/sweeps/{filled.ended}/curves?limit=100")["items"]
    stopped = next(one for one in runs if one["reason"] == "evicted" and len(one["curve"]) > 2)
    inputs = server.get(f"/v1/runs/{stopped['run']}/curve")["items"][-1]["inputs"]
    page = pages(f"{filled.url}#/sweeps/{filled.ended}/curves?pick={stopped['trial'][3:]}&only=1")
    drawn(page)
    page.wait(f"{LEGEND}.includes('1 run drawn')")
    page.run("document.querySelector('[data-card=curves] canvas').focus()")
    for _ in stopped["curve"]:
        page.key("ArrowRight")
    below, reports, cutoff = (inputs[name] for name in ("rank_below", "reports", "cutoff"))
    wanted = f"{below:g} of {reports:g} were worse, {cutoff:g} needed"
    page.wait(f"document.querySelector('.tip').innerText.includes({json.dumps(wanted)})")
