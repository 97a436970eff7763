"""One training of a placement agent as the benches of this folder run it: uniform start, no polish."""
import json
import subprocess
import sys


def step_ms(bin_folder, graph, devices, agent, seed, settings):
    """The step time that the training found; ends the program with hone-train's message where it
    failed."""
    words = [bin_folder / "hone-train", "placement", "--graph", graph, "--devices", devices,
             "--seed", seed, "--agent", agent,
             "--format", "json", "--set", "start=uniform", "--set", "polish=0"]
    for setting in settings:
        words += ["--set", setting]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)["step_ms"]
