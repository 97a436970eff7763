"""Twenty functions to minimize, on which no setting of hone was chosen.

A space is what a sweep file has under `parameters`; a condition is `PARENT == 'VALUE'`. `value`
takes the active parameters and returns the true value, or None where the trial fails. What
optimizers get has noise of the deviation `noise` in addition. `lowest` is the least true value;
None: not known.
"""
import dataclasses
import functools
import math
import random
from typing import Callable, Optional

import numpy


@dataclasses.dataclass(frozen=True)
class Problem:
    name: str
    space: dict
    value: Callable[[dict], Optional[float]]
    lowest: Optional[float] = 0.0
    noise: float = 0.0


def reals(size: int, low: float, high: float) -> dict:
    return {f"x{i}": {"type": "float", "min": low, "max": high} for i in range(size)}


def log(low: float, high: float) -> dict:
    return {"type": "float", "min": low, "max": high, "scale": "log"}


def ints(low: int, high: int) -> dict:
    return {"type": "int", "min": low, "max": high}


def choice(*values) -> dict:
    return {"type": "choice", "values": list(values)}


def vector(params: dict) -> numpy.ndarray:
    return numpy.array([params[f"x{i}"] for i in range(len(params))])


@functools.lru_cache(None)
def turned(size: int, seed: int) -> numpy.ndarray:
    """A random rotation."""
    matrix = numpy.random.default_rng(seed).normal(size=(size, size))
    return numpy.linalg.qr(matrix)[0]


def inside(size: int, seed: int, low: float, high: float) -> numpy.ndarray:
    """A point in the middle three fifths of a box: no optimum is at a centre or at a border."""
    rng = random.Random(seed)
    return numpy.array([low + (high - low) * rng.uniform(0.2, 0.8) for _ in range(size)])


def bowl(params: dict) -> float:
    """Smooth, turned, with axes of which one is ten times as long as the other."""
    z = turned(3, 1) @ (vector(params) - inside(3, 1, -5, 5))
    return float(z[0] ** 2 + 10 * z[1] ** 2 + 100 * z[2] ** 2)


def soft_corner(params: dict) -> float:
    """Smooth and convex, but not a quadratic."""
    z = vector(params) - inside(5, 2, -3, 3)
    return float(numpy.sum(numpy.logaddexp(z, -z)) - 5 * math.log(2))


def crescent(params: dict) -> float:
    """A bent valley in two dimensions with its lowest point at one end."""
    x, y = vector(params)
    return float(20 * (y - 0.6 * x * x + 1) ** 2 + (x - 1.3) ** 2)


def four_wells(params: dict) -> float:
    """Four basins of different depth and width; the deepest is the narrowest."""
    x = vector(params)
    wells = ((3.0, 0.6, 3), (2.6, 1.2, 4), (2.2, 1.8, 5), (2.0, 2.4, 6))
    depth = max(d * math.exp(-float(numpy.sum((x - inside(4, seed, -4, 4)) ** 2)) / (2 * w * w))
                for d, w, seed in wells)
    return 3.0 - depth


def eggs(params: dict) -> float:
    """Ten dimensions with many regular minima in a bowl."""
    z = vector(params) - inside(10, 7, -5, 5)
    return float(numpy.sum(z * z + 4 * (1 - numpy.cos(2 * math.pi * z))))


def ripples(params: dict) -> float:
    """Five dimensions, turned, with ripples across a cone."""
    z = turned(5, 8) @ (vector(params) - inside(5, 8, -4, 4))
    return float(numpy.linalg.norm(z) + 0.5 * numpy.sum(1 - numpy.cos(4 * z)))


def ridge(params: dict) -> float:
    """Eight dimensions, not smooth: the distance from a line, and the way along it."""
    z = turned(8, 9) @ (vector(params) - inside(8, 9, -2, 2))
    return float(abs(z[0]) * 0.3 + math.sqrt(float(numpy.sum(z[1:] ** 2))))


def two_matter(params: dict) -> float:
    """Ten dimensions of which two matter, and those in a smooth bent valley."""
    a, b = params["x3"], params["x8"]
    return (a - 0.37) ** 2 + 4 * (b - 0.2 - a * a) ** 2


def four_of_thirty(params: dict) -> float:
    """Thirty dimensions of which four matter."""
    goal = inside(4, 10, 0, 1)
    at = numpy.array([params[f"x{i}"] for i in (2, 11, 19, 26)])
    return float(numpy.sum(numpy.abs(at - goal) ** 1.5))


def step_sizes(params: dict) -> float:
    """A valley between two scales, as those of a learning rate and a decay."""
    a, b = math.log10(params["rate"]), math.log10(params["decay"])
    c = math.log2(params["batch"])
    return (a + 2.6 + 0.3 * (c - 6)) ** 2 + 0.3 * (a + b + 6.4) ** 2 + 0.05 * (c - 6) ** 2


def noisy_bowl(params: dict) -> float:
    z = vector(params) - inside(4, 11, -3, 3)
    return float(numpy.sum(z * z * numpy.array([1, 2, 4, 8]))) / 15


def noisy_wells(params: dict) -> float:
    return four_wells({f"x{i}": params[f"x{i}"] for i in range(4)})


def stairs(params: dict) -> float:
    """Integers whose value changes in steps of a few."""
    goal = (13, 4, 9, 17, 6)
    return float(sum(abs(params[f"n{i}"] // 2 - goal[i] // 2) for i in range(5)))


def lattice(params: dict) -> float:
    """Integers that interact."""
    n = [params[f"n{i}"] for i in range(6)]
    pairs = sum((n[i] + n[i + 1] - 10 - i) ** 2 for i in range(5))
    return math.sqrt(pairs + (n[0] - 3) ** 2)


def kinds(params: dict) -> float:
    """Choices that move the optimum of the others."""
    shift = {"a": 0.0, "b": 1.5, "c": -2.0}[params["kind"]]
    cost = {"a": 0.4, "b": 0.0, "c": 0.7}[params["kind"]]
    cost += {"low": 0.5, "mid": 0.0, "high": 0.2}[params["level"]] * (1 + 0.3 * (shift != 0))
    z = numpy.array([params["x0"] - 0.7 - shift, params["x1"] + 1.2, params["x2"] - 0.5 * shift])
    return cost + float(numpy.sum(z * z)) / 6 + abs(params["n"] - 5) / 20


def branches(params: dict) -> float:
    """Parameters that only exist under one value of another."""
    if params["method"] == "first":
        return 0.3 + (math.log10(params["first_rate"]) + 2) ** 2 / 4 + params["x0"] ** 2
    if params["method"] == "second":
        a = math.log10(params["second_rate"]) + 3.3
        b = params["second_momentum"] - 0.85
        return a * a / 4 + 8 * b * b + (params["x0"] - 0.4) ** 2
    return 0.15 + (params["third_depth"] - 7) ** 2 / 30 + (params["x0"] + 0.6) ** 2 / 2


def fails_outside(params: dict) -> Optional[float]:
    """Fails in two thirds of the box; the lowest point is near the edge of what works."""
    z = turned(4, 12) @ (vector(params) - inside(4, 12, -2, 2))
    if z[0] > 0.05 or z[1] < -1.2:
        return None
    return float(numpy.sum(z * z * numpy.array([1, 3, 1, 2])))


def cliff(params: dict) -> float:
    """Better up to an edge, behind which values explode, as a learning rate that is too large."""
    a = math.log10(params["rate"]) + 0.5 * params["momentum"]
    b = params["x0"]
    if a > -1.0 + 0.2 * b:
        return 1e3 * (1 + a + 1)
    return (a + 1.25) ** 2 + 0.5 * (b - 0.3) ** 2 + 0.2 * (params["momentum"] - 0.6) ** 2


@functools.lru_cache(None)
def regression_data():
    rng = numpy.random.default_rng(13)
    x = rng.uniform(size=(240, 6))
    y = 10 * numpy.sin(math.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3]
    y = (y - y.mean()) / y.std() + rng.normal(scale=0.2, size=240)
    return x[:140], y[:140], x[140:], y[140:]


def kernel_regression(params: dict) -> Optional[float]:
    """The error of a kernel ridge regression on data that is held out: a real training."""
    x, y, test, truth = regression_data()
    weights = numpy.array([params[f"w{i}"] for i in range(6)])
    a, b = x * weights, test * weights
    if params["kernel"] == "gauss":
        def kernel(u, v):
            return numpy.exp(-((u[:, None] - v[None]) ** 2).sum(-1) * params["width"])
    else:
        def kernel(u, v):
            return (u @ v.T + params["offset"]) ** params["degree"]
    try:
        alpha = numpy.linalg.solve(kernel(a, a) + params["ridge"] * numpy.eye(len(a)), y)
    except numpy.linalg.LinAlgError:
        return None
    error = float(numpy.mean((kernel(b, a) @ alpha - truth) ** 2))
    return error if math.isfinite(error) else None


def controller(params: dict) -> float:
    """The cost of a controller with three gains and a filter that has to stop a swinging mass."""
    place, speed, total, filtered, cost = 1.0, 0.0, 0.0, 0.0, 0.0
    for _ in range(300):
        filtered += params["filter"] * (speed - filtered)
        total += place * 0.02
        push = -params["p"] * place - params["i"] * total - params["d"] * filtered
        push = min(10.0, max(-10.0, push))
        speed += 0.02 * (push + 2.0 * math.sin(place) + 0.5)
        place += 0.02 * speed
        cost += place * place + 0.002 * push * push
        if abs(place) > 10:
            return 100.0
    return cost / 30


def method_space() -> dict:
    return {
        "method": choice("first", "second", "third"), "x0": reals(1, -1, 1)["x0"],
        "first_rate": {**log(1e-5, 1), "when": "method == 'first'"},
        "second_rate": {**log(1e-6, 1e-1), "when": "method == 'second'"},
        "second_momentum": {"type": "float", "min": 0, "max": 1, "when": "method == 'second'"},
        "third_depth": {**ints(1, 12), "when": "method == 'third'"}}


def regression_space() -> dict:
    return {
        "kernel": choice("gauss", "power"), "ridge": log(1e-6, 1e2),
        **{f"w{i}": log(0.05, 5) for i in range(6)},
        "width": {**log(1e-2, 1e2), "when": "kernel == 'gauss'"},
        "offset": {**log(1e-2, 1e2), "when": "kernel == 'power'"},
        "degree": {**ints(1, 6), "when": "kernel == 'power'"}}


PROBLEMS = [
    Problem("bowl3", reals(3, -5, 5), bowl),
    Problem("soft_corner5", reals(5, -3, 3), soft_corner),
    Problem("crescent2", reals(2, -3, 3), crescent),
    Problem("four_wells4", reals(4, -4, 4), four_wells),
    Problem("eggs10", reals(10, -5, 5), eggs),
    Problem("ripples5", reals(5, -4, 4), ripples),
    Problem("ridge8", reals(8, -2, 2), ridge),
    Problem("two_matter10", reals(10, -1, 1), two_matter),
    Problem("four_of_thirty", reals(30, 0, 1), four_of_thirty),
    Problem("step_sizes3", {"rate": log(1e-6, 1), "decay": log(1e-7, 1e-1),
                            "batch": {**ints(4, 1024), "scale": "log"}}, step_sizes),
    Problem("noisy_bowl4", reals(4, -3, 3), noisy_bowl, noise=0.1),
    Problem("noisy_wells6", reals(6, -4, 4), noisy_wells, noise=0.2),
    Problem("stairs5", {f"n{i}": ints(0, 20) for i in range(5)}, stairs),
    Problem("lattice6", {f"n{i}": ints(0, 15) for i in range(6)}, lattice),
    Problem("kinds6", {"kind": choice("a", "b", "c"), "level": choice("low", "mid", "high"),
                       "n": ints(1, 16), **reals(3, -3, 3)}, kinds),
    Problem("branches6", method_space(), branches),
    Problem("fails4", reals(4, -2, 2), fails_outside),
    Problem("cliff3", {"rate": log(1e-6, 1), "momentum": reals(1, 0, 1)["x0"],
                       "x0": reals(1, -1, 1)["x0"]}, cliff),
    Problem("regression11", regression_space(), kernel_regression, lowest=None),
    Problem("controller4", {"p": log(0.1, 100), "i": log(0.001, 100), "d": log(0.01, 100),
                            "filter": reals(1, 0.02, 1)["x0"]}, controller, lowest=None),
]
