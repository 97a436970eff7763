"""The policy of Mirhoseini et al. (2017) by a second implementation: the first update of a training
is that of a bidirectional LSTM which reads (type, output shape, neighbours) of each operation, and
of an LSTM with content-based attention which is fed the device that it chose before."""
import json
import math
import subprocess

import pytest

from conftest import program

numpy = pytest.importorskip("numpy", reason="the network is computed with NumPy")

HIDDEN, DEVICES, KIND_WIDTH, SHAPE_NUMBERS, NEIGHBOURS = 4, 3, 16, 16, 10
TEMPERATURE, TANH_CONSTANT = 0.05, 5
NODES = {"a": ("conv", [[32, 8]]), "b": ("pool", [[16, 4]]), "c": ("conv", [[8, 64], [7]]),
         "d": ("add", [[128]]), "e": ("softmax", [[10]])}
EDGES = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("d", "e")]


def bytes_of(shapes):
    return 4.0 * sum(math.prod(shape) for shape in shapes)


def trained_once(folder):
    """The file of an agent that has learned from one placement, at almost no learning rate."""
    graph, out = folder / "graph.json", folder / "placed.json"
    graph.write_text(json.dumps({
        "training": True, "edge_columns": ["from", "to", "bytes"],
        "nodes": [{"name": name, "kind": kind, "forward_ms": 1, "shapes": shapes,
                   "out_bytes": bytes_of(shapes)} for name, (kind, shapes) in NODES.items()],
        "edges": [[one, other, bytes_of(NODES[one][1])] for one, other in EDGES]}))
    words = {"agent": "seq2seq", "encoder": "shapes", "hidden": HIDDEN, "start": "uniform",
             "polish": 0, "update_every": 1, "learning_rate": 1e-12, "temperature": TEMPERATURE,
             "tanh_constant": TANH_CONSTANT, "entropy": 0.5}
    settings = [word for name, value in words.items() for word in ("--set", f"{name}={value}")]
    done = subprocess.run(
        [program("hone-train"), "placement", "--graph", str(graph), "--devices", str(DEVICES),
         "--group", "op", "--placements", "1", "--seed", "1", "--out", str(out), *settings],
        capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(out.read_text())


def features():
    """What the encoder reads of each operation besides its type."""
    names = list(NODES)
    rows = []
    for position, name in enumerate(names):
        sizes = [math.log1p(size) / 10 for shape in NODES[name][1] for size in shape]
        near = []
        for one, other in EDGES:
            if name == one:
                near += [(names.index(other) + 1) / len(names), 1]
            if name == other:
                near += [(names.index(one) + 1) / len(names), -1]
        rows.append(sizes + [0] * (SHAPE_NUMBERS - len(sizes)) + [position / len(names)]
                    + near + [0] * (2 * NEIGHBOURS - len(near)))
    return numpy.array(rows)


class Policy:
    """Takes its matrices one after another from the flat weights."""

    def __init__(self, weights):
        self.rest = numpy.asarray(weights, dtype=float)
        kinds = list(dict.fromkeys(kind for kind, _ in NODES.values()))
        inputs = KIND_WIDTH + features().shape[1]
        embedded = self.take(len(kinds), KIND_WIDTH)
        self.ahead, self.back = self.cell(inputs, HIDDEN // 2), self.cell(inputs, HIDDEN // 2)
        self.memory = self.take(HIDDEN, HIDDEN), self.take(HIDDEN)
        self.devices = self.take(DEVICES + 1, HIDDEN)
        self.decoder = self.cell(HIDDEN, HIDDEN)
        self.query = self.take(HIDDEN, HIDDEN), self.take(HIDDEN)
        self.attention = self.take(HIDDEN)
        self.out = self.take(DEVICES, 2 * HIDDEN), self.take(DEVICES)
        assert self.rest.size == 0, f"{self.rest.size} weights belong to nothing"
        self.inputs = [numpy.concatenate([embedded[kinds.index(kind)], numbers])
                       for (kind, _), numbers in zip(NODES.values(), features())]

    def take(self, *shape):
        count = math.prod(shape)
        taken, self.rest = self.rest[:count].reshape(shape), self.rest[count:]
        return taken

    def cell(self, inputs, width):
        return self.take(4 * width, inputs + width), self.take(4 * width)

    def entropy(self, placement):
        """The sum over the operations, each given the devices of those before it."""
        width = HIDDEN // 2
        left, right = (numpy.zeros((2, width)) for _ in range(2))
        ahead, back = [], []
        for read in self.inputs:
            left = lstm(self.ahead, read, left)
            ahead.append(left[1])
        for read in reversed(self.inputs):
            right = lstm(self.back, read, right)
            back.insert(0, right[1])
        memory = numpy.array([self.memory[0] @ numpy.concatenate(pair) + self.memory[1]
                              for pair in zip(ahead, back)])
        state = numpy.concatenate([left, right], axis=1)
        last, total = DEVICES, 0.0
        for device in placement:
            state = lstm(self.decoder, self.devices[last], state)
            query = self.query[0] @ state[1] + self.query[1]
            share = softmax(numpy.tanh(query + memory) @ self.attention)
            logits = self.out[0] @ numpy.concatenate([state[1], share @ memory]) + self.out[1]
            chances = softmax(TANH_CONSTANT * numpy.tanh(logits / TEMPERATURE))
            total -= float(chances @ numpy.log(chances))
            last = device
        return total


def lstm(cell, read, state):
    """The next (c, h); 1 is added to the bias of the forget gate."""
    weights, bias = cell
    gate, forget, fresh, out = numpy.split(weights @ numpy.concatenate([read, state[1]]) + bias, 4)
    memory = sigmoid(forget + 1) * state[0] + sigmoid(gate) * numpy.tanh(fresh)
    return numpy.array([memory, sigmoid(out) * numpy.tanh(memory)])


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def softmax(x):
    powers = numpy.exp(x - x.max())
    return powers / powers.sum()


def slopes(weights, placement, step=1e-5):
    found = []
    for i in range(len(weights)):
        above, below = numpy.array(weights), numpy.array(weights)
        above[i] += step
        below[i] -= step
        found.append((Policy(above).entropy(placement) - Policy(below).entropy(placement))
                     / (2 * step))
    return numpy.array(found)


def test_the_first_update_is_that_of_an_lstm_with_attention_over_types_shapes_and_neighbours(
        tmp_path):
    """The first placement is its own baseline, so that only the entropy moves the weights."""
    file = trained_once(tmp_path)
    weights, placement = file["agent"]["weights"], list(file["placement"].values())
    assert file["best"] == placement
    moved = numpy.array(file["agent"]["adam"]["mean"])
    slope = slopes(weights, placement)
    scale = float(moved @ slope / (slope @ slope))
    assert scale > 0, "the entropy grows"
    assert numpy.abs(moved - scale * slope).max() < 1e-6 * numpy.abs(moved).max()


def test_each_device_has_an_embedding_that_is_fed_to_the_next_step(tmp_path):
    """A device that was chosen before the last operation, and the first input, have a slope."""
    file = trained_once(tmp_path)
    placement = list(file["placement"].values())
    moved = Policy(file["agent"]["adam"]["mean"]).devices
    fed = {DEVICES, *placement[:-1]}
    assert [bool(numpy.any(moved[row])) for row in range(DEVICES + 1)] == [
        row in fed for row in range(DEVICES + 1)]
