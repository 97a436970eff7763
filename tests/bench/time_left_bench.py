#!/usr/bin/env python3
"""How well hone tells the end of real sweeps: its trainers on a real worker.

Usage: time_left_bench.py [--bin DIR] [--reps N] [--trials N] [--slots N] [--frames N] [--at P]
                          [RULE ...]

Each repetition trains GA3C on CartPole-v1 under each rule. The time left that the server tells is
read every tenth of a second; once a sweep has ended, the answer at P % of its time is compared with
the truth. Prints a line for each sweep, the medians of the errors and how often the interval held
the truth.
"""
import argparse
import json
import os
import pathlib
import statistics
import tempfile
import time

from slots_bench import Installation


def spec_of(rule, seed, options):
    return {"name": f"{rule}-{seed}", "seed": seed,
            "objective": {"metric": "return", "goal": "maximize"},
            "trainer": {"name": "ga3c", "env": "CartPole-v1"},
            "parameters": {
                "learning_rate": {"type": "float", "min": 1e-5, "max": 1e-2, "scale": "log"},
                "t_max": {"type": "int", "min": 2, "max": 100, "scale": "log"},
                "gamma": {"type": "choice", "values": [0.9, 0.95, 0.99, 0.995, 0.999]}},
            "search": {"method": "random", "trials": options.trials},
            "terminator": {"rule": rule},
            "budget": {"unit": "frames", "per_run": options.frames, "phases": 10}}


def looks(one, spec):
    """(seconds since the submission, time left as told) until the end, and the whole time."""
    begin = time.monotonic()
    made = one.call("/v1/sweeps", {"request_id": spec["name"], "spec": spec})
    sweep, told = json.loads(made)["sweep"], []
    while True:
        now = time.monotonic() - begin
        shown = json.loads(one.call(f"/v1/sweeps/{sweep}"))
        if shown["state"] != "running":
            assert shown["state"] == "completed", shown
            return told, now
        if shown["eta"]:
            told.append((now, shown["eta"]))
        time.sleep(0.1)


def compare(told, whole, percent):
    """Errors of the first answer after `percent` of the whole time, of that and of what was left;
    and whether the interval, whose ends are whole seconds, held what was left."""
    at, eta = next(look for look in told if look[0] >= percent / 100 * whole)
    left = whole - at
    off = abs(eta["seconds"] - left)
    return off / whole, off / left, eta["low"] - 0.5 <= left <= eta["high"] + 0.5


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rules", nargs="*", metavar="RULE",
                        default=["hone", "hypertrick", "asha", "none"])
    parser.add_argument("--bin", type=pathlib.Path, default=os.environ.get("HONE_BIN", "build/bin"))
    parser.add_argument("--reps", type=int, default=5)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--slots", type=int, default=2)
    parser.add_argument("--frames", type=int, default=200_000)
    parser.add_argument("--at", type=float, default=30)
    options = parser.parse_args()
    found = []
    with tempfile.TemporaryDirectory() as folder:
        one = Installation(options, folder, options.slots, gpus=0)
        for seed in range(1, options.reps + 1):
            for rule in options.rules:
                told, whole = looks(one, spec_of(rule, seed, options))
                found.append(compare(told, whole, options.at))
                of_end, of_left, inside = found[-1]
                print(f"{rule:12} seed {seed}: {whole:5.1f} s, end off by {100 * of_end:3.0f} %, "
                      f"time left by {100 * of_left:3.0f} %, {'in' if inside else 'out'}side",
                      flush=True)
        one.close()
    print(f"at {options.at:g} % of {len(found)} sweeps: median error of the end "
          f"{100 * statistics.median(f[0] for f in found):.0f} %, of the time left "
          f"{100 * statistics.median(f[1] for f in found):.0f} %; inside the interval "
          f"{100 * statistics.mean(f[2] for f in found):.0f} %")


if __name__ == "__main__":
    main()
