import argparse

from skeleton import got


class StoreDict(argparse.Action):
    def __call__(self, parser, namespace, values, option_string=None):
        setattr(namespace, self.dest, dict(one.split(":", 1) for one in values))


parser = argparse.ArgumentParser()
parser.add_argument("--algo", help="RL Algorithm", default="ppo", type=str, required=False,
                    choices=list({"ppo": 1, "sac": 2}.keys()))
parser.add_argument("--env", type=str, default="CartPole-v1", help="environment ID")
parser.add_argument("-tb", "--tensorboard-log", help="Tensorboard log dir", default="", type=str)
parser.add_argument("-n", "--n-timesteps", help="Overwrite the number of timesteps", default=-1,
                    type=int)
parser.add_argument("--num-threads", help="Number of threads for PyTorch", default=-1, type=int)
parser.add_argument("--eval-freq", default=25000, type=int)
parser.add_argument("--optimization-log-path", type=str)
parser.add_argument("--eval-episodes", default=5, type=int)
parser.add_argument("--save-freq", default=-1, type=int)
parser.add_argument("-f", "--log-folder", type=str, default="logs")
parser.add_argument("--seed", help="Random generator seed", type=int, default=-1)
parser.add_argument("--vec-env", type=str, default="dummy", choices=["dummy", "subproc"])
parser.add_argument("--device", default="auto", type=str)
parser.add_argument("-params", "--hyperparams", type=str, nargs="+", action=StoreDict)
parser.add_argument("-uuid", "--uuid", action="store_true", default=False)
parser.add_argument("--verbose", default=1, type=int)
parser.add_argument("-P", "--progress", action="store_true", default=False)
parser.add_argument("--no-optim-plots", action="store_true", default=False)
args = parser.parse_args()
got(vars(args))
for row in range(1, 6):
    print(f"|    ep_rew_mean     | {row * 10} |")
    print(f"eval: mean_reward: {row * 10}.5")
