"""HyperTrick's rule, computed again from its definition for every verdict that a server gave.

With W0 runs and the rate r, the first d W0 (1 - r)^p reports of phase p are exempt, and a later one
is evicted if fewer than floor(q n) of the n reports so far are worse. By default d = 1 - sqrt(r)
and q = sqrt(r) (docs/sources.md).
"""
import math
import random

import pytest

from conftest import sweep_spec

RUNS, PHASES, RATE, WORKERS = 32, 10, 0.25, 16


def evicts(earlier, value, phase):
    """Whether the run of this report is evicted, after the `earlier` reports of its phase."""
    count = len(earlier) + 1
    if count <= (1 - math.sqrt(RATE)) * RUNS * (1 - RATE) ** phase:
        return False
    return sum(other < value for other in earlier) < math.floor(math.sqrt(RATE) * count + 1e-12)


class Walk:
    """The returns of one run: better parameters rise faster, with noise."""

    def __init__(self, seed, trial):
        self.random = random.Random(f"{seed}/{trial}")
        self.slope, self.value = self.random.uniform(0, 10), 0

    def next(self):
        self.value += self.random.gauss(self.slope, 4)
        return round(self.value)  # whole numbers: ties occur


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_verdict_of_a_sweep_is_that_of_the_rule(server, seed):
    sweep = server.submit(sweep_spec(
        seed=seed, search={"method": "random", "trials": RUNS},
        terminator={"rule": "hypertrick", "eviction_rate": RATE},
        budget={"unit": "frames", "per_run": 1000, "phases": PHASES}))
    worker, order = server.join(cpus=WORKERS), random.Random(seed)
    reports = [[] for _ in range(PHASES)]
    running, verdicts, evicted = [], 0, 0
    while True:
        while len(running) < WORKERS:
            grant = server.acquire(worker)
            if grant is None:
                break
            running.append([grant, 0, Walk(seed, grant["attempt"])])
        if not running:
            break
        run = order.choice(running)
        grant, phase, walk = run
        value = walk.next()
        given = server.report(grant, phase, value)["verdict"]
        verdicts += 1
        stops = phase == PHASES - 1 or evicts(reports[phase], value, phase)
        assert (given == "stop") == stops, (phase, value, reports[phase], given)
        reports[phase].append(value)
        evicted += stops and phase < PHASES - 1
        run[1] += 1
        if stops:
            running.remove(run)
    assert server.get(f"/v1/sweeps/{sweep}")["state"] == "completed"
    assert verdicts > RUNS * 2 and 0 < evicted < RUNS
