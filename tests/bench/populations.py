#!/usr/bin/env python3
"""Populations against search without forks: real training of A2C at equal frames.

populations.py --keep FOLDER [--bin build/release/bin] [--envs Acrobot-v1 ...]

Every repetition of a method may train as many phases as `--members` complete runs have: its sweep
is killed after the report that completes them. Of the set or schedule that `hone best` then names,
  played      is the mean of 100 episodes of its model, with the most probable actions;
  retrained   is the last report of trainings from nothing on `--fresh` new seeds (`hone confirm`),
              which of a schedule repeat its changes of parameters.
A table shows the means over the repetitions with their standard errors.

The first members and the parameters of the others are drawn from one space, of which all but the
width of the network may change in a fork. FOLDER keeps every result (MEMBERSxFRAMES/results.json),
so that a stopped program continues.
"""
import argparse
import itertools
import json
import pathlib
import statistics
import subprocess

from metaoptimization import ROOT, Installation, Kept, timed

PHASES = 10
EPISODES = 100
PLENTY = 400  # trials of a method that starts new ones as long as there is work left
SPACE = {
    "learning_rate": {"type": "float", "min": 1e-4, "max": 3e-2, "scale": "log"},
    "learning_rate_end": {"expr": "learning_rate"},  # no schedule but that of a population
    "entropy": {"type": "float", "min": 1e-4, "max": 3e-2, "scale": "log"},
    "entropy_end": {"expr": "entropy"},
    "gamma": {"type": "choice", "values": [0.98, 0.99, 0.995, 0.999]},
    "t_max": {"type": "int", "min": 4, "max": 64, "scale": "log"},
    "hidden": {"type": "choice", "values": [64, 128]},
}
METHODS = ["pbt", "pb2", "hone_forks", "hone", "asha", "random"]


def search_of(method: str, members: int) -> dict:
    """The method as a sweep file names it."""
    if method in ("pbt", "pb2"):
        return {"search": {"method": method, "population": members}}
    own = {"rule": "hone", "version": 2}
    rule = {"random": {"rule": "none"}, "hone": own, "hone_forks": {**own, "forks": 0.5}}
    return {"search": {"method": "hone" if method.startswith("hone") else "random",
                       "trials": members if method == "random" else PLENTY},
            "terminator": rule.get(method, {"rule": method}),
            "checkpoints": {"keep": "all" if method == "hone_forks" else "best"}}


def sweep_of(options, env: str, method: str, rep: int) -> dict:
    return {"name": f"{env}-{method}", "seed": options.seed + rep,
            "objective": {"metric": "return", "goal": "maximize"},
            "trainer": {"name": "a2c", "env": env}, "parameters": SPACE,
            "budget": {"unit": "frames", "per_run": options.frames, "phases": PHASES},
            "resources": {"cpus": 1}, **search_of(method, options.members)}


def played(options, here: Installation, model: str) -> float:
    """The mean return of the model's best actions."""
    file = pathlib.Path(here.folder.name) / "model"
    subprocess.run([*here.hone, "fetch", model, "--force", "-q", "-o", str(file)],
                   check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run([str(options.bin / "hone-train"), "a2c", "--evaluate", str(file),
                           "--episodes", str(EPISODES), "--seed", "1", "--format", "json"],
                          stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)["mean"]


def retrained(options, here: Installation, sweep: str) -> float:
    """The mean last report of the named set or schedule on fresh seeds."""
    subprocess.run([*here.hone, "confirm", sweep, "--start", "--top", "1", "--seeds",
                    str(options.fresh), "--yes", "--watch", "-q"],
                   check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run([*here.hone, "confirm", sweep, "--format", "json"],
                          stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)["items"][0]["mean"]


def search(options, kept: Kept, here: Installation, env: str, method: str, rep: int):
    """One sweep of a method, killed when its work is done, and what its winner is worth."""
    sweep, reports = here.run(sweep_of(options, env, method, rep), options.members * PHASES)
    named = here.client.best(sweep, limit=1)[0]
    kept.add(f"{env}/{method}/{rep}", {
        "phases": len(reports), "value": named["value"],
        "played": played(options, here, named["model"]),
        "retrained": retrained(options, here, sweep)})


def mean_text(values: list[float]) -> str:
    error = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else float("nan")
    return f"{statistics.fmean(values):.1f} ± {error:.1f}"


def print_table(options, kept: Kept):
    print(f"{options.members} x {options.frames} frames a sweep, {options.reps} repetitions\n")
    print("| environment | method | sweeps | phases trained | in the sweep | played | retrained |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for env, method in itertools.product(options.envs, METHODS):
        found = kept.live(env, method)
        if not found:
            continue
        cells = (mean_text([one[name] for one in found])
                 for name in ("value", "played", "retrained"))
        phases = statistics.fmean(one["phases"] for one in found)
        print(f"| `{env}` | `{method}` | {len(found)} | {phases:.0f} | {' | '.join(cells)} |")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=pathlib.Path, required=True, help="folder of the results")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--scratch", help="where server and worker keep their files meanwhile")
    parser.add_argument("--envs", nargs="+", default=["Acrobot-v1"])
    parser.add_argument("--frames", type=int, default=1_000_000, help="of a complete run")
    parser.add_argument("--members", type=int, default=32)
    parser.add_argument("--reps", type=int, default=5)
    parser.add_argument("--fresh", type=int, default=5, help="seeds of a retraining")
    parser.add_argument("--slots", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main():
    options = arguments()
    kept = Kept(options.keep / f"{options.members}x{options.frames}")
    here = Installation(options)
    try:
        for rep, env, method in itertools.product(range(options.reps), options.envs, METHODS):
            if f"{env}/{method}/{rep}" not in kept:
                timed(f"{env} {method} {rep}", search, options, kept, here, env, method, rep)
    finally:
        here.close()
    print_table(options, kept)


if __name__ == "__main__":
    main()
