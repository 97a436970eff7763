#!/usr/bin/env python3
"""Prints the tables of docs/measurements/metaoptimization.md and draws its plots.

metaoptimization_page.py --keep tests/data/metaoptimization [--plots docs/images]

FOLDER of --keep is that of metaoptimization.py.
"""
import argparse
import json
import math
import pathlib
import statistics
import sys

from metaoptimization import FIXED, GAMES, METHODS, PHASES, ROOT, Kept

sys.path.insert(0, str(ROOT / "sdk" / "python"))
from hone import plot  # noqa: E402


def fresh(kept: Kept, game: str, params: dict) -> list[float]:
    """The last returns of a set on fresh seeds; a run that diverged has none."""
    for one in kept.results.get(f"{game}/confirmed", []):
        if one["params"] == params:
            return [curve[-1] for curve in one["curves"] if isinstance(curve[-1], (int, float))]
    return []


def scores(kept: Kept, game: str, method: str) -> list[float]:
    """For each repetition the mean of its named set on fresh seeds."""
    found = [fresh(kept, game, one["params"]) for one in kept.live(game, method)]
    return [statistics.mean(values) for values in found if values]


def estimate(values: list[float]) -> tuple[float, float]:
    """The mean and its standard error."""
    error = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0
    return statistics.mean(values), error


def text_of(mean: float, error: float, digits: int = 2) -> str:
    return f"{mean:.{digits}f} ± {error:.{digits}f}"


def row(*cells):
    print("| " + " | ".join(map(str, cells)) + " |")


def head(*cells):
    row(*cells)
    row("---", *["---:"] * (len(cells) - 1))


def print_scores(options, kept: Kept):
    print(f"Return of the named set on {kept.results['settings']['fresh']} fresh seeds, by game:\n")
    head("game", *METHODS, *FIXED)
    ranks: dict[str, list[int]] = {method: [] for method in METHODS}
    for game in options.games:
        found = {method: estimate(scores(kept, game, method)) for method in METHODS}
        best = max(mean for mean, _ in found.values())
        cells = [text_of(*one) if one[0] < best else f"**{text_of(*one)}**"
                 for one in found.values()]
        row(game, *cells, *(text_of(*estimate(fresh(kept, game, one))) for one in FIXED.values()))
        for method, (mean, _) in found.items():
            ranks[method].append(1 + sum(other > mean for other, _ in found.values()))
    row("mean rank", *(f"{statistics.mean(of):.1f}" for of in ranks.values()), *[""] * len(FIXED))


def print_work(options, kept: Kept):
    print("\nWork of a repetition, and what its sweep had reported of the set that it named:\n")
    head("game, method", "repetitions", "phases", "sets", "complete runs", "seconds", "reported",
         "fresh seeds")
    for game in options.games:
        for method in METHODS:
            live = kept.live(game, method)
            row(f"{game}, {method}", len(live),
                *(f"{statistics.mean(one[name] for one in live):.0f}"
                  for name in ("phases", "trials", "complete", "seconds")),
                text_of(*estimate([one["value"] for one in live])),
                text_of(*estimate(scores(kept, game, method))))


def print_sets(options, kept: Kept):
    print("\nThe sets that were named, each repetition's with its return on fresh seeds:\n")
    row("game, method", "learning rate, t_max, gamma: return")
    row("---", "---")
    for game in options.games:
        for method in METHODS:
            named = [f"{one['params']['learning_rate']:.2g}, {one['params']['t_max']}, "
                     f"{one['params']['gamma']}: {score:.2f}" for one, score in
                     zip(kept.live(game, method), scores(kept, game, method))]
            row(f"{game}, {method}", "; ".join(named))


def print_replays(options, kept: Kept):
    found = {game: kept.results.get(f"{game}/replayed") for game in options.games}
    for name, digits, what in (("regret", 3, "Normalized regret"), ("true_value", 2, "Return"),
                               ("phases", 1, "Work in complete runs"), ("trials", 1, "Sets tried")):
        print(f"\n{what} in {kept.results.get('replays')} replays:\n")
        head("game", *METHODS)
        for game, of in found.items():
            if of:
                row(game, *(text_of(of[method][name]["mean"], of[method][name]["se"], digits)
                            for method in METHODS))


def value_at(curve: list[list[float]], phases: int) -> float:
    return [value for trained, value in curve if trained <= phases][-1]


def live_line(kept: Kept, game: str, method: str) -> plot.Line:
    """The best report so far, its mean over the repetitions and the standard error."""
    settings = kept.results["settings"]
    curves = [one["curve"] for one in kept.live(game, method)]
    grid = range(4, settings["work"] * PHASES + 1, 4)
    found = [(trained * settings["frames"] / PHASES / 1e6,
              estimate([value_at(curve, trained) for curve in curves])) for trained in grid]
    return plot.Line(method, [(x, mean) for x, (mean, _) in found],
                     [(x, mean - error, mean + error) for x, (mean, error) in found])


def replay_line(of: dict, method: str) -> plot.Line:
    points = [(point["time"], point["regret"]) for point in of[method]["anytime"]]
    return plot.Line(method, [(time, regret["mean"]) for time, regret in points])


def training_line(kept: Kept, curves: list[list], name: str) -> plot.Line:
    """The mean over the seeds, as long as all of them have a value."""
    columns = [values for values in zip(*curves) if "diverged" not in values]
    thousands = kept.results["settings"]["frames"] / PHASES / 1e3
    return plot.Line(name, [((phase + 1) * thousands, statistics.mean(values))
                            for phase, values in enumerate(columns)])


def training_lines(kept: Kept, game: str) -> list[plot.Line]:
    """The fixed sets and the named one with the highest return, over training on fresh seeds."""
    confirmed = kept.results[f"{game}/confirmed"]
    names = {json.dumps(params): name for name, params in FIXED.items()}
    lines = [training_line(kept, one["curves"], names[json.dumps(one["params"])])
             for one in confirmed if json.dumps(one["params"]) in names]
    best = max(confirmed, key=lambda one: statistics.mean(fresh(kept, game, one["params"]) or [0]))
    return [*lines, training_line(kept, best["curves"], "best of those found")]


def draw(options, kept: Kept):
    charts = {"live": [plot.Chart(game, [live_line(kept, game, method)
                                         for method in METHODS],
                                  "frames of the sweep, millions", "best report so far", True)
                       for game in options.games],
              "replayed": [plot.Chart(game, [replay_line(kept.results[f"{game}/replayed"], method)
                                             for method in METHODS],
                                      "work, complete runs of a worker", "regret")
                           for game in options.games],
              "training": [plot.Chart(game, training_lines(kept, game),
                                      "frames of a run, thousands", "return")
                           for game in options.games]}
    for name, of in charts.items():
        file = options.plots / f"metaoptimization-{name}.svg"
        file.write_text(plot.svg(of, 3, 300, 200))
        print(file, file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=pathlib.Path, required=True, help="folder of the results")
    parser.add_argument("--plots", type=pathlib.Path, help="draw them into this folder")
    parser.add_argument("--games", nargs="+", choices=GAMES, default=GAMES)
    options = parser.parse_args()
    kept = Kept(options.keep)
    for show in (print_scores, print_work, print_sets, print_replays):
        show(options, kept)
    if options.plots:
        draw(options, kept)


if __name__ == "__main__":
    main()
