import argparse

from skeleton import got


def strtobool(val):  # as distutils.util had it
    if val.lower() in ("y", "yes", "t", "true", "on", "1"):
        return 1
    if val.lower() in ("n", "no", "f", "false", "off", "0"):
        return 0
    raise ValueError(f"invalid truth value {val!r}")


parser = argparse.ArgumentParser()
parser.add_argument("--exp-name", type=str, default="sac")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--torch-deterministic", type=lambda x: bool(strtobool(x)), default=True,
                    nargs="?", const=True)
parser.add_argument("--cuda", type=lambda x: bool(strtobool(x)), default=True, nargs="?",
                    const=True)
parser.add_argument("--track", type=lambda x: bool(strtobool(x)), default=False, nargs="?",
                    const=True)
parser.add_argument("--capture-video", type=lambda x: bool(strtobool(x)), default=False,
                    nargs="?", const=True)
parser.add_argument("--env-id", type=str, default="Hopper-v4")
parser.add_argument("--total-timesteps", type=int, default=1000000)
parser.add_argument("--buffer-size", type=int, default=int(1e6))
parser.add_argument("--gamma", type=float, default=0.99)
parser.add_argument("--tau", type=float, default=0.005)
parser.add_argument("--batch-size", type=int, default=256)
parser.add_argument("--learning-starts", type=int, default=5e3)
parser.add_argument("--policy-lr", type=float, default=3e-4)
parser.add_argument("--q-lr", type=float, default=1e-3)
parser.add_argument("--policy-frequency", type=int, default=2)
parser.add_argument("--target-network-frequency", type=int, default=1)
parser.add_argument("--noise-clip", type=float, default=0.5)
parser.add_argument("--alpha", type=float, default=0.2)
parser.add_argument("--autotune", type=lambda x: bool(strtobool(x)), default=True, nargs="?",
                    const=True)
args = parser.parse_args()
got(vars(args))
for step in range(1, 11):
    print(f"global_step={step * args.total_timesteps // 10}, episodic_return={step * 10.0}")
