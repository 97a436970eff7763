"""PPO of Stable-Baselines3 on CartPole: an ordinary program except for the callback in the last line."""
import argparse

import gymnasium
from stable_baselines3 import PPO
from stable_baselines3.common.monitor import Monitor

import hone.sb3

arguments = argparse.ArgumentParser()
arguments.add_argument("--learning_rate", type=float, default=3e-4)
arguments.add_argument("--gamma", type=float, default=0.99)
options = arguments.parse_args()

model = PPO("MlpPolicy", Monitor(gymnasium.make("CartPole-v1")),
            learning_rate=options.learning_rate,
            gamma=options.gamma)
model.learn(20_000, callback=hone.sb3.callback())
