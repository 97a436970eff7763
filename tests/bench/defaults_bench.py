#!/usr/bin/env python3
"""What every trainer reaches with its defaults and presets in every built-in environment.

Usage: tests/bench/defaults_bench.py [--bin DIR] [--seeds 21 22 23] [--only TRAINER ...]
       [--env ENVIRONMENT ...] [--share 1] [--journal FILE] [--markdown]

Each cell trains the frames of BUDGETS, times --share, on each seed and then plays 100 episodes by
the most probable actions and 100 by drawn ones. A line of the journal is one seed of a cell: a
second call with the same journal skips what is there, and prints the whole table again. Progress
and the time left are on stderr. A remark names the cells whose mean of the most probable actions is
below the bar, and those that are no better than random play: a policy that did not learn.

The bars are the reward thresholds that Gymnasium registers; Acrobot-v1 and Pendulum-v1 have -100
and -200, which are usual. MinAtar has none: its bar is twice random play.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
GRADIENT = ("ga3c", "a3c", "a2c", "ppo", "impala")
VALUE = ("dqn", "apex", "gorila")
EPISODIC = ("cem", "reinforce")  # they count episodes
MINATAR = ("asterix", "breakout", "freeway", "seaquest", "space_invaders")
DISCRETE, CONTINUOUS = (*GRADIENT, *VALUE, *EPISODIC), (*GRADIENT, "sac")

# environment: trainers, bar
ENVIRONMENTS = {
    "CartPole-v1": (DISCRETE, 475),
    "Acrobot-v1": (DISCRETE, -100),
    "MountainCar-v0": (DISCRETE, -110),
    "LunarLander-v3": (DISCRETE, 200),
    "Pendulum-v1": (CONTINUOUS, -200),
    "MountainCarContinuous-v0": (CONTINUOUS, 90),
    "LunarLanderContinuous-v3": (CONTINUOUS, 200),
    **{f"MinAtar-{game}": ((*GRADIENT, *VALUE), None) for game in MINATAR},
}
# trainers, environments: frames (of EPISODIC: episodes). The first line that holds both counts.
BUDGETS = [
    (EPISODIC, ("CartPole-v1",), 1600),
    (EPISODIC, (), 1000),
    (VALUE, ("CartPole-v1",), 50_000),
    (VALUE, ("Acrobot-v1", "MountainCar-v0"), 120_000),
    (VALUE, (), 300_000),
    (("sac",), ("Pendulum-v1",), 20_000),
    (("sac",), ("MountainCarContinuous-v0",), 30_000),
    (("sac",), (), 200_000),
    (("ppo",), ("CartPole-v1",), 100_000),
    (GRADIENT, ("CartPole-v1", "Acrobot-v1", "Pendulum-v1", "MountainCarContinuous-v0"), 300_000),
    (GRADIENT, ("MountainCar-v0",), 500_000),
    (GRADIENT, (), 1_000_000),
]


def budget_of(trainer, env, share):
    for trainers, environments, count in BUDGETS:
        if trainer in trainers and (not environments or env in environments):
            return max(1, round(count * share))
    raise AssertionError(f"{trainer} has no budget")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "bin")
    parser.add_argument("--seeds", type=int, nargs="+", default=[21, 22, 23])
    parser.add_argument("--only", nargs="+", default=[*DISCRETE, "sac"], metavar="TRAINER")
    parser.add_argument("--env", nargs="+", default=[*ENVIRONMENTS], metavar="ENVIRONMENT")
    parser.add_argument("--share", type=float, default=1)
    parser.add_argument("--journal", type=pathlib.Path)
    parser.add_argument("--markdown", action="store_true", help="print the table for docs")
    options = parser.parse_args()
    for env in options.env:
        if env not in ENVIRONMENTS:
            parser.error(f"no environment {env!r}: {' '.join(ENVIRONMENTS)}")
    return options


def answer(words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr else "no message")
    return json.loads(done.stdout)


class Cell:
    def __init__(self, trainer, env, share):
        self.trainer, self.env, self.budget = trainer, env, budget_of(trainer, env, share)

    def train(self, options, seed, model):
        unit = "--episodes" if self.trainer in EPISODIC else "--frames"
        return answer([options.bin / "hone-train", self.trainer, "--env", self.env, unit,
                       self.budget, "--seed", seed, "--out", model, "--format", "json"])

    def play(self, options, seed, model, *flags):
        plays = "--plays" if self.trainer in EPISODIC else "--episodes"
        return answer([options.bin / "hone-train", self.trainer, "--evaluate", model, plays, 100,
                       "--seed", seed, "--format", "json", *flags])["mean"]

    def key(self, seed):
        return [self.trainer, self.env, self.budget, seed]

    def measure(self, options, seed):
        row = {"cell": self.key(seed)}
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder) / "model"
            try:
                run = self.train(options, seed, model)
                row.update(cpu_s=run["cpu_s"], preset=run.get("preset"), training=run["return"],
                           best=self.play(options, seed, model),
                           drawn=self.play(options, seed, model, "--sample"))
            except RuntimeError as error:
                row["failed"] = str(error)
        return row


def random_play(options, env):
    """The mean of 100 episodes drawn from a policy of one frame at a step size of 0."""
    trainer = "ppo"
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "model"
        train = [options.bin / "hone-train", trainer]
        answer([*train, "--env", env, "--frames", 1, "--set", "learning_rate=0", "--out", model,
                "--format", "json"])
        return answer([*train, "--evaluate", model, "--episodes", 100, "--sample", "--format",
                       "json"])["mean"]


def recorded(journal):
    if journal is None or not journal.exists():
        return {}
    rows = [json.loads(line) for line in journal.read_text().splitlines()]
    return {tuple(row["cell"]): row for row in rows}


def measure_all(options, cells):
    """The rows of all cells; those of the journal are not measured again."""
    rows = recorded(options.journal)
    left = [(cell, seed) for cell in cells for seed in options.seeds
            if tuple(cell.key(seed)) not in rows]
    begun = time.monotonic()
    for done, (cell, seed) in enumerate(left):
        spent = time.monotonic() - begun
        eta = f", about {spent / done * (len(left) - done) / 60:.0f} min left" if done else ""
        print(f"{done}/{len(left)} {cell.trainer} {cell.env} seed {seed}{eta}", file=sys.stderr)
        row = cell.measure(options, seed)
        rows[tuple(cell.key(seed))] = row
        if options.journal:
            with options.journal.open("a") as journal:
                journal.write(json.dumps(row) + "\n")
                journal.flush()
                os.fsync(journal.fileno())
    return rows


def remark_of(best, bar, floor):
    if best <= floor + 0.05 * abs(floor):
        return "not learned"
    return "" if best >= bar else "below the bar"


def line_of(cell, rows, bar, floor):
    name = [cell.trainer, cell.env, f"{cell.budget:,}"]
    failed = [row["failed"] for row in rows if "failed" in row]
    if failed:
        return [*name, "", "", "", "", "", failed[0]]
    def mean(kind):
        return statistics.mean(row[kind] for row in rows)
    return [*name, rows[0]["preset"] or "", f"{mean('cpu_s'):.1f}",
            ", ".join(f"{row['best']:.1f}" for row in rows), f"{mean('drawn'):.1f}",
            f"{bar:g}", remark_of(mean("best"), bar, floor)]


def print_table(options, cells, rows):
    heading = ["trainer", "environment", "budget", "preset", "cpu-s", "most probable actions",
               "drawn", "bar", "remark"]
    floors = {env: random_play(options, env) for env in options.env}
    print(f"Seeds {', '.join(map(str, options.seeds))}. Random play: "
          + ", ".join(f"{env} {floor:.1f}" for env, floor in floors.items()) + "\n")
    lines = [heading]
    for cell in cells:
        floor = floors[cell.env]
        bar = ENVIRONMENTS[cell.env][1]
        measured = [rows[tuple(cell.key(seed))] for seed in options.seeds]
        lines.append(line_of(cell, measured, 2 * floor if bar is None else bar, floor))
    widths = [max(len(line[i]) for line in lines) for i in range(len(heading))]
    if options.markdown:
        lines.insert(1, ["---"] * len(heading))
    for line in lines:
        print("| " + " | ".join(line) + " |" if options.markdown else
              "  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip())


def main():
    options = arguments()
    cells = [Cell(trainer, env, options.share) for env in options.env
             for trainer in ENVIRONMENTS[env][0] if trainer in options.only]
    print_table(options, cells, measure_all(options, cells))


if __name__ == "__main__":
    main()
