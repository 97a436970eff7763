"""What trainers reach with the values that they take by themselves, on seeds that chose none of them.

HONE_DEFAULTS=all trains every cell of tests/bench/defaults_bench.py that has a bar; LunarLander
takes minutes a seed.
"""
import os
import sys
from types import SimpleNamespace

import pytest

from conftest import BIN, ROOT, program

sys.path.insert(0, str(ROOT / "tests" / "bench"))
from defaults_bench import ENVIRONMENTS, Cell  # noqa: E402

FAST = [
    ("ppo", "CartPole-v1"),
    ("ppo", "Acrobot-v1"),
    ("ppo", "MountainCar-v0"),
    ("ppo", "Pendulum-v1"),
    ("ppo", "MountainCarContinuous-v0"),
    ("ga3c", "Pendulum-v1"),
    ("a2c", "Pendulum-v1"),
    ("impala", "CartPole-v1"),
    ("impala", "Acrobot-v1"),
    ("impala", "Pendulum-v1"),
    ("sac", "Pendulum-v1"),
]
SEEDS = (21, 22)


def cells():
    if os.environ.get("HONE_DEFAULTS") != "all":
        return FAST
    return [(trainer, env) for env, (trainers, bar) in ENVIRONMENTS.items() if bar is not None
            for trainer in trainers]


@pytest.mark.parametrize("trainer,env", cells())
def test_a_default_learned_less_than_its_bar(trainer, env, tmp_path):
    program("hone-train")
    cell, options = Cell(trainer, env, 1), SimpleNamespace(bin=BIN)
    returns = []
    for seed in SEEDS:
        cell.train(options, seed, tmp_path / "model")
        returns.append(cell.play(options, seed, tmp_path / "model"))
    assert sum(returns) / len(returns) >= ENVIRONMENTS[env][1], returns
