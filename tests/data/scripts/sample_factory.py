import argparse

from skeleton import got


def str2bool(v):
    if v.lower() in ("true", "1"):
        return True
    if v.lower() in ("false", "0"):
        return False
    raise argparse.ArgumentTypeError("Boolean value expected")


p = argparse.ArgumentParser()
p.add_argument("--algo", type=str, default="APPO")
p.add_argument("--env", type=str, default="doom_basic")
p.add_argument("--experiment", type=str, default="default_experiment")
p.add_argument("--seed", default=None, type=int)
p.add_argument("--num_policies", default=1, type=int)
p.add_argument("--async_rl", default=True, type=str2bool)
p.add_argument("--serial_mode", default=False, type=str2bool)
p.add_argument("--batched_sampling", default=False, type=str2bool)
p.add_argument("--num_workers", default=8, type=int)
p.add_argument("--rollout", default=32, type=int)
p.add_argument("--recurrence", default=-1, type=int)
p.add_argument("--gamma", default=0.99, type=float)
p.add_argument("--reward_scale", default=1.0, type=float)
p.add_argument("--reward_clip", default=1000.0, type=float)
p.add_argument("--value_bootstrap", default=False, type=str2bool)
p.add_argument("--normalize_returns", default=True, type=str2bool)
p.add_argument("--exploration_loss_coeff", default=0.003, type=float)
p.add_argument("--value_loss_coeff", default=0.5, type=float)
p.add_argument("--kl_loss_coeff", default=0.0, type=float)
p.add_argument("--exploration_loss", default="entropy", type=str, choices=["entropy",
    "symmetric_kl"])
p.add_argument("--gae_lambda", default=0.95, type=float)
p.add_argument("--ppo_clip_ratio", default=0.1, type=float)
p.add_argument("--with_vtrace", default=False, type=str2bool)
p.add_argument("--optimizer", default="adam", type=str, choices=["adam", "lamb"])
p.add_argument("--adam_beta1", default=0.9, type=float)
p.add_argument("--max_grad_norm", default=4.0, type=float)
p.add_argument("--learning_rate", default=1e-4, type=float)
p.add_argument("--lr_schedule", default="constant", type=str, choices=["constant", "linear_decay"])
p.add_argument("--encoder_mlp_layers", default=[512, 512], type=int, nargs="*")
p.add_argument("--use_rnn", default=True, type=str2bool)
p.add_argument("--train_for_env_steps", default=int(1e10), type=int)
p.add_argument("--train_for_seconds", default=int(1e10), type=int)
p.add_argument("--with_wandb", default=False, type=str2bool)
args = p.parse_args()
got(vars(args))
for policy in range(1, 6):
    print(f"Avg episode reward: [(0, '{policy}.000')], reward: {policy}")
