#!/usr/bin/env python3
"""Writes graphs on which no default was chosen: layered DAGs, chains of PipeDream's form, blocks.

Usage: held_out.py FOLDER [--seed 1]

Prints their files, comma-separated, for `table.py --graphs`. Another seed gives other graphs.
"""
import argparse
import json
import pathlib
import random

MB, GFLOP = 1e6, 1e9


class Graph:
    def __init__(self, name, training=True):
        self.document = {"name": name, "training": training, "nodes": [], "edges": []}

    def add(self, inputs, **node):
        name = f"n{len(self.document['nodes'])}"
        self.document["nodes"].append({"name": name, **node})
        self.document["edges"] += [{"from": source, "to": name} for source in inputs]
        return name


def layered(rng, name, layers, width, heavy, training):
    """Each layer reads some of the two before it. heavy: megabytes of an output against
    milliseconds of a node."""
    graph = Graph(name, training)
    before, here = [], [graph.add([], forward_ms=1.0, out_bytes=4 * MB)]
    for _ in range(layers):
        nodes = []
        for _ in range(rng.randint(2, width)):
            sources = rng.sample(here, min(len(here), rng.randint(1, 2)))
            sources += rng.sample(before, 1) if before and rng.random() < 0.2 else []
            nodes.append(graph.add(sorted(set(sources)), forward_ms=rng.lognormvariate(0.5, 0.8),
                                   out_bytes=heavy * MB * rng.lognormvariate(0, 0.7),
                                   stored_bytes=20 * MB, param_bytes=2 * MB))
        before, here = here, nodes
    graph.add(here, forward_ms=1.0, out_bytes=4)
    return graph.document


def profile(rng, branches):
    """A profile as PipeDream writes it: a chain of stages, some of which branch and join."""
    nodes, edges = [], []

    def add(inputs, description):
        forward = rng.lognormvariate(0, 0.6)
        nodes.append(
            f"node{len(nodes) + 1} -- {description} -- forward_compute_time={forward:.3f}, "
                     f"backward_compute_time={forward * rng.uniform(1, 1.9):.3f}, activation_size={1e6 * rng.lognormvariate(1.5, 0.8):.1f}, "
                     f"parameter_size={1e6 * rng.lognormvariate(0, 1):.1f}")
        edges.extend(f"\tnode{source} -- node{len(nodes)}" for source in inputs)
        return len(nodes)

    last = add([], "Input")
    for _ in range(18):
        tails = []
        for _ in range(rng.randint(1, branches)):
            tail = last
            for _ in range(rng.randint(1, 4)):
                tail = add([tail], "Conv2d")
            tails.append(tail)
        last = add(tails, "Concat") if len(tails) > 1 else tails[0]
    return "\n".join(nodes + edges) + "\n"


def experts(rng, layers, count, tokens):
    """A Transformer whose feed-forward layers are `count` experts side by side."""
    graph = Graph(f"experts-{count}")
    width = rng.choice([512, 768, 1024])
    out = 4 * tokens * width
    state = graph.add([], kind="embedding", flop=0, out_bytes=out, stored_bytes=out, kernels=1)
    for _ in range(layers):
        attended = graph.add([state], kind="attention", flop=8 * tokens * width * width,
                             out_bytes=out, stored_bytes=4 * out,
                             param_bytes=16 * width * width, kernels=6)
        gate = graph.add([attended], kind="gate", flop=2 * tokens * width * count, out_bytes=out,
                         stored_bytes=out, kernels=3)
        share = [rng.uniform(0.5, 1.5) for _ in range(count)]
        parts = [graph.add([gate], kind="expert",
                           flop=16 * tokens * width * width * part / sum(share) * 2,
                           out_bytes=out / count,
                           stored_bytes=5 * out / count, param_bytes=32 * width * width, kernels=4)
                 for part in share]
        state = graph.add([attended, *parts], kind="add", flop=4 * tokens * width, out_bytes=out,
                          stored_bytes=out, kernels=2)
    graph.add([state], kind="softmax", flop=2 * tokens * width * 32000, out_bytes=4,
              stored_bytes=4 * tokens * 32000, kernels=3)
    return graph.document


def towers(rng, count, layers):
    """Towers that see their own input and meet at the end: contrastive or recommendation models."""
    graph = Graph(f"towers-{count}")
    ends = []
    for _ in range(count):
        size = rng.uniform(0.4, 1.6)
        last = graph.add([], kind="input", flop=0, out_bytes=8 * MB, kernels=1)
        for _ in range(rng.randint(layers // 2, layers)):
            last = graph.add([last], kind="block", flop=size * 8 * GFLOP, out_bytes=8 * MB,
                             stored_bytes=30 * MB, param_bytes=8 * MB, kernels=8)
            if rng.random() < 0.4:
                side = graph.add([last], kind="side", flop=size * 3 * GFLOP, out_bytes=4 * MB,
                                 stored_bytes=10 * MB, kernels=4)
                last = graph.add([last, side], kind="add", flop=1e6, out_bytes=8 * MB,
                                 stored_bytes=8 * MB, kernels=2)
        ends.append(last)
    graph.add(ends, kind="loss", flop=GFLOP, out_bytes=4, kernels=3)
    return graph.document


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    args.folder.mkdir(parents=True, exist_ok=True)
    made = {
        "layered-narrow.json": layered(rng, "layered-narrow", 25, 3, 4, True),
        "layered-wide.json": layered(rng, "layered-wide", 16, 10, 4, True),
        "layered-heavy.json": layered(rng, "layered-heavy", 16, 8, 30, True),
        "layered-inference.json": layered(rng, "layered-inference", 20, 6, 8, False),
        "profile-chain.txt": profile(rng, 2),
        "profile-branches.txt": profile(rng, 4),
        "experts.json": experts(rng, 6, rng.randint(3, 8), 4096),
        "towers.json": towers(rng, rng.randint(2, 5), 20),
    }
    for name, document in made.items():
        (args.folder / name).write_text(document if isinstance(document,
                                                               str) else json.dumps(document))
    print(",".join(str(args.folder / name) for name in made))


if __name__ == "__main__":
    main()
