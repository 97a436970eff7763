"""The palette of dashboard/base.css, computed: contrast, and colours under three kinds of colour-blindness."""

import pathlib
import re

import pytest

CSS = pathlib.Path(__file__).resolve().parents[2] / "dashboard" / "base.css"

# Viénot, Brettel and Mollon (1999) for protan and deutan; a linear approximation for tritan.
BLINDNESS = {
    "protan": ((0.11238, 0.88762, 0), (0.11238, 0.88762, 0), (0.00401, -0.00401, 1)),
    "deutan": ((0.29275, 0.70725, 0), (0.29275, 0.70725, 0), (-0.02234, 0.02234, 1)),
    "tritan": ((1, 0.14461, -0.14461), (0, 0.85924, 0.14076), (0, 0.85924, 0.14076)),
}
STATES = ["running", "leased", "queued", "paused", "completed", "stopped", "failed", "canceled"]


def themes():
    blocks = re.findall(r"\{([^{}]*--ground[^{}]*)\}", CSS.read_text(encoding="utf-8"))
    colours = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block)) for block in blocks]
    return {"light": colours[0], "dark": colours[1], "dark by choice": colours[2]}


def linear(text):
    parts = [int(text[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]


def luminance(text):
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear(text)))


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def oklab(rgb):
    r, g, b = (max(0.0, c) for c in rgb)
    l = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) ** (1 / 3)
    m = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) ** (1 / 3)
    s = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b) ** (1 / 3)
    return (
        0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
        1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
        0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
    )


def seen(text, matrix):
    rgb = linear(text)
    return oklab([sum(w * c for w, c in zip(row, rgb)) for row in matrix])


def distance(a, b, matrix):
    return 100 * sum((x - y) ** 2 for x, y in zip(seen(a, matrix), seen(b, matrix))) ** 0.5


def test_both_dark_themes_are_equal():
    assert themes()["dark"] == themes()["dark by choice"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_and_marks_have_contrast(theme):
    colours = themes()[theme]
    for text in ("ink", "ink-2", "accent", "bad"):
        for ground in ("ground", "raised", "sunken"):
            assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
    for mark in [*STATES, "c1", "c2", "c3", "c4", "c5", "c6", "line-strong"]:
        assert contrast(colours[mark], colours["ground"]) >= 3, mark


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("kind", list(BLINDNESS))
def test_neighbouring_colours_differ_for_the_colour_blind(theme, kind):
    colours = themes()[theme]
    for names in (STATES, ["c1", "c2", "c3", "c4", "c5", "c6"]):
        for a, b in zip(names, names[1:]):
            far = distance(colours[a], colours[b], BLINDNESS[kind])
            assert far >= 8, (a, b, round(far, 1))
