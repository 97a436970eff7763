import sys

sys.path.insert(0, sys.path[0] + "/..")

import hydra
from omegaconf import OmegaConf

from skeleton import got


@hydra.main(config_path='cfgs', config_name='config', version_base=None)
def main(cfg):
    got(OmegaConf.to_container(cfg, resolve=True))
    for frame in range(1, 11):
        frames = frame * cfg.num_train_frames // 10
        print(f"| train | frame: {frames} | episode_reward: {frame * 3.0}")


if __name__ == '__main__':
    main()
