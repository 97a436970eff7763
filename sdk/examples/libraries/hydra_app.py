"""An application of Hydra, searched by hone:

python hydra_app.py -m 'lr=tag(log, interval(1e-5, 1.0))' 'layers=range(1, 5)' 'kind=choice(a, b)'
"""
import math
from dataclasses import dataclass

import hydra
from hydra.core.config_store import ConfigStore


@dataclass
class Settings:
    lr: float = 0.1
    layers: int = 1
    kind: str = "a"


ConfigStore.instance().store(name="settings", node=Settings)
ConfigStore.instance().store(name="config", node={
    "defaults": ["settings", {"override hydra/sweeper": "hone"}, "_self_"],
    "hydra": {"sweeper": {"goal": "minimize", "n_trials": 12, "n_jobs": 3, "seed": 1}}})


@hydra.main(version_base=None, config_name="config")
def main(settings: Settings) -> float:
    return (math.log10(settings.lr) + 3) ** 2 + settings.layers + (settings.kind == "a")


if __name__ == "__main__":
    main()
