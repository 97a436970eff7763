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
