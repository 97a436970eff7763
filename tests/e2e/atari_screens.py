"""Plays a game of Atari through the bridge and through the emulator itself, for test_gym.py.

Usage: atari_screens.py BRIDGE, by a Python that has ale_py. Prints the shape of an observation and
the largest difference of a pixel from the emulator's screens, as JSON.
"""
import json
import pathlib
import sys
import types

import ale_py
import ale_py.roms
import numpy

SKIP, STACK, SIZE, STEPS = 4, 4, 84, 60


def bridge(folder):
    """The module that hone-train starts: without its last line, which serves."""
    source = (folder / "black_background.py").read_text() + (folder / "host.py").read_text()
    module = types.ModuleType("host")
    exec(compile(source.rpartition("\nmain()")[0], "host", "exec"), module.__dict__)
    return module


class Copy:
    """Takes what one copy of the environment returns."""

    def __init__(self):
        self.actions, self.rewards = numpy.zeros(1, "int32"), numpy.zeros(1, "float32")
        self.terminated, self.truncated = numpy.zeros(1, "uint8"), numpy.zeros(1, "uint8")

    def observe_all(self, seen):
        self.seen = numpy.array(seen)[0]


def shares(pixels):
    """How much of each of the pixels belongs to each pixel of the smaller picture."""
    each = pixels / SIZE
    low, high = numpy.arange(SIZE)[:, None] * each, (numpy.arange(SIZE)[:, None] + 1) * each
    first = numpy.arange(pixels)
    return numpy.clip(numpy.minimum(high, first + 1) - numpy.maximum(low, first), 0, None) / each


def smaller(screen):
    return shares(210) @ screen.astype(float) @ shares(160).T


def main():
    copy = Copy()
    game = bridge(pathlib.Path(sys.argv[1])).make_all("atari:Pong?noop_max=0&use_fire_reset=false",
                                                      1)
    game.reset([5], copy)
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    emulator = ale_py.ALEInterface()
    emulator.setFloat("repeat_action_probability", 0.0)
    emulator.loadROM(ale_py.roms.get_rom_path("pong"))
    actions = emulator.getMinimalActionSet()
    stack = [numpy.zeros((SIZE, SIZE))] * (STACK - 1) + [smaller(emulator.getScreenGrayscale())]
    worst = numpy.abs(copy.seen - stack).max()
    for step in range(STEPS):
        copy.actions[0] = (0, 2, 3, 2, 2, 3, 5)[step % 7] % len(actions)
        game.step(copy)
        screens, reward = [], 0
        for _ in range(SKIP):
            reward += emulator.act(actions[copy.actions[0]])
            screens.append(emulator.getScreenGrayscale())
        stack = stack[1:] + [smaller(numpy.maximum(*screens[-2:]))]
        worst = max(worst, numpy.abs(copy.seen - stack).max(), abs(reward - copy.rewards[0]))
    print(json.dumps({"shape": copy.seen.shape, "worst": float(worst)}))


main()
