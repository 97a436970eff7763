"""A picker: a program that proposes the parameter sets of a sweep of `search: {method: external}`.

`hone picker SWEEP` starts it and exchanges JSON lines with it. Each line on stdin asks for one parameter set and tells
what is new: {"trials": [{"number", "params", "state", "value", "phase"}, ...]}; the first one says also "sweep", "seed",
"objective" (or "objectives") and "parameters", as in the sweep file. The answer is one line on stdout:
{"params": {...}}. Parameters that are left out are drawn by hone. Print to stderr what people shall see.

This one climbs a hill: it draws at random at first, then changes the best trial so far a little.
"""

import json
import random
import sys


def draw(dice, domain):
    if domain["type"] == "float":
        return dice.uniform(domain["min"], domain["max"])
    if domain["type"] == "int":
        return dice.randint(domain["min"], domain["max"])
    return dice.choice(domain.get("values", [False, True]))


def change(dice, domain, value):
    if domain["type"] != "float" or dice.random() < 0.2:
        return draw(dice, domain)
    width = (domain["max"] - domain["min"]) / 10
    return min(domain["max"], max(domain["min"], value + dice.gauss(0, width)))


def main():
    trials, domains, dice, sign = {}, {}, random.Random(), 1
    for line in sys.stdin:
        told = json.loads(line)
        if "parameters" in told:
            domains = told["parameters"]
            dice = random.Random(told["seed"])
            sign = 1 if told["objective"]["goal"] == "maximize" else -1
        trials.update((trial["number"], trial) for trial in told["trials"])
        known = [trial for trial in trials.values() if isinstance(trial["value"], (int, float))]
        if len(known) < 5:
            params = {name: draw(dice, domain) for name, domain in domains.items()}
        else:
            best = max(known, key=lambda trial: sign * trial["value"])
            params = {name: change(dice, domain, best["params"][name]) for name, domain in domains.items()}
        print(json.dumps({"params": params}), flush=True)


main()
