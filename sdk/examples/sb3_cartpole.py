"""PPO of Stable-Baselines3 on CartPole: the run's seed, checkpoints that a paused run continues
from, and every phase judged by 20 episodes played without exploration."""
import gymnasium
from stable_baselines3 import PPO
from stable_baselines3.common.monitor import Monitor

import hone
import hone.sb3

run = hone.current(params={"learning_rate": 3e-4, "gamma": 0.99}, per_run=20_000, phases=5)
env, evaluation = (Monitor(gymnasium.make("CartPole-v1")) for _ in range(2))
evaluation.reset(seed=run.seed % 2**31)
model = hone.sb3.model(run, PPO, "MlpPolicy", env, learning_rate=run.params["learning_rate"],
                       gamma=run.params["gamma"])
hone.sb3.learn(run, model, episodes=20, eval_env=evaluation)
