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
