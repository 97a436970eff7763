import argparse

from skeleton import got

parser = argparse.ArgumentParser()
parser.add_argument("--policy", default="TD3")
parser.add_argument("--env", default="HalfCheetah-v2")
parser.add_argument("--seed", default=0, type=int)
parser.add_argument("--start_timesteps", default=25e3, type=int)
parser.add_argument("--eval_freq", default=5e3, type=int)
parser.add_argument("--max_timesteps", default=1e6, type=int)
parser.add_argument("--expl_noise", default=0.1, type=float)
parser.add_argument("--batch_size", default=256, type=int)
parser.add_argument("--discount", default=0.99, type=float)
parser.add_argument("--tau", default=0.005, type=float)
parser.add_argument("--policy_noise", default=0.2)              # without a type: a text
parser.add_argument("--noise_clip", default=0.5)
parser.add_argument("--policy_freq", default=2, type=int)
parser.add_argument("--save_model", action="store_true")
parser.add_argument("--load_model", default="")
args = parser.parse_args()
got(vars(args))
max_action = 1.0
noise = args.policy_noise * max_action                          # fails on a text
for t in range(1, 11):
    print(f"Total T: {t * int(args.max_timesteps) // 10} Episode Num: {t} Reward: {t * noise:.3f}")
