"""The slider over a sweep's events: at each of them the page shows what was true then."""

import world


def facts(page):
    return page.run(
        "Object.fromEntries([...document.querySelectorAll('.facts > div')]"
        ".map((one) => [one.children[0].innerText, one.children[1].innerText]))"
    )


def state_at(events, seq):
    """Trials, reports and best value as of an event, from the events alone."""
    past = [one for one in events if one["seq"] <= seq]
    values = [
        one["value"]
        for one in past
        if one["kind"] == "report_recorded" and isinstance(one["value"], float | int)
    ]
    reports = sum(one["kind"] == "report_recorded" for one in past)
    trials = sum(one["kind"] == "trial_proposed" for one in past)
    return trials, reports, max(values, default=None)


def test_the_slider_shows_the_sweep_as_of_an_event(filled, pages):
    server, sweep = filled.server, filled.ended
    events = []
    after = 0
    while True:
        answer = server.get(f"/v1/events?sweep={sweep}&limit=1000&after={after}")
        events += answer["items"]
        if not answer["next"]:
            break
        after = events[-1]["seq"]
    page = pages(f"{filled.url}#/sweeps/{sweep}/events")
    page.wait("document.querySelector('[data-card=replay] canvas[data-drawn]')")
    slider = "document.querySelector('input[type=range]')"
    assert page.run(f"Number({slider}.max)") == len(events)
    for index in (len(events) // 3, len(events), 5, len(events) // 2):
        page.run(f"{slider}.value = '{index}'; {slider}.dispatchEvent(new Event('input'))")
        trials, reports, best = state_at(events, events[index - 1]["seq"])
        shown = facts(page)
        assert int(shown["Reports"].split("\n")[0]) == reports
        plural = "" if trials == 1 else "s"
        assert shown["Sweep"].split("\n")[1] == f"{trials} trial{plural} proposed"
        value = shown["Best report"].split("\n")[0]
        assert value == "–" if best is None else float(value) == float(f"{best:.4g}")
    # The number is part of the address, and survives a reload.
    page.call("Page.reload")
    seq = events[len(events) // 2 - 1]["seq"]
    page.wait(f"document.querySelector('output').innerText.includes('event {seq} ')")


def test_states_of_all_events_are_those_of_the_sweep(filled, pages):
    page = pages(f"{filled.url}#/sweeps/{filled.ended}/events")
    page.wait("document.querySelector('[data-card=replay] .strip')")
    label = page.run("document.querySelector('[data-card=replay] .strip').ariaLabel")
    runs = filled.server.get(f"/v1/sweeps/{filled.ended}")["runs"]
    assert dict(reversed(part.split(" ")) for part in label.split(", ")) == {
        state: str(count) for state, count in runs.items() if count
    }


def test_the_page_of_events_follows_a_sweep_in_progress(tmp_path, pages):
    server = world.start(tmp_path / "data")
    sweep = server.submit(world.sweep_of("followed", 4))
    grant = server.acquire(server.join(cpus=1))
    page = pages(f"http://127.0.0.1:{server.port}/#/sweeps/{sweep}/events")
    page.wait("document.querySelector('output')?.innerText.includes('following')")
    server.report(grant, 0, 12.25)
    page.wait("document.querySelector('[data-card=events]').innerText.includes('12.25')")
    page.wait("document.querySelector('.facts').innerText.includes('12.25')")
    assert server.stop() == 0
