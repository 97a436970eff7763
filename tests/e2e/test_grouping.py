"""Co-location groups and baselines of `hone graph` next to plain definitions of both."""
import itertools
import json
from random import Random

import pytest

from commands import ok

DRAWS, DEVICES = 12, 8  # two groups share a device in every draw with probability 8^-12


def written(folder, nodes, edges):
    file = folder / "graph.json"
    file.write_text(json.dumps({
        "training": True, "edge_columns": ["from", "to", "bytes"],
        "nodes": [{"out_bytes": 4, **node} for node in nodes], "edges": edges}))
    return file


def timed(names):
    return [{"name": name, "forward_ms": 1} for name in names]


def placed(folder, graph, *words):
    """The device of each operation, and the row that was printed."""
    out = folder / "placed.json"
    row = json.loads(ok("graph", graph, *words, "--out", out, "--format", "json"))
    return json.loads(out.read_text())["placement"], row


def groups_of(folder, graph, rule):
    """The operations that share a device in every random placement."""
    draws = [placed(folder, graph, "--group", rule, "--place", "random", "--devices", str(DEVICES),
                    "--seed", str(seed))[0] for seed in range(DRAWS)]
    groups = {}
    for name in draws[0]:
        groups.setdefault(tuple(draw[name] for draw in draws), set()).add(name)
    return sorted("".join(sorted(group)) for group in groups.values())


def with_only_consumers(names, edges):
    """Joins an operation to its only consumer, until nothing changes."""
    group = {name: name for name in names}
    while True:
        for name in names:
            consumers = {group[to] for one, to, _ in edges if group[one] == group[name]}
            consumers -= {group[name]}
            if len(consumers) == 1:
                before, after = group[name], consumers.pop()
                group = {one: after if label == before else label for one, label in group.items()}
                break
        else:
            labels = sorted(set(group.values()))
            return sorted("".join(sorted(one for one in names if group[one] == label))
                          for label in labels)


MODULES = {"a": "in", "b": "cell1", "c": "cell1", "d": "cell2", "e": "cell2", "g": "cell2"}


def test_groups_are_those_of_the_three_heuristics(tmp_path):
    nodes = timed("abcdefghk")
    for node in nodes:
        node["module"] = MODULES.get(node["name"], "")
        if node["name"] in "cf":
            node["color"] = 1  # as TensorFlow's own groups
    edges = [[one, to, 4] for one, to in ("ab", "ac", "bd", "ce", "gh", "hk", "gk")]
    graph = written(tmp_path, nodes, edges)
    assert groups_of(tmp_path, graph, "op") == ["a", "b", "cf", "d", "e", "g", "h", "k"]
    # g has two consumers, which are one group once h has joined k.
    assert groups_of(tmp_path, graph, "single") == ["a", "bd", "cef", "ghk"]
    assert groups_of(tmp_path, graph, "model") == ["a", "bcf", "deg", "h", "k"]


@pytest.mark.parametrize("seed", range(6))
def test_groups_of_only_consumers_are_those_of_a_plain_recursion(tmp_path, seed):
    random, names = Random(seed), "abcdefghijkl"
    edges = [[one, to, 4] for one, to in itertools.combinations(names, 2) if random.random() < 0.12]
    graph = written(tmp_path, timed(names), edges)
    groups = groups_of(tmp_path, graph, "single")
    assert groups == with_only_consumers(names, edges) and 1 < len(groups) < len(names)


def test_a_gradient_is_computed_on_the_device_of_its_operation(tmp_path):
    trace = tmp_path / "trace.json"
    ok("graph", "inception-v3", "--group", "op", "--place", "random", "--devices", "4", "--trace",
       trace)
    lanes = {event["name"]: event["tid"] for event in json.loads(trace.read_text())["traceEvents"]
             if event["ph"] == "X"}
    gradients = [name for name in lanes if name.endswith(" backward")]
    assert len(gradients) == 121
    assert all(lanes[name] == lanes[name.removesuffix(" backward")] for name in gradients)


def test_single_devices_take_the_sum_of_all_work(tmp_path):
    """A gradient costs twice its operation."""
    flop = [4e9, 8e9, 2e9]
    graph = written(tmp_path, [{"name": name, "flop": work} for name, work in zip("abc", flop)],
                    [["a", "b", 4], ["b", "c", 4]])
    for device, flop_each_ms in (("cpu", 0.4e9), ("p100", 0.55 * 9.3e9)):
        placement, row = placed(tmp_path, graph, "--device", device, "--devices", "4", "--group",
                                "op", "--place", "single")
        assert set(placement.values()) == {0} and row["transfers"] == 0
        launches_ms = 0 if device == "cpu" else 6 * 0.0057
        assert row["step_ms"] == pytest.approx(3 * sum(flop) / flop_each_ms + launches_ms, rel=0.01)


@pytest.mark.parametrize("method", ["mincut", "scotch", "metis"])
def test_a_partition_cuts_the_fewest_bytes_between_equal_parts(tmp_path, method):
    """Two rings of four operations that a thin edge joins, in an order that mixes them."""
    names = "aebfcgdh"
    heavy = ["ab", "bc", "cd", "ad", "ef", "fg", "gh", "eh"]
    edges = [[*pair, 8e6] for pair in heavy] + [["d", "e", 4e3]]
    graph = written(tmp_path, timed(names), edges)
    placement, _ = placed(tmp_path, graph, "--devices", "2", "--group", "op", "--place", method)

    def cut(part):
        return sum(size for one, to, size in edges if (one in part) != (to in part))
    parts = [set(part) for part in itertools.combinations(names, 4)]
    assert cut({name for name in names if placement[name] == 0}) == min(map(cut, parts)) == 4e3


def test_an_expert_gives_each_layer_of_a_stack_a_device_and_cuts_other_graphs_evenly(tmp_path):
    placement, _ = placed(tmp_path, "rnnlm", "--devices", "2", "--group", "model", "--place",
                          "expert")
    layers = {layer: {device for name, device in placement.items() if name.startswith(layer)}
              for layer in ("layer1", "layer2")}
    assert [len(devices) for devices in layers.values()] == [1, 1]
    assert layers["layer1"] != layers["layer2"]
    chain = written(tmp_path, timed("abcdef"),
                    [[one, to, 4] for one, to in ("ab", "bc", "cd", "de", "ef")])
    placement, _ = placed(tmp_path, chain, "--devices", "3", "--group", "op", "--place", "expert")
    assert list(placement.values()) == [0, 0, 1, 1, 2, 2]
