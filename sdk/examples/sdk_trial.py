"""A program that hone tunes by its SDK: gradient descent on a bent valley, with checkpoints to continue from.

It also runs alone:  PYTHONPATH=sdk/python python3 sdk/examples/sdk_trial.py
"""
import json
import os

import hone

run = hone.current(params={"learning_rate": 0.05, "momentum": 0.9}, per_run=400, phases=4)
rate, momentum = run.params["learning_rate"], run.params["momentum"]

state = {"x": -1.5, "y": 1.0, "vx": 0.0, "vy": 0.0}
if run.resume is not None:
    with open(run.resume.path, encoding="utf-8") as file:
        state = json.load(file)

for phase in run.phases():
    for _ in range(phase.start, phase.end):
        slope_x = 0.2 * (state["x"] - 1) - 2 * state["x"] * (state["y"] - state["x"] ** 2)
        slope_y = state["y"] - state["x"] ** 2
        for axis, slope in (("x", slope_x), ("y", slope_y)):
            step = 0.1 * rate * max(-10.0, min(10.0, slope))
            state["v" + axis] = momentum * state["v" + axis] - step
            state[axis] += state["v" + axis]
    loss = 0.1 * (state["x"] - 1) ** 2 + 0.5 * (state["y"] - state["x"] ** 2) ** 2
    run.metric("loss", loss, step=phase.end)

    path = os.path.join(run.checkpoint_dir, "state.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(state, file)
    run.checkpoint(path, phase)
    with open(os.path.join(run.folder, "report.txt"), "w", encoding="utf-8") as file:
        file.write(f"after {phase.end} steps: loss {loss}\n")
    run.report(phase, -loss)  # a verdict to stop ends the program here
