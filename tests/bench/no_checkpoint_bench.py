#!/usr/bin/env python3
"""What a program without checkpoints costs under the default rule, and what it finds.

Usage: no_checkpoint_bench.py [--bin DIR] [--reps N] [--trials N] [--slots N]

A real server and worker; the program reads its parameters with argparse, prints a line for each
epoch and saves nothing. Each repetition trains the same trials under `hone` and under `hypertrick`.
Prints the phases that the program trained by its own count against those that hone shows, and the
value that the chosen set is really worth: the mean over repetitions, and the paired difference with
its standard error.
"""
import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import tempfile
import time
import urllib.request

PROGRAM = """
import argparse, math, os, random, time
p = argparse.ArgumentParser()
for name in ("lr", "decay"): p.add_argument("--" + name, type=float)
p.add_argument("--seed", type=int)
a = p.parse_args()
noise = random.Random(a.seed)
worth = 200 * math.exp(-math.log10(a.lr / 0.003) ** 2 - (a.decay - 0.3) ** 2)
with open(os.environ["COUNT"], "a") as count:
    for epoch in range(1, 11):
        time.sleep(0.1)  # an epoch of training
        value = worth * (1 - math.exp(-epoch / 3)) + noise.gauss(0, 5)
        print("epoch", epoch, "score", value, flush=True)
        count.write("x")
        count.flush()
"""


def worth(params):
    return 200 * math.exp(-math.log10(params["lr"] / 0.003) ** 2 - (params["decay"] - 0.3) ** 2)


class Installation:
    def __init__(self, options, folder):
        self.count = folder / "count"
        self.program = folder / "program.py"
        self.program.write_text(PROGRAM)
        environment = {**os.environ, "COUNT": str(self.count)}
        common = ["--die-with-parent", "--data"]
        self.processes = [subprocess.Popen(
            [options.bin / "hone-server", *common, folder / "data", "--listen", "127.0.0.1:0"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)]
        ready = self.processes[0].stdout.readline().decode()
        self.url = "http://" + ready.rsplit("http://", 1)[1].strip()
        self.processes.append(subprocess.Popen(
            [options.bin / "hone-worker", *common, folder / "worker", "--server", self.url,
             "--slots", str(options.slots)], env=environment,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL))

    def call(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(self.url + path, data)) as answer:
            return json.loads(answer.read())

    def sweep(self, rule, trials, seed):
        """Trains a sweep; returns what its program trained, what hone shows, and its winner's
        worth."""
        self.count.write_text("")
        spec = {"name": rule, "seed": seed, "objective": {"metric": "score", "goal": "maximize"},
                "command": {"run": ["python3", str(self.program), "--seed", "${hone.seed}"],
                            "params": "flags",
                            "collect": {"stdout": True, "format": "regex",
                                        "pattern": "epoch .* score (?<score>[-+.e0-9]+)"}},
                "parameters": {"lr": {"type": "float", "min": 1e-5, "max": 1, "scale": "log"},
                               "decay": {"type": "float", "min": 0, "max": 1}},
                "search": {"method": "random", "trials": trials},
                "terminator": {"rule": rule},
                "budget": {"unit": "epochs", "per_run": 10, "phases": 10}}
        made = self.call("/v1/sweeps", {"request_id": f"{rule}{seed}", "spec": spec})["sweep"]
        while self.call(f"/v1/sweeps/{made}")["state"] == "running":
            time.sleep(0.05)
        shown = self.call(f"/v1/sweeps/{made}")["phases"]
        best = self.call(f"/v1/sweeps/{made}/best?limit=1")["items"][0]
        return len(self.count.read_text()), shown["done"] + shown["repeated"], worth(best["params"])

    def close(self):
        for process in reversed(self.processes):
            process.terminate()
            process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/release/bin"))
    parser.add_argument("--reps", type=int, default=20)
    parser.add_argument("--trials", type=int, default=30)
    parser.add_argument("--slots", type=int, default=2)
    options = parser.parse_args()
    found = {"hone": [], "hypertrick": []}
    phases = {rule: [0, 0] for rule in found}
    with tempfile.TemporaryDirectory() as folder:
        installation = Installation(options, pathlib.Path(folder))
        for seed in range(1, options.reps + 1):
            for rule in found:
                trained, shown, value = installation.sweep(rule, options.trials, seed)
                phases[rule][0] += trained
                phases[rule][1] += shown
                found[rule].append(value)
        installation.close()
    for rule, values in found.items():
        trained, shown = phases[rule]
        print(f"{rule:10}  trained {trained} phases, shown {shown} ({trained / shown:.3f}); "
              f"winner worth {statistics.mean(values):.1f}")
    gaps = [a - b for a, b in zip(found["hone"], found["hypertrick"])]
    error = statistics.stdev(gaps) / math.sqrt(len(gaps)) if len(gaps) > 1 else 0
    print(f"hone - hypertrick: {statistics.mean(gaps):+.2f} +- {error:.2f} in {len(gaps)} pairs")


if __name__ == "__main__":
    main()
