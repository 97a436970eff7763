"""PPO of RLlib on CartPole: one training iteration a phase, a checkpoint from which a paused run
continues, and the mean return of the last 100 training episodes as the value of each phase."""
import os
import shutil

import ray
from ray.rllib.algorithms.ppo import PPOConfig

import hone

run = hone.current(params={"lr": 3e-4, "gamma": 0.99, "num_epochs": 10}, per_run=20_000, phases=5)
# Each run starts its own Ray on one CPU, so that parallel runs share neither actors nor CPUs.
ray.init(address="local", num_cpus=1, include_dashboard=False, log_to_driver=False)
algorithm = (PPOConfig()
             .environment("CartPole-v1")
             .env_runners(num_env_runners=0)
             .training(lr=run.params["lr"], gamma=run.params["gamma"],
                       num_epochs=run.params["num_epochs"],
                       train_batch_size_per_learner=run.budget.phase_end(0))
             .debugging(seed=run.seed % 2**31)
             .build_algo())
run.seed_applied = True
folder = os.path.join(run.checkpoint_dir, "rllib")
if run.resume:
    shutil.unpack_archive(run.resume.path, folder, "tar", filter="data")
    algorithm.restore_from_path(folder)
for phase in run.phases():
    result = algorithm.train()
    algorithm.save_to_path(folder)
    run.checkpoint(shutil.make_archive(folder, "tar", folder), phase)
    run.report(phase, result["env_runners"]["episode_return_mean"])
