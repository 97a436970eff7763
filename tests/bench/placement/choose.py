#!/usr/bin/env python3
"""Chooses an agent's setting on graphs of held_out.py, never on those of reported results.

Usage: choose.py BIN --setting learning_rate --values 0.1,0.5,1 [--agent post]
                 [--graph-seeds 100,101] [--devices 2,4] [--seeds 1,2,3] [--set S=V ...]

Runs the agent alone, 2,400 placements: no baseline to start from, no local search. Prints for each
value the geometric mean, over graphs, devices and seeds, of the step time divided by the best that
any value reached there.
"""
import argparse
import math
import pathlib
import subprocess
import sys
import tempfile

from training import step_ms

HERE = pathlib.Path(__file__).resolve().parent


def main():
    def numbers(text):
        return [int(n) for n in text.split(",")]

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--setting", required=True)
    parser.add_argument("--values", type=lambda text: text.split(","), required=True)
    parser.add_argument("--agent", default="post")
    parser.add_argument("--graph-seeds", type=numbers, default=[100, 101])
    parser.add_argument("--devices", type=numbers, default=[2, 4])
    parser.add_argument("--seeds", type=numbers, default=[1, 2, 3])
    parser.add_argument("--set", dest="settings", action="append", default=[],
                        metavar="SETTING=VALUE")
    args = parser.parse_args()
    cases = {}
    with tempfile.TemporaryDirectory() as folder:
        for graphs in args.graph_seeds:
            made = subprocess.run([sys.executable, HERE / "held_out.py", f"{folder}/{graphs}",
                                   "--seed", str(graphs)], check=True,
                                  capture_output=True, text=True).stdout.strip().split(",")
            for graph in made:
                for devices in args.devices:
                    for seed in args.seeds:
                        cases[graph, devices, seed] = [
                            step_ms(args.bin, graph, devices, args.agent, seed,
                                    [*args.settings, f"{args.setting}={value}"])
                            for value in args.values]
    of_graph = {}
    for (graph, devices, _), times in cases.items():
        of_graph[graph, devices] = min(of_graph.get((graph, devices), math.inf), *times)
    print(f"{len(cases)} cases a value ({args.agent})")
    for i, value in enumerate(args.values):
        logs = [math.log(times[i] / of_graph[graph, devices]) for (graph, devices, _),
                times in cases.items()]
        mean = sum(logs) / len(logs)
        error = math.sqrt(sum((log - mean) ** 2 for log in logs) / len(logs) / (len(logs) - 1))
        print(f"{args.setting} {value}: {math.exp(mean):.4f} +- {error:.4f}", flush=True)


if __name__ == "__main__":
    main()
