"""The first step of pipeline.yaml: makes a training and a test set of points near a line."""
import argparse
import os
import random

options = argparse.ArgumentParser()
options.add_argument("--out", required=True)
options.add_argument("--noise", type=float, required=True)
options = options.parse_args()

source = random.Random(1)
for name, count in (("train.csv", 200), ("test.csv", 50)):
    with open(os.path.join(options.out, name), "w", encoding="utf-8") as file:
        for _ in range(count):
            x = source.uniform(-1, 1)
            file.write(f"{x},{3 * x - 1 + source.gauss(0, options.noise)}\n")
