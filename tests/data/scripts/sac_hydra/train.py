import sys

sys.path.insert(0, sys.path[0] + "/..")

import hydra
from omegaconf import OmegaConf

from skeleton import got


@hydra.main(config_path="config", config_name="train", version_base=None)
def main(cfg):
    got(OmegaConf.to_container(cfg, resolve=True))
    for step in range(1, 11):
        steps = step * int(cfg.num_train_steps) // 10
        print(f"| eval | S: {step} | episode_reward: {step * 2.0} step: {steps}")


if __name__ == "__main__":
    main()
