"""Environments of Gymnasium's kind that need no package, for tests of the bridge. They say what was
done to them, and fail as told."""
import os
import random
import signal
import threading


class Numbers:
    """A space of numbers between two bounds."""

    def __init__(self, shape, low, high, dtype="float32"):
        size = 1
        for side in shape:
            size *= side
        self.shape, self.dtype, self.low, self.high = shape, dtype, [low] * size, [high] * size


class Choices:
    def __init__(self, n, start=0):
        self.n, self.start = n, start


class Walk:
    """Sees [seed, position, steps]; each action adds to the position and is the reward. Ends after
    `length` steps, by its rules or cut off.
    `fault` at `fault_at` steps of an episode: raise, die or hang."""

    def __init__(self, length=3, cut=False, actions="choices", fault="", fault_at=2):
        self.observation_space = Numbers((3,), -1e9, 1e9)
        self.action_space = Choices(4,
                                    start=10) if actions == "choices" else Numbers((2,), -2.0, 6.0)
        self.length, self.cut, self.fault, self.fault_at = length, cut, fault, fault_at
        self.seed = -1

    def reset(self, seed=None):
        self.seed = self.seed + 1 if seed is None else seed % 1000
        self.position, self.steps = 0.0, 0
        return self.seen(), {}

    def seen(self):
        return [float(self.seed), float(self.position), float(self.steps)]

    def step(self, action):
        moved = sum(action) if isinstance(action, list) or hasattr(action, "sum") else action
        self.position += float(moved)
        self.steps += 1
        if self.fault and self.steps == self.fault_at:
            self.fail()
        over = self.steps >= self.length
        return self.seen(), float(moved), over and not self.cut, over and self.cut, {}

    def fail(self):
        if self.fault == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.fault == "hang":
            threading.Event().wait()
        raise RuntimeError("the walk is over")


class PaidWalk(Walk):
    """A walk whose rewards are those of the variable WALK_REWARD, if this process has it."""

    def step(self, action):
        seen, reward, *rest = super().step(action)
        return seen, float(os.environ.get("WALK_REWARD", reward)), *rest


class Picture:
    """Sees planes of 2 x 5 bytes, channels first: channel * 50 + row * 10 + column. Flat, it is no
    picture."""

    def __init__(self, channels=2, flat=False):
        self.channels = channels
        shape = (channels * 10,) if flat else (channels, 2, 5)
        self.observation_space, self.action_space = Numbers(shape, 0, 255, "uint8"), Choices(2)

    def reset(self, seed=None):
        return self.seen(), {}

    def step(self, action):
        return self.seen(), 0.0, False, False, {}

    def seen(self):
        return [[[channel * 50 + row * 10 + column for column in range(5)] for row in range(2)]
                for channel in range(self.channels)]


class Catch:
    """A ball of 2 x 2 pixels falls by a block of 4 x 4 each step, and the paddle moves by a block
    or stays. The reward of the last step is 1 if the ball ends within a block of the paddle, and -1
    otherwise."""

    blocks, block, ball = 6, 4, 2

    def __init__(self, background=0):
        self.side = self.blocks * self.block
        self.observation_space = Numbers((self.side, self.side, 1), 0, 255, "uint8")
        self.action_space, self.background, self.random = Choices(3), background, random.Random(0)

    def reset(self, seed=None):
        if seed is not None:
            self.random = random.Random(seed)
        self.across, self.down = self.random.randrange(self.blocks), 0
        self.paddle = self.random.randrange(self.blocks)
        return self.seen(), {}

    def step(self, action):
        self.paddle = min(max(self.paddle + int(action) - 1, 0), self.blocks - 1)
        self.down += 1
        over = self.down == self.blocks - 1
        caught = abs(self.across - self.paddle) <= 1
        return self.seen(), over * (2.0 * caught - 1.0), over, False, {}

    def seen(self):
        rows = [[self.background] * self.side for _ in range(self.side)]
        self.paint(rows, self.across * self.block, self.down * self.block, self.ball, 236)
        self.paint(rows, self.paddle * self.block, self.side - 2, self.block, 147)
        return rows

    def paint(self, rows, left, top, width, level):
        for row in rows[top:top + 2]:
            row[left:left + width] = [level] * width


class Meeting(Walk):
    """Begins only while another process begins as well: opening a pipe waits for its other end. Needs
    a named pipe `pipe` and no folder `first` in `folder`."""

    def __init__(self, folder):
        super().__init__()
        self.folder = folder

    def reset(self, seed=None):
        try:
            os.mkdir(os.path.join(self.folder, "first"))
            end = "w"
        except FileExistsError:
            end = "r"
        with open(os.path.join(self.folder, "pipe"), end):
            return super().reset(seed)


def broken():
    raise ValueError("no such walk")
