#!/usr/bin/env python3
"""How well the speed of a GA3C run next to another one is forecast, on one core.

Usage: packing_bench.py [--bin DIR] [--core N] [--pairs N] [--learn N] [--frames N]

A real server and a worker with two slots that is pinned to one core. Of each pair of runs, the
second starts when the first has trained five phases alone, and is alone when the first has ended.
The first pairs are what the server learns from; of the others, the forecast that the server
recorded when it granted the second run is compared with the speeds that were then measured: the
frames per second of both runs next to each other, relative to their own alone. Phases in which a
run began or ended do not count, as in the server.
"""
import argparse
import os
import pathlib
import statistics
import tempfile
import time

from slots_bench import Installation

PHASES, ALONE = 12, 5


class Pinned(Installation):
    """Its worker, and what that starts, has one core."""

    def __init__(self, options, folder):
        self.core = options.core
        super().__init__(options, folder, slots=2, gpus=0)

    def run(self, *command):
        pinned = pathlib.Path(command[0]).name == "hone-worker"
        return super().run(*(["taskset", "-c", str(self.core)] if pinned else []), *command)

    def submit_run(self, name, frames):
        spec = {"name": name, "objective": {"metric": "return", "goal": "maximize"},
                "trainer": {"name": "ga3c", "env": "CartPole-v1"},
                "parameters": {"learning_rate": {"type": "choice", "values": [0.001]}},
                "search": {"method": "random", "trials": 1}, "terminator": {"rule": "none"},
                "budget": {"unit": "frames", "per_run": frames * PHASES, "phases": PHASES}}
        self.call("/v1/sweeps", {"request_id": name, "spec": spec})


def runs_of(one):
    """By run: its leases' begin and end, and the times of its reports."""
    runs = {}
    for event in one.events():
        kind, at = event["kind"], event["seconds"]
        if kind == "lease_granted":
            runs[event["attempt"].split("#")[0]] = {"from": at, "to": None, "reports": [],
                                                    "forecast": event.get("neighbours")}
        elif kind == "report_recorded":
            runs[event["run"]]["reports"].append((at, event["step"]))
        elif kind == "run_ended":
            runs[event["run"]]["to"] = at
    return list(runs.values())


def share_of(run, other):
    """Frames per second next to the other run, relative to alone; medians of whole phases."""
    alone, together = [], []
    for (begin, first), (end, last) in zip(run["reports"], run["reports"][1:]):
        rate = (last - first) / (end - begin)
        if end <= other["from"] or begin >= other["to"]:
            alone.append(rate)
        elif begin >= other["from"] and end <= other["to"]:
            together.append(rate)
    return statistics.median(together) / statistics.median(alone)


def train_pairs(one, options):
    for pair in range(options.pairs):
        started = len(runs_of(one))
        one.submit_run(f"first-{pair}", options.frames)
        while len(runs_of(one)) == started or len(runs_of(one)[started]["reports"]) < ALONE:
            time.sleep(0.2)
        one.submit_run(f"second-{pair}", options.frames)
        one.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=os.environ.get("HONE_BIN", "build/bin"))
    parser.add_argument("--core", type=int, default=0)
    parser.add_argument("--pairs", type=int, default=8)
    parser.add_argument("--learn", type=int, default=2, help="pairs that do not count")
    parser.add_argument("--frames", type=int, default=100_000, help="of a phase")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        one = Pinned(options, folder)
        try:
            train_pairs(one, options)
            runs = runs_of(one)
        finally:
            one.close()
    errors = []
    print("pair | forecast of the speed next to the other | by measurements | measured | error")
    for pair in range(options.pairs):
        first, second = runs[2 * pair], runs[2 * pair + 1]
        measured = (share_of(first, second) + share_of(second, first)) / 2
        forecast = second["forecast"]
        if forecast is None:
            print(f"{pair + 1:4} | none yet | 0 | {measured:.3f} |")
            continue
        error = forecast["speed"] / measured - 1
        counts = pair >= options.learn
        if counts:
            errors.append(abs(error))
        print(f"{pair + 1:4} | {forecast['speed']:.3f} | {forecast['measured']} | {measured:.3f} | "
              f"{100 * error:+.1f} %{'' if counts else ' (learning)'}")
    if not errors:
        return
    print(f"{len(errors)} held-out pairs: mean error {100 * statistics.mean(errors):.1f} %, "
          f"largest {100 * max(errors):.1f} %; within 10 %: {sum(e <= 0.1 for e in errors)}")


if __name__ == "__main__":
    main()
