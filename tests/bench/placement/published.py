#!/usr/bin/env python3
"""The agents alone on the cases with published figures.

Usage: published.py BIN [--seeds 1,2,3] [--set SETTING=VALUE ...]

No baseline to start from, no local search, 2,400 placements. Prints the mean of the best step time
over the seeds, and by how much cross-entropy and Post are below REINFORCE; Post on resnet-50/2 over
ten seeds.
"""
import argparse
import pathlib

from training import step_ms

CASES = [("resnet-50", 2), ("inception-v3", 2), ("inception-v3", 4), ("resnet-101", 8),
         ("rnnlm", 2), ("nmt", 2), ("nmt", 4), ("nmt-4", 4)]
AGENTS = ["reinforce", "ppo", "ce", "post"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--seeds", type=lambda text: [int(n) for n in text.split(",")],
                        default=[1, 2, 3])
    parser.add_argument("--set", dest="settings", action="append", default=[],
                        metavar="SETTING=VALUE")
    args = parser.parse_args()
    print("| case | " + " | ".join(AGENTS) + " | ce below | post below |\n|" +
          "---|" * (len(AGENTS) + 3))
    for graph, devices in CASES:
        means = {}
        for agent in AGENTS:
            times = [step_ms(args.bin, graph, devices, agent, seed, args.settings)
                     for seed in args.seeds]
            means[agent] = sum(times) / len(times)
        below = [f"{100 * (1 - means[agent] / means['reinforce']):.1f} %"
                 for agent in ("ce", "post")]
        print(f"| {graph}/{devices} | " + " | ".join(f"{means[agent]:.1f}" for agent in AGENTS) +
              " | " + " | ".join(below) + " |", flush=True)
    times = [step_ms(args.bin, "resnet-50", 2, "post", seed, args.settings)
             for seed in range(1, 11)]
    print(f"\npost, resnet-50/2, seeds 1 to 10: mean {sum(times) / 10:.1f}, least {min(times):.1f}")


if __name__ == "__main__":
    main()
