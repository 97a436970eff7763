from dataclasses import asdict, dataclass, field
from typing import Literal

import tyro

from skeleton import got


@dataclass
class Optimizer:
    name: Literal["Adam", "AdamW"] = "AdamW"
    lr: float = 8e-4
    beta1: float = 0.9
    eps: float = 1e-8
    weight_decay: float = 0.1
    early_step_in_backward: bool = False


@dataclass
class Training:
    local_batch_size: int = 8
    seq_len: int = 2048
    max_norm: float = 1.0
    steps: int = 10000
    compile: bool = False
    seed: int = 0


@dataclass
class JobConfig:
    optimizer: Optimizer = field(default_factory=Optimizer)
    training: Training = field(default_factory=Training)


def main():
    config = tyro.cli(JobConfig)
    flat = {f"{group}.{name}": value for group, one in asdict(config).items() for name,
            value in one.items()}
    got(flat)
    for step in range(1, 11):
        print(f"step: {step * config.training.steps // 10}  loss: {8 / step:7.4f}  memory: 1.2GiB")


main()
