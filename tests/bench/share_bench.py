#!/usr/bin/env python3
"""How exactly sweeps that share real workers get their shares of the slots.

Usage: share_bench.py [--bin DIR] [--minutes M]

A real server and worker of 8 slots for each case, all cases at once. Runs sleep for seconds that
differ from sweep to sweep. Prints the slot-seconds that each sweep got while all waited for
slots, as a share of what its weight promises: 1.00 is exact.
"""
import argparse
import os
import pathlib
import tempfile
import time

from slots_bench import Installation

CASES = {  # of each sweep: its share, the slots and the seconds of a run
    "equal shares, runs of 1 s and 7 s": [(1, 1, 1.0), (1, 1, 7.0)],
    "3 : 1": [(3, 1, 2.0), (1, 1, 2.0)],
    "3 : 1, the small share with runs of 4 slots": [(3, 1, 3.0), (1, 4, 3.0)],
    "5 : 3 : 1, runs of 1, 2 and 1 slots": [(5, 1, 2.0), (3, 2, 5.0), (1, 1, 3.0)],
    "1 : 1, the second submitted after a third of the time": [(1, 1, 2.0), (1, 1, 2.0)],
}
LATE = "1 : 1, the second submitted after a third of the time"
SLOTS = 8
TRIALS = 100_000  # more than fit


def slot_seconds(leases, sweeps, begin, end):
    """Of each sweep between two times, from its leases."""
    used = dict.fromkeys(sweeps, 0.0)
    for run, granted, ended in leases:
        inside = min(ended or end, end) - max(granted, begin)
        used[run] += max(0.0, inside)
    return used


def measure(one, name):
    sweeps = [f"sw_{i + 1}" for i in range(len(CASES[name]))]
    sweep_of, granted, leases, submitted = {}, {}, [], []
    for event in one.events():
        kind, at = event["kind"], event["seconds"]
        if kind == "sweep_submitted":
            submitted.append(at)
        elif kind == "trial_proposed":
            sweep_of[event["trial"].removeprefix("tr_")] = event["sweep"]
        elif kind == "lease_granted":
            granted[event["attempt"].split("#")[0]] = at
        elif kind in ("run_ended", "run_returned"):
            run = event["run"]
            leases.append((run, granted.pop(run), at))
        last = at
    leases += [(run, at, None) for run, at in granted.items()]
    named = [(sweep_of[run.removeprefix("rn_").split(".")[0]], at, end) for run, at, end in leases]
    # The first seconds fill a free worker; they say nothing of turns.
    used = slot_seconds(named, sweeps, max(submitted) + 10, last)
    slots = {sweep: case[1] for sweep, case in zip(sweeps, CASES[name])}
    used = {sweep: seconds * slots[sweep] for sweep, seconds in used.items()}
    shares = sum(case[0] for case in CASES[name])
    parts = [used[sweep] / sum(used.values()) / (case[0] / shares)
             for sweep, case in zip(sweeps, CASES[name])]
    worst = max(abs(part - 1) for part in parts)
    print(f"{name}: " + ", ".join(f"{part:.3f}" for part in parts) +
          f"; at most {100 * worst:.1f} % off, {sum(used.values()):.0f} slot-seconds")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=os.environ.get("HONE_BIN", "build/bin"))
    parser.add_argument("--minutes", type=float, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        places = {}
        for i, name in enumerate(CASES):
            os.mkdir(f"{folder}/{i}")
            places[name] = Installation(options, f"{folder}/{i}", slots=SLOTS, gpus=0)
        for third in range(3):
            for name, one in places.items():
                for i, (share, slots, seconds) in enumerate(CASES[name]):
                    if third == (1 if name == LATE and i == 1 else 0):
                        one.submit(f"sweep-{i}", {"cpus": slots}, TRIALS, seconds, share=share)
            time.sleep(options.minutes * 20)  # the time that is measured
        for name, one in places.items():
            measure(one, name)
            one.close()


if __name__ == "__main__":
    main()
