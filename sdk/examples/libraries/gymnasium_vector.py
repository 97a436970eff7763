"""Tunes a linear policy on CartPole: random search steps on a vector environment of Gymnasium."""
import gymnasium
import numpy

import hone
import hone.gymnasium

SPACE = {"noise": hone.Float(0.01, 1.0, log=True), "envs": [4, 8]}


def train(run: hone.Run) -> None:
    random = numpy.random.default_rng(run.seed)
    envs = hone.gymnasium.Reports(
        gymnasium.make_vec("CartPole-v1", num_envs=run.params["envs"]), run, window=20)
    best, weights = -numpy.inf, numpy.zeros(4)
    while not envs.done:
        trial = weights + run.params["noise"] * random.standard_normal(4)
        observations, _ = envs.reset()
        before = envs.steps
        alive = numpy.ones(envs.num_envs, bool)
        while alive.any() and not envs.done:
            observations, _, ended, cut, _ = envs.step((observations @ trial > 0).astype(int))
            alive &= ~(ended | cut)
        if envs.steps - before > best:
            best, weights = envs.steps - before, trial


if __name__ == "__main__":
    sweep = hone.Sweep(SPACE, "return", trials=4, phases=3, per_run=12_000, unit="steps", seed=1,
                       terminator="none")
    print("best", sweep.run(train, workers=2)["value"])
