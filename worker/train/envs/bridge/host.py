"""Steps environments with the interface of Gymnasium for hone-train, in a separate process.

`describe NAME FD` writes a description of the environment to FD: a word and its values on each
line, or one line `error TEXT`. `serve NAME PLAN` steps PLAN["count"] copies until the process that
started it ends. Both processes share a segment of memory, in which PLAN gives the offset of each
array, and signal each other by eventfds: no bytes are copied through a pipe.

NAME is gym:ID, gym:PACKAGE/ID, gym:MODULE:CALLABLE (the callable returns an object with reset, step
and the two spaces) or atari:GAME, with
?frames=published as published_frames.py shows it;
?key=value&... are arguments of the maker. An episode that ends is reset within the same step,
whatever the environment does by itself.
"""
import importlib
import json
import mmap
import os
import signal
import sys
import threading
import traceback

RESET, STEP = 1, 2
HEADER_WORDS = 16  # command, index of the observations to write, 1 if the last command failed


def split_name(name):
    """Returns (kind, what, arguments). Values are parsed as JSON if possible, else texts."""
    kind, _, rest = name.partition(":")
    what, _, query = rest.partition("?")
    arguments = {}
    for pair in filter(None, query.split("&")):
        key, _, text = pair.partition("=")
        try:
            arguments[key] = json.loads(text)
        except ValueError:
            arguments[key] = text
    return kind, what, arguments


def gymnasium():
    try:
        return importlib.import_module("gymnasium")
    except ImportError as why:
        raise ImportError(
            f"{why}: install it for {sys.executable} (python3 -m venv DIR; DIR/bin/pip install gymnasium) and name that "
                          "Python in HONE_PYTHON") from None


def make_one(what, arguments):
    """Makes one environment: by a callable of a module, or by an id of Gymnasium, whose package is imported if necessary."""
    if ":" in what:
        module, _, attribute = what.partition(":")
        return getattr(importlib.import_module(module), attribute)(**arguments)
    gym = gymnasium()
    package, _, rest = what.partition("/")
    if what not in gym.registry and rest:
        try:
            found = importlib.import_module(package)
            gym.register_envs(found)
        except ModuleNotFoundError as why:
            if why.name != package:
                raise
    if what not in gym.registry and rest in gym.registry:
        what = rest
    return gym.make(what, **arguments)


def product(sizes):
    total = 1
    for size in sizes:
        total *= int(size)
    return total


def flat(value):
    """Returns the numbers of nested sequences, arrays and scalars, in order."""
    if hasattr(value, "ravel"):
        return value.ravel()
    if isinstance(value, (list, tuple)):
        return [number for part in value for number in flat(part)]
    return [value]


class Space:
    """The shape of the numbers of an observation, and `read`, which returns them."""

    def __init__(self, space):
        self.read, self.kind, self.shape = flat, "float", tuple(getattr(space, "shape", None) or ())
        if hasattr(space, "n") and not self.shape:
            self.kind, self.shape, self.start = "float", (int(space.n),), int(
                getattr(space, "start", 0))
            self.read = self.one_hot
        elif hasattr(space, "spaces") or not hasattr(space, "shape") or space.shape is None:
            spaces = importlib.import_module("gymnasium.spaces")
            self.shape = spaces.flatten_space(space).shape
            self.read = lambda value: spaces.flatten(space, value)
        elif str(getattr(space, "dtype", "")) == "uint8":
            self.kind = "byte"
        self.size = product(self.shape)

    def one_hot(self, value):
        numbers = [0.0] * self.size
        numbers[int(value) - self.start] = 1.0
        return numbers

    def planes(self):
        """Returns rows, columns, channels, and whether the channels come first; zeros if it is not a picture."""
        if self.kind != "byte" or len(self.shape) not in (2, 3):
            return 0, 0, 0, 0
        if len(self.shape) == 2:
            return (*self.shape, 1, 0)
        first = self.shape[0] < self.shape[2]
        rows, columns, channels = (*self.shape[1:], self.shape[0]) if first else self.shape
        return rows, columns, channels, int(first)


class Actions:
    """Converts an index, or numbers from -1 to 1, to actions of the environment."""

    combinations_max = 4096

    def __init__(self, space):
        if hasattr(space, "nvec") or type(space).__name__ == "MultiBinary":
            self.sizes = [int(n) for n in flat(getattr(space, "nvec", [2] * product(space.shape)))]
            self.kind, self.count, self.read = "discrete", product(self.sizes), self.combination
            if self.count > self.combinations_max:
                raise ValueError(
                    f"{self.count} combinations of actions are more than {self.combinations_max}")
        elif hasattr(space, "n"):
            self.kind, self.count, self.start = "discrete", int(space.n), int(
                getattr(space, "start", 0))
            self.read = lambda rows, i: int(rows[i]) + self.start
        elif hasattr(space, "low"):
            self.kind, self.count, self.shape = "continuous", product(space.shape), tuple(
                space.shape)
            self.low, self.high = ([float(x) for x in flat(bound)]
                                   for bound in (space.low, space.high))
            self.dtype, self.read = getattr(space, "dtype", None), self.numbers
        else:
            raise ValueError(f"hone cannot choose actions of {type(space).__name__}")

    def combination(self, rows, i):
        index, parts = int(rows[i]), []
        for size in reversed(self.sizes):
            index, part = divmod(index, size)
            parts.append(part)
        return self.shaped(parts[::-1], "int64")

    def numbers(self, rows, i):
        parts = []
        for given, low, high in zip(rows[i * self.count:(i + 1) * self.count], self.low, self.high):
            bounded = abs(low) < 1e30 and abs(high) < 1e30
            parts.append(min(max(low + (given + 1.0) * 0.5 * (high - low), low), high) if bounded
                         else float(given))
        return self.shaped(parts, self.dtype)

    def shaped(self, parts, dtype):
        if "numpy" not in sys.modules:
            return parts
        array = sys.modules["numpy"].array(parts, dtype=dtype)
        return array.reshape(getattr(self, "shape", array.shape))


class Singles:
    """Copies that are stepped one after another."""

    def __init__(self, make, count):
        self.copies = [make() for _ in range(count)]
        first = self.copies[0]
        self.space, self.actions = Space(first.observation_space), Actions(first.action_space)
        spec = getattr(first, "spec", None)
        self.limit = getattr(spec, "max_episode_steps", None) or 0
        self.solved = getattr(spec, "reward_threshold", None)

    def reset(self, seeds, out):
        for i, copy in enumerate(self.copies):
            out.observe(i, self.space.read(copy.reset(seed=int(seeds[i]))[0]))

    def step(self, out):
        for i, copy in enumerate(self.copies):
            seen, reward, terminated, truncated, _ = copy.step(self.actions.read(out.actions, i))
            out.rewards[i], out.terminated[i], out.truncated[i] = float(reward), bool(
                terminated), bool(truncated)
            if terminated or truncated:
                out.end(i, self.space.read(seen))
                seen, _ = copy.reset()
            out.observe(i, self.space.read(seen))


def installed(module):
    try:
        return importlib.import_module(module)
    except ImportError as why:
        raise ImportError(
            f"{why}: install it for {sys.executable} (pip install gymnasium ale-py), or `hone doctor --install atari`") from None


def snake_case(game):
    """SpaceInvaders and space-invaders are space_invaders, as ale_py names its games."""
    return "".join("_" + c.lower() if c.isupper() and i else c.lower() for i,
                   c in enumerate(game)).replace("-", "_").replace("__", "_")


class Atari:
    """The vector environment of ALE with the usual preprocessing: 84 x 84 grey, each action four times, the maximum of the last two frames,
    four frames in an observation, up to 30 no-ops at the start of a game; ?background=black as
    black_background.py shows it; ?life_loss_info=true marks steps that lose a life."""

    limit, solved = 27_000, None
    life_lost = 2  # as in env.hpp

    def __init__(self, game, arguments, count, sticky):
        vector = installed("ale_py.vector_env")
        background = arguments.pop("background", "kept")
        self.tells_lives = bool(arguments.get("life_loss_info"))
        given = dict(num_threads=1, reward_clipping=False, autoreset_mode="SameStep",
                     repeat_action_probability=sticky)
        self.games = vector.AtariVectorEnv(game, count, **{**given, **arguments})
        self.space, self.actions = Space(self.games.single_observation_space), Actions(
            self.games.single_action_space)
        # black_background.py, in front of this file, has it.
        self.background = background_of(background, self.space.shape)  # noqa: F821

    def reset(self, seeds, out):
        numpy = sys.modules["numpy"]
        seen, info = self.games.reset(seed=numpy.array(seeds, dtype=numpy.int32))
        self.lives = numpy.array(info["lives"])
        out.observe_all(self.background.reset(seen))

    def step(self, out):
        numpy = sys.modules["numpy"]
        seen, rewards, terminated, truncated, info = self.games.step(numpy.asarray(out.actions))
        numpy.copyto(numpy.asarray(out.rewards), rewards, casting="unsafe")
        # A game that is over has been replaced by one with all lives.
        lost = terminated & ~truncated & (info["lives"] < self.lives) & self.tells_lives
        self.lives = numpy.array(info["lives"])
        over = (terminated & ~lost) | truncated
        ends = numpy.where(lost, self.life_lost, terminated)
        numpy.copyto(numpy.asarray(out.terminated), ends, casting="unsafe")
        numpy.copyto(numpy.asarray(out.truncated), truncated, casting="unsafe")
        if over.any():
            for i in over.nonzero()[0]:
                out.end(int(i), self.background.convert(info["final_obs"][i]).ravel())
        out.observe_all(self.background.step(seen, over))


def make_all(name, count, sticky=0.0):
    kind, what, arguments = split_name(name)
    if kind != "atari":
        return Singles(lambda: make_one(what, arguments), count)
    frames, game = arguments.pop("frames", "standard"), snake_case(what)
    if frames == "standard":
        return Atari(game, arguments, count, sticky)
    if frames != "published":
        raise ValueError(f"frames is standard or published, not '{frames}'")
    installed("ale_py")
    # published_frames.py, in front of this file, has it.
    return Singles(lambda: published_game(game, arguments, sticky), count)  # noqa: F821


class Segment:
    """The arrays in shared memory."""

    def __init__(self, plan, space):
        memory = memoryview(mmap.mmap(plan["memory"], plan["bytes"]))
        count, size = plan["count"], space.size
        letter, width = ("B", 1) if space.kind == "byte" else ("f", 4)

        def array(at, length, code, each):
            return memory[at:at + length * each].cast(code)

        self.header = array(0, HEADER_WORDS, "I", 4)
        self.error = memory[plan["error"]:plan["error"] + plan["error_bytes"]]
        self.seeds = array(plan["seeds"], count, "q", 8)
        self.actions = array(plan["actions"], count * plan["actions_each"], plan["action_code"], 4)
        self.rewards = array(plan["rewards"], count, "f", 4)
        self.terminated, self.truncated = array(plan["terminated"], count, "B",
                                                1), array(plan["truncated"], count, "B", 1)
        self.final = array(plan["final"], count * size, letter, width)
        self.both = [array(at, count * size, letter, width) for at in plan["observations"]]
        self.size, self.count = size, count
        if "numpy" in sys.modules:
            asarray = sys.modules["numpy"].asarray
            self.actions, self.final, self.both = asarray(self.actions), asarray(self.final), [
                asarray(one) for one in self.both]
            self.put = self.put_array
        else:
            self.put = self.put_list

    def put_array(self, target, at, numbers):
        target[at:at + self.size] = numbers

    def put_list(self, target, at, numbers):
        for k, number in enumerate(numbers):
            target[at + k] = number

    def observe(self, i, numbers):
        self.put(self.both[self.header[1]], i * self.size, numbers)

    def observe_all(self, numbers):
        self.both[self.header[1]][:] = numbers.reshape(-1)

    def end(self, i, numbers):
        self.put(self.final, i * self.size, numbers)

    def fail(self, text):
        raw = text.encode("utf-8", "replace")[-len(self.error) + 1:]
        self.error[:len(raw)] = raw
        self.error[len(raw)] = 0
        self.header[2] = 1


def reason():
    """Returns the exception that is being handled, with its file and line, on one line."""
    kind, value, trace = sys.exc_info()
    frames = traceback.extract_tb(trace)
    where = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
    return f"{kind.__name__}: {value}{where}".replace("\n", " ")


def describe(name, descriptor):
    with os.fdopen(descriptor, "w") as out:
        try:
            one = make_all(name, 1)
            solved = "none" if one.solved is None else float(one.solved)
            out.write(
                f"observation {one.space.kind} {one.space.size} {' '.join(map(str, one.space.planes()))}\n"
                      f"action {one.actions.kind} {one.actions.count}\nlimit {one.limit}\nsolved {solved}\n")
        except Exception:  # an environment may raise anything
            out.write(f"error {reason()}\n")


def die_with(lifeline):
    """Ends this process when the process that started it ends: the other end of the pipe then closes."""
    def wait():
        os.read(lifeline, 1)
        os._exit(0)
    threading.Thread(target=wait, daemon=True).start()


def obey(environments, segment):
    if segment.header[0] == RESET:
        environments.reset(segment.seeds, segment)
    else:
        environments.step(segment)


def serve(name, plan):
    die_with(plan["lifeline"])
    called, answer = plan["bells"]
    segment = None
    while True:
        os.read(called, 8)
        try:
            if segment is None:
                environments = make_all(name, plan["count"], plan["sticky"])
                segment = Segment(plan, environments.space)
            segment.header[2] = 0
            obey(environments, segment)
        except Exception:  # an environment may raise anything: report it, and hone-train decides
            if segment is None:
                print(f"{name}: {reason()}", file=sys.stderr)
                os._exit(1)
            segment.fail(reason())
        os.write(answer, (1).to_bytes(8, "little"))


def main():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.dup2(2, 1)  # output of an environment must not mix with results of the training
    verb, name, rest = sys.argv[1:4]
    if "frames=published" in name:  # threads of OpenBLAS would only wait for each other
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        importlib.import_module("numpy")
    except ImportError:
        pass  # some environments do not need it
    if verb == "describe":
        describe(name, int(rest))
    else:
        serve(name, json.loads(rest))


main()
