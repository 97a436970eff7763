"""A run of Stable-Baselines3 that is preempted after its second phase and continues."""
import gymnasium
from stable_baselines3 import A2C
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor, VecNormalize

import hone
import hone.sb3


def train(run):
    env = VecNormalize(VecMonitor(DummyVecEnv([lambda: gymnasium.make("CartPole-v1")])))
    model = hone.sb3.model(run, A2C, "MlpPolicy", env)
    print("attempt", run.attempt, "begins at", model.num_timesteps, "with mean",
          round(float(env.obs_rms.count)), flush=True)
    if run.attempt == 1:
        report = run.report

        def preempted(phase, *given, **more):
            verdict = report(phase, *given, **more)
            if phase.number == 1:
                raise SystemExit(85)
            return verdict

        run.report = preempted
    hone.sb3.learn(run, model)


sweep = hone.Sweep({"x": [1]}, "return", trials=1, phases=4, per_run=2000, unit="timesteps",
                   terminator="none", seed=1)
best = sweep.run(train)
points = sweep.client.curve(best["run"])
print([point["phase"] for point in points], points[-1]["step"] >= 2000)
print(sweep.client.run(best["run"])["seed_applied"])
