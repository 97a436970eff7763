"""The slider over a sweep's events: at each of them the page shows what was true then."""

import os
import pathlib
import subprocess
from xml.etree import ElementTree

import pytest

import world

SVG = "{http://www.w3.org/2000/svg}"


def press(page, name):
    button = f"[...document.querySelectorAll('button')].find((one) => one.innerText === {name!r})"
    page.wait(button)
    page.run(f"{button}.click()")


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
    page.wait("document.querySelector('output')?.innerText.includes('of the sweep')")
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
    page.wait("document.querySelector('output')?.innerText.includes('of the sweep')")
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


SAVED = """
window.saved = [];
const make = URL.createObjectURL;
URL.createObjectURL = (blob) => { window.saved.push(blob); return make.call(URL, blob); };
HTMLAnchorElement.prototype.click = () => {};
"""


def test_an_animation_shows_each_report_from_its_moment_on(filled, tmp_path, pages):
    server, sweep = filled.server, filled.ended
    events = server.get(f"/v1/events?sweep={sweep}&limit=1000")["items"]
    page = pages(f"{filled.url}#/sweeps/{sweep}/events")
    page.wait("document.querySelector('output')?.innerText.includes('of the sweep')")
    page.run(SAVED)
    press(page, "Save animation")
    text = page.run("window.saved[0].text()")
    assert page.run("window.saved[0].type") == "image/svg+xml"
    root = ElementTree.fromstring(text)
    assert root.find(f"{SVG}title").text == "cartpole"
    assert not [one for one in root.iter() if one.tag in (f"{SVG}script", f"{SVG}foreignObject")]
    # At moments of its clock as many runs are to be seen as had reported by then.
    file = tmp_path / "animation.svg"
    file.write_text(text, encoding="utf-8")
    page.open(file.as_uri())
    page.wait("document.documentElement.pauseAnimations && location.protocol === 'file:'")
    page.run("document.documentElement.pauseAnimations()")
    done = len(events)
    for index in (done // 4, done // 2, done):
        past = events[:index]
        reported = {
            one["run"]
            for one in past
            if one["kind"] == "report_recorded" and isinstance(one["value"], float | int)
        }
        moment = 12 * 0.9 * (index / done) + 0.001
        seen = page.run(
            f"document.documentElement.setCurrentTime({moment}),"
            "[...document.querySelectorAll('g path')]"
            ".filter((one) => Number(getComputedStyle(one).strokeOpacity) > 0).length"
        )
        assert seen == len(reported)


def test_the_slider_reaches_the_end_of_a_sweep_of_any_length(tmp_path, pages):
    bench = pathlib.Path(os.environ["HONE_BIN"]) / "hone-bench"
    if not bench.exists():
        pytest.skip("hone-bench is not built")
    shape = ["--sweeps", "1", "--trials", "5000", "--phases", "10", "--points", "0"]
    subprocess.run([bench, "fill", *shape, "--folder", tmp_path / "data"], check=True, timeout=300)
    server = world.start(tmp_path / "data")
    page = pages(f"http://127.0.0.1:{server.port}/#/sweeps/sw_1/events")
    press(page, "Read all")
    page.wait("document.querySelector('output').innerText.includes('of the sweep')")
    runs = server.get("/v1/sweeps/sw_1")["runs"]
    label = page.run("document.querySelector('[data-card=replay] .strip').ariaLabel")
    assert dict(reversed(part.split(" ")) for part in label.split(", ")) == {
        state: str(count) for state, count in runs.items() if count
    }
    slider = "document.querySelector('input[type=range]')"
    count = page.run(f"Number({slider}.max)")
    assert count > 100_000
    # Events that were not kept are read again: the newest of the list is that of the slider.
    index = count - 700
    page.run(f"{slider}.value = '{index}'; {slider}.dispatchEvent(new Event('input'))")
    seq = page.run("document.querySelector('output').innerText.match(/event ([0-9]+)/)[1]")
    page.wait(f"document.querySelector('[data-card=events] tbody td').innerText === {seq!r}")
    # A number in the address is reached, though it is beyond what is read at once.
    page.call("Page.reload")
    page.wait(f"document.querySelector('output')?.innerText.includes('event {seq} ({index} of')")
    assert server.stop() == 0
