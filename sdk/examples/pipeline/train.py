"""The second step of pipeline.yaml: fits a line by gradient descent and reports its error four times."""
import argparse
import json
import os

options = argparse.ArgumentParser()
options.add_argument("--in", dest="data", required=True)
options.add_argument("--out", required=True)
options.add_argument("--rate", type=float, required=True)
options = options.parse_args()

with open(os.path.join(options.data, "train.csv"), encoding="utf-8") as file:
    points = [tuple(map(float, line.split(","))) for line in file]
slope = offset = 0.0
for epoch in range(1, 41):
    errors = [slope * x + offset - y for x, y in points]
    slope -= options.rate * sum(e * x for e, (x, _) in zip(errors, points)) / len(points)
    offset -= options.rate * sum(errors) / len(points)
    if epoch % 10 == 0:
        report = {"step": epoch, "value": sum(e * e for e in errors) / len(points)}
        print("@hone", json.dumps({"report": report}), flush=True)
with open(os.path.join(options.out, "model.json"), "w", encoding="utf-8") as file:
    json.dump({"slope": slope, "offset": offset}, file)
