#!/usr/bin/env python3
"""The golden numbers of tests/unit/search/tpe_textbook_test.cpp: TPE written down a second time, from
Bergstra et al. (2011) and hyperopt, without a line of hone. Prints the densities of 20 given trials
and the exact distribution of a proposal, by integration on a grid instead of drawing.
"""
import math

TRIALS, GAMMA = 20, 0.15
POINTS = [((i + 1) * 0.6180339887498949 % 1, (i + 1) * 0.7548776662466927 % 1)
          for i in range(TRIALS)]


def phi(z):
    return math.exp(-z * z / 2) / math.sqrt(2 * math.pi)


def cumulative(z):
    return (1 + math.erf(z / math.sqrt(2))) / 2


class Density:
    def __init__(self, xs):
        self.xs = sorted(xs)
        edges = [0] + self.xs + [1]
        least = 1 / min(100, len(xs) + 1)
        self.sds = [min(1, max(least, edges[i] - edges[i - 1], edges[i + 1] - edges[i]))
                    for i in range(1, len(edges) - 1)]
        self.mass = 1 + sum(cumulative((1 - x) / s) - cumulative(-x / s)
                            for x, s in zip(self.xs, self.sds))

    def __call__(self, x):
        return (1 + sum(phi((x - m) / s) / s for m, s in zip(self.xs, self.sds))) / self.mass


def split(loss):
    order = sorted(POINTS, key=loss)
    count = math.ceil(GAMMA * TRIALS)
    return order[:count], order[count:]


def best_of(candidates, cells):
    """Probabilities of the cells (probability under l, log ratio) to hold the best of the draws."""
    order = sorted(range(len(cells)), key=lambda i: cells[i][1])
    shares, below = [0.0] * len(cells), 0.0
    for i in order:
        upto = below + cells[i][0]
        shares[i] = upto ** candidates - below ** candidates
        below = upto
    return shares


def normed(values):
    total = sum(values)
    return [value / total for value in values]


def tenths(shares):
    """The cumulative distribution at 0.1, 0.2, ..., 0.9."""
    size = len(shares)
    return [sum(shares[:size * k // 10]) for k in range(1, 10)]


def show(name, numbers):
    print(f"{name:24}" + ", ".join(f"{number:.9f}" for number in numbers))


def one_dimension():
    good, bad = (Density([x for x, _ in side]) for side in split(lambda p: (p[0] - 0.3) ** 2))
    show("deviations of l", good.sds)
    show("deviations of g", bad.sds)
    places = (0.0, 0.1, 0.3, 0.55, 1.0)
    show("l", [good(x) for x in places])
    show("g", [bad(x) for x in places])
    size = 20_000
    middles = [(i + 0.5) / size for i in range(size)]
    ratios = [math.log(good(x) / bad(x)) for x in middles]
    under_l = normed([good(x) for x in middles])
    for candidates in (1, 24):
        shares = best_of(candidates, list(zip(under_l, ratios)))
        show(f"cdf, best of {candidates}", tenths(shares))
        show(f"mean ratio, best of {candidates}", [sum(p * r for p, r in zip(shares, ratios))])


def two_dimensions():
    sides = split(lambda p: (p[0] - 0.3) ** 2 + (p[1] - 0.7) ** 2)
    size = 600
    middles = [(i + 0.5) / size for i in range(size)]
    axes = []
    for axis in (0, 1):
        good, bad = (Density([point[axis] for point in side]) for side in sides)
        axes.append((normed([good(x) for x in middles]),
                     [math.log(good(x) / bad(x)) for x in middles]))
    cells = [(p * q, r + s) for p, r in zip(*axes[0]) for q, s in zip(*axes[1])]
    shares = best_of(24, cells)
    rows = [shares[i * size:(i + 1) * size] for i in range(size)]
    show("cdf of x, best of 24", tenths([sum(row) for row in rows]))
    show("cdf of y, best of 24", tenths([sum(column) for column in zip(*rows)]))
    show("mean ratio, best of 24", [sum(p * cell[1] for p, cell in zip(shares, cells))])


one_dimension()
two_dimensions()
