#!/usr/bin/env python3
"""Metaoptimization of GA3C on MinAtar: random search, HyperTrick, ASHA and hone at equal work.

metaoptimization.py train --keep FOLDER [--bin build/release/bin]   real sweeps on a real server
metaoptimization.py replay --keep FOLDER [--bin ...]    the methods on the recorded curves, often

The space is that of Heinrich and Frosio's slides. Every repetition of a method may train as much as
`--work` complete runs: its sweep is killed after the report that completes them. The set that
`hone best` then names is trained again on seeds that no sweep has used, and so are the published
set and the one that hone's GA3C has for MinAtar.

Random search trains its sets to their ends; the curves of its runs are the table GAME.csv, which
`replay` reads.

FOLDER keeps every result (GAME.csv, GAME.json, results.json), so that a stopped `train` continues.
metaoptimization_page.py prints the tables and draws the plots.
"""
import argparse
import csv
import datetime
import itertools
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "sdk" / "python"))
import hone  # noqa: E402

GAMES = ["asterix", "breakout", "freeway", "seaquest", "space_invaders"]
SPACE = {
    "learning_rate": {"type": "float", "min": 1e-5, "max": 1e-2, "scale": "log"},
    "t_max": {"type": "int", "min": 2, "max": 100, "scale": "log"},
    "gamma": {"type": "choice", "values": [0.9, 0.95, 0.99, 0.995, 0.999, 0.9995, 0.9999]},
}
# What GA3C has and later actor-critics do not: n-step returns, each rollout trained once, RMSProp.
TRAINER = {"name": "ga3c", "lambda": 1, "epochs": 1, "ratio_clip": 0, "optimizer": "rmsprop",
           "train_batch": 32}
FIXED = {"published": {"learning_rate": 3e-4, "t_max": 5, "gamma": 0.99},
         "MinAtar's default": {"learning_rate": 1e-3, "t_max": 32, "gamma": 0.99}}
METHODS = ["random", "hypertrick", "asha", "hone"]
HYPERTRICK_SHARE = 1 / 3  # of its phases that it trains: 65 of 210 in a first trial
PLENTY = 400  # trials of a method that starts new ones as long as there is work left
PHASES = 10


def search_of(method: str, work: int) -> dict:
    """The method as a sweep file names it, with trials for `work` complete runs."""
    trials = {"random": work, "hypertrick": round(work / HYPERTRICK_SHARE)}.get(method, PLENTY)
    rule = {"random": {"rule": "none"}, "hone": {"rule": "hone", "version": 2}}
    return {"search": {"method": "hone" if method == "hone" else "random", "trials": trials},
            "terminator": rule.get(method, {"rule": method})}


def sweep_of(options, game: str, name: str, seed: int, **parts) -> dict:
    return {"name": f"{game}-{name}", "seed": seed,
            "objective": {"metric": "return", "goal": "maximize"},
            "trainer": {**TRAINER, "env": f"MinAtar-{game}"}, "parameters": SPACE,
            "budget": {"unit": "frames", "per_run": options.frames, "phases": PHASES},
            "resources": {"cpus": 1}, **parts}


class Installation:
    """A server and a worker of this program, in a folder that ends with them."""

    def __init__(self, options):
        self.folder = tempfile.TemporaryDirectory(dir=options.scratch)
        os.environ["HONE_BIN"] = str(options.bin)
        self.server = hone.LocalServer(os.path.join(self.folder.name, "data"))
        self.client = hone.Client(self.server.url)
        self.hone = [str(options.bin / "hone"), "--server", self.server.url]
        self.worker = subprocess.Popen(
            [str(options.bin / "hone-worker"), "--server", self.server.url, "--data",
             os.path.join(self.folder.name, "worker"), "--slots", str(options.slots),
             "--die-with-parent"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def close(self):
        self.worker.terminate()
        self.worker.wait()
        self.client.close()
        self.server.close()
        self.folder.cleanup()

    def run(self, spec: dict, phases: int = 0, sets=()) -> tuple[str, list[dict]]:
        """Trains a sweep, or so many phases of it. Returns its id, and its reports in order."""
        sweep = self.client.submit(spec)
        for params in sets:
            self.client.enqueue(sweep, params)
        reports: list[dict] = []
        for event in self.client.watch(sweep):
            if event["kind"] != "report_recorded":
                continue
            reports.append(event)
            if len(reports) == phases:
                self.client.kill(sweep)
        return sweep, reports[:phases] if phases else reports

    def curves(self, sweep: str) -> list[dict]:
        return list(self.client.pages(f"/v1/sweeps/{sweep}/curves", limit=1000))

    def table(self, sweep: str) -> tuple[list[dict], dict]:
        """The rows and the card of the sweep's curve table."""
        file = pathlib.Path(self.folder.name) / f"{sweep}.csv"
        subprocess.run([*self.hone, "export", sweep, "--format", "curves", "--out", str(file)],
                       check=True, stdout=subprocess.DEVNULL)
        return read_table(file), json.loads(file.with_suffix(".json").read_text())


class Kept:
    """The results in a folder: each is a JSON value under a name, written when it is complete."""

    def __init__(self, folder: pathlib.Path):
        self.folder, self.file = folder, folder / "results.json"
        folder.mkdir(parents=True, exist_ok=True)
        self.results = json.loads(self.file.read_text()) if self.file.exists() else {}

    def __contains__(self, name: str) -> bool:
        return name in self.results

    def add(self, name: str, value):
        self.results[name] = value
        lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(one)}"
                           for key, one in sorted(self.results.items()))
        self.file.write_text("{\n" + lines + "\n}\n")

    def live(self, game: str, method: str) -> list[dict]:
        """What the repetitions of a method found, by their number."""
        return [one for name, one in sorted(self.results.items())
                if name.startswith(f"{game}/{method}/")]

    def table(self, game: str) -> pathlib.Path:
        return self.folder / f"{game}.csv"


def value_of(report: dict) -> float:
    """The return, or the worst there is for a run that diverged."""
    return report["value"] if isinstance(report["value"], (int, float)) else -math.inf


def best_so_far(reports: list[dict]) -> list[list[float]]:
    """[phases trained, best report until then] wherever it improved."""
    curve: list[list[float]] = []
    for trained, report in enumerate(reports, 1):
        if value_of(report) > (curve[-1][1] if curve else -math.inf):
            curve.append([trained, value_of(report)])
    return curve


def read_table(file: pathlib.Path) -> list[dict]:
    if not file.exists():
        return []
    with open(file, newline="") as text:
        return list(csv.DictReader(text))


def write_table(file: pathlib.Path, rows: list[dict], card: dict):
    with open(file, "w", newline="") as text:
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    file.with_suffix(".json").write_text(json.dumps(card, indent=2) + "\n")


def search(options, kept: Kept, here: Installation, game: str, method: str, rep: int):
    """One sweep of a method, killed when its work is done. Runs of random search are recorded."""
    spec = sweep_of(options, game, method, options.seed + rep, **search_of(method, options.work))
    sweep, reports = here.run(spec, options.work * PHASES)
    named = here.client.best(sweep, limit=1)[0]
    runs = here.curves(sweep)
    if method == "random":
        rows, card = here.table(sweep)
        write_table(kept.table(game), read_table(kept.table(game)) + rows, card)
    begun, ended = (datetime.datetime.fromisoformat(reports[at]["at"]) for at in (0, -1))
    kept.add(f"{game}/{method}/{rep}", {
        "params": named["params"], "value": named["value"], "phases": len(reports),
        "trials": len({run["number"] for run in runs}),
        "complete": sum(len(run["curve"]) == PHASES for run in runs),
        "seconds": round((ended - begun).total_seconds(), 1), "curve": best_so_far(reports)})


def confirm(options, kept: Kept, here: Installation, game: str):
    """Trains every named set on fresh seeds, and those of FIXED."""
    sets = list(FIXED.values())
    for method in METHODS:
        sets += [one["params"] for one in kept.live(game, method)]
    known = {json.dumps(one["params"]) for one in kept.results.get(f"{game}/confirmed", [])}
    sets = [params for number, params in enumerate(sets)
            if json.dumps(params) not in known and params not in sets[:number]]
    if not sets:
        return
    sweep, _ = here.run(sweep_of(options, game, "confirm", options.seed + 1_000_000 + len(known),
                                 search={"method": "external", "trials": len(sets)},
                                 terminator={"rule": "none"},
                                 replicates={"seeds": options.fresh}), sets=sets)
    curves: dict[str, list[list]] = {}
    for run in here.curves(sweep):
        curves.setdefault(json.dumps(run["params"]), []).append(
            [point["value"] for point in run["curve"]])
    kept.add(f"{game}/confirmed", kept.results.get(f"{game}/confirmed", [])
             + [{"params": json.loads(params), "curves": of} for params, of in curves.items()])


def hold_to_settings(options, kept: Kept):
    """Ends the program if the folder holds results of other settings."""
    own = {name: getattr(options, name) for name in ("frames", "work", "fresh", "slots", "seed")}
    if kept.results.setdefault("settings", own) != own:
        sys.exit(f"{kept.file} has results of other settings: {kept.results['settings']}")


def train(options):
    kept = Kept(options.keep)
    hold_to_settings(options, kept)
    here = Installation(options)
    try:
        for rep in range(max(options.reps, options.random_reps)):
            methods = METHODS if rep < options.reps else METHODS[:1]
            for game, method in itertools.product(options.games, methods):
                if f"{game}/{method}/{rep}" not in kept and (method != "random"
                                                             or rep < options.random_reps):
                    timed(f"{game} {method} {rep}", search, options, kept, here, game, method, rep)
            for game in options.games:
                timed(f"{game} confirm {rep}", confirm, options, kept, here, game)
    finally:
        here.close()


def timed(what: str, function, *arguments):
    begun = time.monotonic()
    function(*arguments)
    print(f"{what}: {time.monotonic() - begun:.1f} s", file=sys.stderr, flush=True)


def replay(options):
    """The same methods at the same work on the recorded curves; every phase takes equally long."""
    kept = Kept(options.keep)
    hold_to_settings(options, kept)
    kept.add("replays", options.replays)
    for game in options.games:
        with tempfile.TemporaryDirectory() as folder:
            table = without_seconds(kept.table(game), pathlib.Path(folder))
            kept.add(f"{game}/replayed", {method: simulated(options, table, method)
                                          for method in METHODS})


def without_seconds(table: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    rows = [{name: cell for name, cell in row.items() if not re.fullmatch(r"s\d+", name)}
            for row in read_table(table)]
    write_table(folder / table.name, rows, json.loads(table.with_suffix(".json").read_text()))
    return folder / table.name


def simulated(options, table: pathlib.Path, method: str) -> dict:
    card = json.loads(table.with_suffix(".json").read_text())
    sweep = table.with_name("sweep.json")
    sweep.write_text(json.dumps({
        "name": "replay", "objective": {"metric": "value", "goal": card["goal"]},
        "command": ["true"], "parameters": card["parameters"],
        "budget": {"unit": "checkpoints", "per_run": PHASES, "phases": PHASES},
        **search_of(method, options.work)}))
    done = subprocess.run(
        [str(options.bin / "hone"), "simulate", str(sweep), "--table", str(table), "--workers",
         str(options.slots), "--deadline", str(options.work / options.slots), "--reps",
         str(options.replays), "--seed", str(options.seed), "--format", "jsonl", "-q"],
        stdout=subprocess.PIPE, text=True, check=True)
    row = json.loads(done.stdout)
    return {name: row[name] for name in ("regret", "true_value", "trials", "phases", "anytime")}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["train", "replay"])
    parser.add_argument("--keep", type=pathlib.Path, required=True, help="folder of the results")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--scratch", help="where server and worker keep their files meanwhile")
    parser.add_argument("--games", nargs="+", choices=GAMES, default=GAMES)
    parser.add_argument("--frames", type=int, default=200_000, help="of a complete run")
    parser.add_argument("--work", type=int, default=10, help="of a repetition, in complete runs")
    parser.add_argument("--reps", type=int, default=3, help="of each method")
    parser.add_argument("--random-reps", type=int, default=3, help="of random search")
    parser.add_argument("--fresh", type=int, default=3, help="seeds of each named set")
    parser.add_argument("--replays", type=int, default=400)
    parser.add_argument("--slots", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    chosen = arguments()
    {"train": train, "replay": replay}[chosen.what](chosen)
