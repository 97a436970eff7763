"""Every page in a real browser: complete, without a fault, without a request to elsewhere."""

import os
import pathlib

import pytest

import world

NAMES = [
    "sweeps",
    "overview",
    "trials",
    "curves",
    "phases",
    "parameters",
    "pareto",
    "confirm",
    "timeline",
    "sweep-events",
    "compare",
    "compare-trials",
    "trial",
    "run",
    "population",
    "lineage",
    "workers",
    "events",
]
PICTURES = os.environ.get("HONE_PICTURES")  # a folder for screenshots


@pytest.mark.parametrize("name", NAMES)
def test_page_is_complete_and_asks_nothing_elsewhere(name, filled, pages):
    address, element = world.addresses(filled)[name]
    page = pages(filled.url + address)
    page.wait(f"document.querySelector({element!r})")
    assert (
        page.run(
            "document.querySelectorAll('[role=alert]').length ? document.querySelector('[role=alert]').innerText : ''"
        )
        == ""
    )
    assert page.wait("document.getElementById('live').dataset.state === 'live'")
    outside = [
        url for url in page.urls if not url.startswith((filled.url, "about:", "data:", "blob:"))
    ]
    assert outside == []
    if PICTURES:
        take_pictures(page, name)


def take_pictures(page, name):
    folder = pathlib.Path(PICTURES)
    folder.mkdir(parents=True, exist_ok=True)
    page.call("Emulation.setScrollbarsHidden", hidden=True)
    page.size(1280, 760)
    page.run("new Promise((done) => setTimeout(done, 400))")
    page.picture(folder / f"dashboard-{name}.png")  # as in docs/images
    for width in (1280, 390):
        for dark in (False, True):
            page.theme(dark)
            page.size(width, 800)
            if name != "trials":  # its table is as high as the window
                page.size(width, max(800, page.run("document.documentElement.scrollHeight")))
            page.run("new Promise((done) => setTimeout(done, 400))")
            page.picture(folder / f"{name}-{width}-{'dark' if dark else 'light'}.png")


@pytest.mark.parametrize("name", NAMES)
def test_page_fits_a_narrow_screen(name, filled, pages):
    address, element = world.addresses(filled)[name]
    page = pages(filled.url + address, width=390, height=800)
    page.wait(f"document.querySelector({element!r})")
    assert page.run("document.documentElement.scrollWidth") <= 390


def test_lineage_shows_its_object_where_the_graph_is_wider_than_the_screen(filled, pages):
    address, element = world.addresses(filled)["lineage"]
    page = pages(filled.url + address, width=390, height=800)
    page.wait(f"document.querySelector({element!r})")
    graph = "document.querySelector('[role=region][aria-label=\"Lineage graph\"]')"
    assert page.wait(f"{graph}.scrollLeft > 0")
    assert page.run(f"{graph}.scrollLeft + {graph}.clientWidth < {graph}.scrollWidth"), (
        "its descendants are further right"
    )
