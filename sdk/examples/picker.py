"""A picker: a program that proposes the parameter sets of a sweep of `search: {method: external}`.

`hone ask --program SWEEP` starts it and exchanges JSON lines with it. Each line on stdin requests
one parameter set and lists the trials that changed:
{"trials": [{"number", "params", "state", "value", "phase"}, ...]}. The first line also holds
"sweep", "seed", "objective" (or "objectives") and "parameters", as in the sweep file. The reply is one line on stdout:
{"params": {...}}; hone draws the parameters left out. Print messages for people to stderr.

This one climbs a hill: it first draws at random, then changes the best trial so far a little.
"""

import json
import random
import sys


def draw(generator, domain):
    if domain["type"] == "float":
        return generator.uniform(domain["min"], domain["max"])
    if domain["type"] == "int":
        return generator.randint(domain["min"], domain["max"])
    return generator.choice(domain.get("values", [False, True]))


def change(generator, domain, value):
    if domain["type"] != "float" or generator.random() < 0.2:
        return draw(generator, domain)
    width = (domain["max"] - domain["min"]) / 10
    return min(domain["max"], max(domain["min"], value + generator.gauss(0, width)))


def main():
    trials, domains, generator, sign = {}, {}, random.Random(), 1
    for line in sys.stdin:
        request = json.loads(line)
        if "parameters" in request:
            domains = request["parameters"]
            generator = random.Random(request["seed"])
            sign = 1 if request["objective"]["goal"] == "maximize" else -1
        trials.update((trial["number"], trial) for trial in request["trials"])
        known = [trial for trial in trials.values() if isinstance(trial["value"], (int, float))]
        if len(known) < 5:
            params = {name: draw(generator, domain) for name, domain in domains.items()}
        else:
            best = max(known, key=lambda trial: sign * trial["value"])
            params = {name: change(generator, domain, best["params"][name])
                      for name, domain in domains.items()}
        print(json.dumps({"params": params}), flush=True)


main()
