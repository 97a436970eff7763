"""A program that hone tunes without an SDK: it prints `@hone {...}` lines and ends on SIGTERM.

HONE_RUN_FILE names a JSON file with the parameters, seed and budget of the run; the arguments also
hold the
parameters.
"""

import argparse
import json
import os
import random

arguments = argparse.ArgumentParser()
arguments.add_argument("--x", type=float, required=True)
arguments.add_argument("--y", choices=["plain", "fancy"], required=True)
options = arguments.parse_args()

with open(os.environ["HONE_RUN_FILE"], encoding="utf-8") as file:
    run = json.load(file)
noise = random.Random(run["seed"])
phases, per_run = run["budget"]["phases"], run["budget"]["per_run"]

for phase in range(run["next_phase"], phases):
    step = per_run * (phase + 1) // phases
    skill = -(options.x - 0.7) ** 2 + (0.5 if options.y == "fancy" else 0.0)
    score = skill * (phase + 1) / phases + 0.05 * noise.gauss(0, 1)
    print("@hone " + json.dumps({"report": {"step": step, "value": score}}), flush=True)
