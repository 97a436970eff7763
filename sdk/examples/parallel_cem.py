"""The cross-entropy method on a cart-pole, with as many processes as hone gives the run.

The random numbers of an episode follow from its seed alone: the number of processes changes no
result.

It also runs alone:  PYTHONPATH=sdk/python python3 sdk/examples/parallel_cem.py 2
"""
import json
import math
import multiprocessing
import os
import random
import sys

import hone

STEPS, EPISODES = 2000, 8  # of an episode; of each member of a generation


def episode(policy, rng):
    """The steps until the pole falls or the cart leaves its track, under random pushes."""
    x, speed, angle, turn = (rng.uniform(-0.05, 0.05) for _ in range(4))
    for step in range(STEPS):
        push = policy[0] * x + policy[1] * speed + policy[2] * angle + policy[3] * turn
        force = (10 if push > 0 else -10) + rng.gauss(0, 6)
        pull = (force + 0.05 * turn * turn * math.sin(angle)) / 1.1
        twist = ((9.8 * math.sin(angle) - math.cos(angle) * pull)
                 / (0.5 * (4 / 3 - 0.1 * math.cos(angle) ** 2 / 1.1)))
        x, speed = x + 0.02 * speed, speed + 0.02 * (pull - 0.05 * twist * math.cos(angle) / 1.1)
        angle, turn = angle + 0.02 * turn, turn + 0.02 * twist
        if abs(x) > 2.4 or abs(angle) > 0.21:
            return step
    return STEPS


def mean_return(job):
    policy, seed = job
    return sum(episode(policy, random.Random(f"{seed}/{i}")) for i in range(EPISODES)) / EPISODES


def generation(run, state, number, pool):
    """One step of the method. Returns the mean of its members."""
    members, elite = int(run.params["members"]), run.params["elite"]
    rng = random.Random(f"{run.seed}/{number}")
    policies = [[rng.gauss(mean, spread) for mean, spread in zip(state["mean"], state["spread"])]
                for _ in range(members)]
    jobs = [(policy, f"{run.seed}/{number}/{i}") for i, policy in enumerate(policies)]
    returns = pool.map(mean_return, jobs, 1)
    best = sorted(range(members), key=lambda i: -returns[i])[:max(2, round(elite * members))]
    for axis in range(4):
        values = [policies[i][axis] for i in best]
        mean = sum(values) / len(values)
        variance = sum((value - mean) ** 2 for value in values) / len(values)
        state["mean"][axis] = mean
        state["spread"][axis] = math.sqrt(variance) + run.params["noise"] / (number + 1)
    return sum(returns) / members


def main():
    run = hone.current(params={"members": 24, "elite": 0.25, "noise": 0.1}, per_run=20, phases=10)
    state = {"mean": [0.0] * 4, "spread": [1.0] * 4}
    if run.resume is not None:
        with open(run.resume.path, encoding="utf-8") as file:
            state = json.load(file)
    with multiprocessing.Pool(int(sys.argv[1]) if len(sys.argv) > 1 else 1) as pool:
        for phase in run.phases():
            for number in range(phase.start, phase.end):
                value = generation(run, state, number, pool)
            path = os.path.join(run.checkpoint_dir, "state.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(state, file)
            run.checkpoint(path, phase)
            run.report(phase, value)


if __name__ == "__main__":
    main()
