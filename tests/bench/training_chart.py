#!/usr/bin/env python3
"""Draws what trainings returned against their frames, from the progress that hone-train prints.

Usage: hone-train ppo ... 2> seed1.log
       tests/bench/training_chart.py seed1.log seed2.log --title "PPO on Pong" --svg pong.svg
       tests/bench/training_chart.py seed1.log seed2.log --every 100k

The second form prints a Markdown table: the first return that is printed from each multiple on.
"""
import argparse
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "sdk" / "python"))
from hone import plot  # noqa: E402

PROGRESS = re.compile(r"([\d.]+)([kM]?) / \S+ frames +return (-?[\d.]+)")
UNITS = {"": 1, "k": 1_000, "M": 1_000_000}


def count_of(text):
    return int(float(text.rstrip("kM")) * UNITS[text[-1] if text[-1] in "kM" else ""])


def points_of(log):
    """(frames, return) of each line of progress after the first episode, once for each number of
    frames."""
    found = {count_of(number + unit): float(value)
             for number, unit, value in PROGRESS.findall(log.read_text(encoding="utf-8"))}
    points = sorted(found.items())
    begin = next((i for i, (_, value) in enumerate(points) if value != 0), 0)  # 0: none has ended
    return points[begin:]


def thinned(points, most=200):
    """Some of them, in millions of frames."""
    return [(frames / 1e6, value) for frames, value in points[::max(1, len(points) // most)]]


def print_table(lines, every):
    end = min(points[-1][0] for points in lines.values())
    marks = range(every, end + 1, every)
    print("| frames | " + " | ".join(f"{mark:,}" for mark in marks) + " |")
    print("|---|" + "---:|" * len(marks))
    for name, points in lines.items():
        cells = [next(value for frames, value in points if frames >= mark) for mark in marks]
        print(f"| {name} | " + " | ".join(f"{value:.1f}" for value in cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("logs", nargs="+", type=pathlib.Path)
    parser.add_argument("--title", default="")
    parser.add_argument("--svg", type=pathlib.Path)
    parser.add_argument("--every", type=count_of)
    options = parser.parse_args()
    lines = {log.stem: points_of(log) for log in options.logs}
    if options.every:
        print_table(lines, options.every)
    if options.svg:
        chart = plot.Chart(options.title, [plot.Line(name, thinned(points))
                                           for name, points in lines.items()],
                           x="million frames", y="return, last 100 episodes")
        options.svg.write_text(plot.svg([chart], columns=1, width=560, height=300) + "\n",
                               encoding="utf-8")


if __name__ == "__main__":
    main()
