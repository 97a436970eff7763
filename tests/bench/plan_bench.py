#!/usr/bin/env python3
"""What `hone plan` expects, and what the sweeps of the rule `hone` then train.

plan_bench.py [--bin build/release/bin] [--seeds 6]

Small trainings of several trainers, each with so many seeds: phases planned, phases trained, and
the one as a multiple of the mean of the other.
"""
import argparse
import json
import pathlib
import statistics
import subprocess

from metaoptimization import ROOT, Installation

# Trainer, environment, frames of a complete run, phases, trials, share of forks.
SWEEPS = [
    ("a2c", "CartPole-v1", 40_000, 10, 32, 0),
    ("a2c", "CartPole-v1", 40_000, 10, 64, 0),
    ("ga3c", "CartPole-v1", 40_000, 20, 24, 0),
    ("ppo", "Acrobot-v1", 60_000, 10, 24, 0),
    ("a2c", "LunarLander-v3", 60_000, 10, 32, 0),
    ("dqn", "CartPole-v1", 20_000, 5, 24, 0),
    ("a2c", "MinAtar-breakout", 60_000, 30, 16, 0),
    ("a2c", "CartPole-v1", 40_000, 10, 32, 0.5),
    ("a2c", "CartPole-v1", 40_000, 10, 32, 1),
    ("ppo", "Acrobot-v1", 60_000, 10, 24, 0.5),
    ("a2c", "LunarLander-v3", 60_000, 10, 32, 0.5),
]
SPACE = {
    "learning_rate": {"type": "float", "min": 1e-4, "max": 1e-1, "scale": "log"},
    "gamma": {"type": "choice", "values": [0.9, 0.99, 0.999]},
}


def sweep_of(row: tuple, seed: int) -> dict:
    trainer, env, frames, phases, trials, forks = row
    of_forks = {"terminator": {"rule": "hone", "version": 2, "forks": forks},
                "checkpoints": {"keep": "all"}} if forks else {}
    return {**of_forks, "objective": {"metric": "return", "goal": "maximize"}, "seed": seed,
            "trainer": {"name": trainer, "env": env}, "parameters": SPACE,
            "search": {"trials": trials}, "resources": {"cpus": 1},
            "budget": {"unit": "frames", "per_run": frames, "phases": phases}}


def planned(here: Installation, spec: dict) -> int:
    file = pathlib.Path(here.folder.name) / "sweep.json"
    file.write_text(json.dumps(spec))
    done = subprocess.run([*here.hone, "plan", str(file), "--format", "json"],
                          stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)["plan"]["phases_expected"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--scratch", help="where server and worker keep their files meanwhile")
    parser.add_argument("--slots", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=6)
    options = parser.parse_args()
    print("| trainer | environment | trials | phases | forks | planned | trained | ratio |")
    print("|---|---|---:|---:|---:|---:|---|---:|")
    for row in SWEEPS:
        # A new server for each: an earlier sweep of the same training would be the plan.
        here = Installation(options)
        try:
            plan = planned(here, sweep_of(row, 1))
            trained = [len(here.run(sweep_of(row, seed))[1])
                       for seed in range(1, options.seeds + 1)]
        finally:
            here.close()
        trainer, env, _, phases, trials, forks = row
        print(f"| `{trainer}` | `{env}` | {trials} | {phases} | {forks} | {plan} |"
              f" {', '.join(map(str, trained))} | {plan / statistics.fmean(trained):.2f} |",
              flush=True)


if __name__ == "__main__":
    main()
