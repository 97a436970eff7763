"""A trainer like the published GA3C, without any hone code: settings are KEY=value arguments, and an unknown one is an
error; each episode adds a line to results.txt (time, score, length); checkpoints go to a folder.
The learner is a
placeholder: its score grows with the episodes, faster for good settings."""
import datetime
import math
import os
import random
import sys

SETTINGS = {"LEARNING_RATE": 0.0003, "DISCOUNT": 0.99, "EPISODES": 1000, "SEED": 0,
            "RESULTS_FILENAME": "results.txt"}
for word in sys.argv[1:]:
    key, value = word.split("=", 1)
    SETTINGS[key] = type(SETTINGS[key])(value)

generator = random.Random(SETTINGS["SEED"])
fitness = math.exp(-math.log10(SETTINGS["LEARNING_RATE"] / 0.01) ** 2) * (
    0.5 + 0.5 * (SETTINGS["DISCOUNT"] == 0.99))
os.makedirs("checkpoints", exist_ok=True)
with open(SETTINGS["RESULTS_FILENAME"], "a", encoding="utf-8") as results:
    for episode in range(SETTINGS["EPISODES"]):
        skill = fitness * (1 - math.exp(-episode / 60))
        score = round(-20 + 40 * skill + generator.gauss(0, 2))
        length = generator.randint(20, 60)
        now = datetime.datetime.now().strftime("%Y-%m-%d %H:%M:%S")
        results.write(f"{now}, {score}, {length}\n")
        results.flush()
        if episode % 100 == 99:
            with open(f"checkpoints/network_{episode + 1:08d}", "w",
                      encoding="utf-8") as checkpoint:
                checkpoint.write(f"{skill}\n")
