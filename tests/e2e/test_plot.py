"""hone.plot: charts as SVG text."""
import sys
import xml.etree.ElementTree as ElementTree

import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT / "sdk" / "python"))
from hone import plot  # noqa: E402

NAMESPACE = "{http://www.w3.org/2000/svg}"


def drawn(*charts, **more):
    return ElementTree.fromstring(plot.svg(charts, **more))


def corners(line):
    return [tuple(map(float, pair.split(","))) for pair in line.get("points").split()]


def test_a_line_lies_within_its_axes_and_larger_values_lie_higher():
    root = drawn(plot.Chart("rising", [plot.Line("a", [(0, -2), (5, 0), (10, 3)])]), width=300,
                 height=200)
    [line] = root.iter(NAMESPACE + "polyline")
    (x0, y0), (x1, y1), (x2, y2) = corners(line)
    assert x0 < x1 < x2 and y0 > y1 > y2
    assert 0 <= x0 and x2 <= 300 and 0 <= y2 and y0 <= 200
    assert abs((x1 - x0) - (x2 - x1)) < 0.2 and abs((y0 - y1) / (y1 - y2) - 2 / 3) < 0.02


def test_a_value_of_steps_holds_until_the_next_point():
    root = drawn(plot.Chart("best", [plot.Line("a", [(0, 1), (4, 2), (6, 2)])], steps=True))
    [line] = root.iter(NAMESPACE + "polyline")
    points = corners(line)
    assert len(points) == 5
    assert points[0][1] == points[1][1] and points[1][0] == points[2][0]


def test_equal_names_have_one_colour_and_one_entry_of_the_legend():
    lines = [plot.Line(name, [(0, 0), (1, 1)]) for name in ("a", "b")]
    root = drawn(plot.Chart("one", lines), plot.Chart("two", lines[::-1]))
    colours = {}
    for line in root.iter(NAMESPACE + "polyline"):
        colours.setdefault(line.find(NAMESPACE + "title").text, set()).add(line.get("stroke"))
    assert [len(of) for of in colours.values()] == [1, 1]
    assert colours["a"] != colours["b"]
    assert [text.text for text in root.iter(NAMESPACE + "text")].count("a") == 1


def test_names_are_escaped_and_bands_are_drawn():
    line = plot.Line("<b>&", [(0, 1), (1, 2)], [(0, 0.5, 1.5), (1, 1, 3)])
    text = plot.svg([plot.Chart("x < y", [line])])
    assert "<b>" not in text and "&lt;b&gt;&amp;" in text
    [area] = ElementTree.fromstring(text).iter(NAMESPACE + "polygon")
    assert len(corners(area)) == 4


@pytest.mark.parametrize("low, high", [(0, 1), (-21, -18.5), (3.2, 3.9), (0, 1e6), (1e-5, 1e-2),
                                       (0, 4), (0, 5), (0, 9.99)])
def test_ticks_are_few_and_lie_within_the_range(low, high):
    found = plot.ticks(low, high)
    assert 2 <= len(found) <= 5
    slack = 1e-9 * (high - low)
    assert all(low - slack <= tick <= high + slack for tick in found)


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ValueError, match="no lines"):
        plot.svg([plot.Chart("empty", [])])
    with pytest.raises(ValueError, match="bad: .*not finite"):
        plot.svg([plot.Chart("bad", [plot.Line("a", [(0, float("nan"))])])])


def test_a_logarithmic_axis_has_powers_of_ten_at_equal_distances():
    line = plot.Line("a", [(1e-4, 1), (1e-3, 2), (1e-1, 3)], dots=True)
    root = drawn(plot.Chart("rates", [line], log_x=True))
    xs = [float(dot.get("cx")) for dot in root.iter(NAMESPACE + "circle")][:3]
    assert xs[2] - xs[1] == pytest.approx(2 * (xs[1] - xs[0]), abs=0.2)
    texts = [one.text for one in root.iter(NAMESPACE + "text")]
    assert {"0.0001", "0.001", "0.01", "0.1"} <= set(texts)
    with pytest.raises(ValueError, match="above 0"):
        plot.svg([plot.Chart("zero", [plot.Line("a", [(0, 1), (1, 2)])], log_x=True)])


def test_a_long_legend_has_several_rows():
    lines = [plot.Line(f"name number {i}", [(0, i), (1, i)]) for i in range(6)]
    root = drawn(plot.Chart("many", lines), width=360)
    marks = {one.text: (float(one.get("x")), float(one.get("y")))
             for one in root.iter(NAMESPACE + "text")
             if (one.text or "").startswith("name number")}
    assert len(set(marks.values())) == 6
    assert max(x for x, _ in marks.values()) < 360 and len({y for _, y in marks.values()}) == 3
