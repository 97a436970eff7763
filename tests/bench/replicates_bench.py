#!/usr/bin/env python3
"""What seeds, racing and confirmation are worth, by `hone simulate`.

Prints the tables of docs/measurements/replicates.md:
  replicates_bench.py winner   regret of the confirmed winner, and how optimistic tuning was
  replicates_bench.py lost     how often each rule stops the truly best set, at which work
  replicates_bench.py seeds    min, max and confirmation: the basis of the recommendations

By default on the tables of that page: three made by tools/make_noisy_curves and hone's GA3C
tables. --held-out takes the eleven others on which settings were chosen. --reps is the number of
sweeps; each has 8 workers.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
REPORTED = {
    "lucky": "",
    "collapsing": "--collapse 0.3 --luck 0.1 --seed 2",
    "calm": "--luck 0.05 --collapse 0 --seed 3",
}
RECORDED = ["ga3c_cartpole", "ga3c_cartpole_wide", "ga3c_acrobot", "ga3c_cartpole_20",
            "ga3c_cartpole_wide_20",
            "ga3c_acrobot_20", "ga3c_cartpole_short"]
HELD_OUT = {
    "rough": "--luck 0.3 --jitter 0.1 --collapse 0.2 --seed 11",
    "flat": "--luck 0.1 --collapse 0 --slope 1 --seed 12",
    "heavy": "--luck 0.15 --collapse 0 --shape heavy --seed 13",
    "worth": "--luck 0.3 --collapse 0.05 --shape worth --seed 14",
    "quiet": "--luck 0.03 --jitter 0.02 --collapse 0 --seeds 3 --seed 15",
    "three": "--luck 0.15 --collapse 0.15 --seeds 3 --seed 16",
    "capped": "--luck 0.25 --collapse 0.1 --ceiling 0.7 --seeds 3 --sets 80 --seed 17",
    "ceil":
    "--luck 0.02 --jitter 0.004 --collapse 0 --ceiling 0.5 --slope 2 --unstable 0.5 --seeds 20 --seed 31",
    "shaky":
    "--luck 0.05 --jitter 0.03 --collapse 0 --ceiling 0.75 --unstable 0.6 --seeds 20 --seed 21",
    "bloom":
    "--luck 0.05 --jitter 0.03 --collapse 0.05 --crossing 1 --slope 2 --seeds 20 --seed 41",
    "blooms":
    "--luck 0.15 --jitter 0.03 --collapse 0.05 --crossing 1.3 --slope 2 --ceiling 0.6 --unstable 0.4 "
              "--seeds 20 --seed 42",
}


def make_tables(options) -> list:
    made = []
    for name, words in (HELD_OUT if options.held_out else REPORTED).items():
        file = options.folder / f"{name}.csv"
        subprocess.run([sys.executable, ROOT / "tools/make_noisy_curves", file, *words.split()],
                       check=True)
        made.append(file)
    if not options.held_out:
        made += [ROOT / f"tests/data/curves/{name}.csv" for name in RECORDED]
    return [file for file in made if not options.only or file.stem in options.only]


def simulate(options, table, deadline, **changes) -> dict:
    card = json.loads(table.with_suffix(".json").read_text())
    sweep = {"name": "simulated", "objective": {"metric": "value", "goal": card["goal"]},
             "command": ["true"],
             "parameters": card["parameters"], "search": {"trials": 200},
             "budget": {"unit": "checkpoints", "per_run": card["checkpoints"], "phases": 10},
             **changes}
    file = options.folder / "sweep.json"
    file.write_text(json.dumps(sweep))
    command = [options.hone, "simulate", file, "--table", table, "--workers", "8", "--deadline",
               str(deadline),
               "--reps", str(options.reps), "--seed", str(options.seed), "--format", "jsonl", "-q"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(done.returncode)
    return json.loads(done.stdout)


def say(*cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def estimate(row, name):
    return f"{row[name]['mean']:.3f} ± {row[name]['se']:.3f}"


def print_winner(options):
    confirmed = {"replicates": {"seeds": {"min": 1, "max": 5}}, "confirm": {"top": 2, "seeds": 4}}
    say("table", "single runs: regret", "gap", "seeds {1..5}, confirmed: regret",
        "gap of the aggregate",
        "gap of `expected`", "gap of the confirmation")
    say("---", *["---:"] * 6)
    for table in make_tables(options):
        one = simulate(options, table, 6)
        many = simulate(options, table, 6, **confirmed)
        say(table.stem, estimate(one, "regret"), estimate(one, "gap"), estimate(many, "confirmed"),
            estimate(many, "gap"), estimate(many, "expected_gap"), estimate(many, "confirmed_gap"))


RULES = [
    ("noise-aware", {"rule": "none"}, {"seeds": 2, "race": True}),
    ("hypertrick", {"rule": "hypertrick"}, {"seeds": 2}),
    ("hypertrick, rate 0.15", {"rule": "hypertrick", "eviction_rate": 0.15}, {"seeds": 2}),
    ("hypertrick, rate 0.35", {"rule": "hypertrick", "eviction_rate": 0.35}, {"seeds": 2}),
    ("asha, eta 2", {"rule": "asha", "eta": 2}, {"seeds": 2}),
    ("asha, eta 2, from phase 2", {"rule": "asha", "eta": 2, "first_rung": 2}, {"seeds": 2}),
    ("asha, eta 2, from phase 3", {"rule": "asha", "eta": 2, "first_rung": 3}, {"seeds": 2}),
    ("hone", {"rule": "hone"}, {"seeds": 2}),
    ("hone, {1..4} by racing", {"rule": "hone"}, {"seeds": {"min": 1, "max": 4}}),
    ("hone, mild, {1..4}", {"rule": "hone", "efficiency": 0}, {"seeds": {"min": 1, "max": 4}}),
    ("hypertrick, single", {"rule": "hypertrick"}, {"seeds": 1}),
    ("asha, single", {"rule": "asha"}, {"seeds": 1}),
    ("hone, single", {"rule": "hone"}, {"seeds": 1}),
]


def print_lost(options):
    say("table", "rule", "lost", "work", "regret")
    say("---", "---", *["---:"] * 3)
    for table in make_tables(options):
        for name, rule, replicates in RULES:
            row = simulate(options, table, 200, search={"method": "random", "trials": 32},
                           terminator=rule,
                           replicates=replicates)
            say(table.stem, name, f"{100 * row['lost_best']:.1f} %", f"{row['phases']['mean']:.1f}",
                estimate(row, "regret"))


def print_seeds(options):
    say("table", "seeds", "confirm", "regret", "confirmed", "trials")
    say("---", "---", "---", *["---:"] * 3)
    for table in make_tables(options):
        for least, most, top, seeds in [(1, 5, 2, 4), (1, 5, 4, 2), (1, 5, 3, 5), (1, 3, 2, 4),
                                        (2, 5, 2, 4)]:
            row = simulate(options, table, 6, replicates={"seeds": {"min": least, "max": most}},
                           confirm={"top": top, "seeds": seeds})
            say(table.stem, f"{{{least}..{most}}}", f"{top} x {seeds}", estimate(row, "regret"),
                estimate(row, "confirmed"), f"{row['trials']['mean']:.0f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("winner", "lost", "seeds"))
    parser.add_argument("--hone", default=ROOT / "build/bin/hone",
                        help="the program (build/bin/hone)")
    parser.add_argument("--reps", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1, help="of the first sweep")
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--only", nargs="*", default=[], help="names of tables")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        options.folder = pathlib.Path(folder)
        {"winner": print_winner, "lost": print_lost, "seeds": print_seeds}[options.what](options)


if __name__ == "__main__":
    main()
