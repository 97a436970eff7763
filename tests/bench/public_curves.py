#!/usr/bin/env python3
"""Makes curve tables from public logs: PPO of HPO-RL-Bench, and the submissions of AlgoPerf v0.5.

public_curves.py FOLDER [--hpo-rl-bench REPOSITORY] [--algoperf REPOSITORY]

The repositories are clones of machinelearningnuremberg/HPO-RL-Bench and
mlcommons/submissions_algorithms; bare ones do. Files that a clone lacks are left out. A table of
AlgoPerf has a set for each submission and point of its search, with a run for each study, and 20
checkpoints up to the third quartile of the runs' last steps; a run that ended earlier, mostly
because it had reached the target, keeps its last value. Workloads of which more than 60 % of the
runs ended before 60 % of that are left out, as are those with fewer than 12 sets.
"""

import argparse
import collections
import csv
import io
import json
import math
import pathlib
import re
import subprocess

CHECKPOINTS = 20  # of a table of AlgoPerf
METRICS = {
    "criteo1tb": ("loss", "minimize"), "fastmri": ("ssim", "maximize"),
    "imagenet_resnet": ("accuracy", "maximize"), "imagenet_vit": ("accuracy", "maximize"),
    "librispeech_conformer": ("wer", "minimize"), "librispeech_deepspeech": ("wer", "minimize"),
    "ogbg": ("mean_average_precision", "maximize"), "wmt": ("bleu", "maximize"),
}


def files_of(repository: str, pattern: str) -> list[tuple[re.Match, str]]:
    """The files whose paths match, with their text."""
    listed = subprocess.run(["git", "-C", repository, "ls-tree", "-r", "HEAD"],
                            capture_output=True, text=True, check=True).stdout
    wanted = []
    for line in listed.splitlines():
        meta, path = line.split("\t")
        if match := re.search(pattern, path):
            wanted.append((match, meta.split()[2]))
    asked = "".join(f"{blob}\n" for _, blob in wanted).encode()
    answer = subprocess.run(["git", "-C", repository, "cat-file", "--batch"], input=asked,
                            capture_output=True, check=True).stdout
    found, at = [], 0
    for match, _ in wanted:
        end = answer.index(b"\n", at)
        head = answer[at:end].split()
        if head[1] == b"missing":
            at = end + 1
            continue
        size = int(head[2])
        found.append((match, answer[end + 1:end + 1 + size].decode()))
        at = end + 2 + size
    return found


def write_table(folder: pathlib.Path, name: str, card: dict, runs: list):
    """`runs`: (parameters, seed, values); a value is None from a divergence on."""
    names = list(runs[0][0])
    parameters = {one: {"type": "choice", "values": sorted({run[0][one] for run in runs})}
                  for one in names}
    count = len(runs[0][2])
    card = {**card, "parameters": parameters, "checkpoints": count}
    (folder / f"{name}.json").write_text(json.dumps(card, indent=1))
    with open(folder / f"{name}.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names + ["seed"] + [f"v{i + 1}" for i in range(count)])
        for chosen, seed, values in runs:
            writer.writerow([chosen[one] for one in names] + [seed]
                            + ["" if value is None else repr(value) for value in values])
    print(folder / f"{name}.csv")


def hpo_rl_bench(folder: pathlib.Path, repository: str):
    tables = collections.defaultdict(list)
    pattern = (r"data_hpo_rl_bench/.*/(\w+)-v0_PPO_random_lr_(.+)_gamma_([\d.]+)"
               r"(?:_clip_([\d.]+))?_seed(\d)_eval\.json$")
    for match, text in files_of(repository, pattern):
        environment, rate, gamma, clip, seed = match.groups()
        values = [float(value) for value in json.loads(text)["returns_eval"]]
        if not all(map(math.isfinite, values)):
            continue
        if clip:
            name, chosen = f"hpo_{environment.lower()}", {"lr": rate, "gamma": gamma, "clip": clip}
        else:  # of three thirds of a run
            name = f"hpo_{environment.lower()}_schedules"
            rates, gammas = re.findall(r"-\d", rate), re.findall(r"0\.\d\d", gamma)
            if len(rates) != 3 or len(gammas) != 3:
                continue
            chosen = {f"lr{i}": one for i, one in enumerate(rates)}
            chosen |= {f"gamma{i}": one for i, one in enumerate(gammas)}
        tables[name].append((chosen, int(seed), values))
    for name, runs in sorted(tables.items()):
        count = min(100, max(len(run[2]) for run in runs))
        runs = [(chosen, seed, values[:count]) for chosen, seed, values in runs
                if len(values) >= count]
        if len(runs) >= 30:
            write_table(folder, name, {"goal": "maximize", "source": "HPO-RL-Bench"}, runs)


def curve_of(text: str, metric: str) -> list[tuple[float, float]]:
    """(step, value) of each evaluation after the start; a value that cannot be read is NaN."""
    points = []
    for row in csv.DictReader(io.StringIO(text)):
        step = float(row.get("global_step") or 0)
        try:
            points.append((step, float(row.get(f"validation/{metric}") or "nan")))
        except ValueError:
            points.append((step, math.nan))
    return [point for point in points if point[0] > 0]


def at_checkpoints(curve: list, end: float) -> list:
    values = []
    for i in range(CHECKPOINTS):
        before = [value for step, value in curve if step <= end * (i + 1) / CHECKPOINTS]
        values.append(before[-1] if before else curve[0][1])
    bad = next((i for i, value in enumerate(values) if not math.isfinite(value)), CHECKPOINTS)
    return values[:bad] + [None] * (CHECKPOINTS - bad)


def workload_of(load: str) -> str | None:
    return next((name for name in sorted(METRICS, key=len, reverse=True)
                 if load.startswith(name)), None)


def algoperf(folder: pathlib.Path, repository: str):
    curves = collections.defaultdict(list)
    pattern = (r"algoperf_v05/logs/external_tuning/(\w+)/study_(\d)/(\w+?)_(?:jax|pytorch)"
               r"/trial_(\d)/eval_measurements\.csv$")
    for match, text in files_of(repository, pattern):
        submission, study, load, trial = match.groups()
        if workload := workload_of(load):
            curve = curve_of(text, METRICS[workload][0])
            if len(curve) > 2:
                curves[load].append(({"set": submission + trial}, int(study), curve))
    for load, found in sorted(curves.items()):
        lasts = sorted(curve[-1][0] for _, _, curve in found)
        end = lasts[len(lasts) * 3 // 4]
        short = sum(last < 0.6 * end for last in lasts)
        runs = [(chosen, study, at_checkpoints(curve, end)) for chosen, study, curve in found]
        runs = [run for run in runs if run[2][0] is not None]
        if len({run[0]["set"] for run in runs}) < 12 or short > 0.6 * len(found):
            continue
        metric, goal = METRICS[workload_of(load)]
        card = {"goal": goal, "source": f"AlgoPerf v0.5 logs, validation/{metric}"}
        write_table(folder, f"algoperf_v05_{load}", card, runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--hpo-rl-bench")
    parser.add_argument("--algoperf")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.hpo_rl_bench:
        hpo_rl_bench(options.folder, options.hpo_rl_bench)
    if options.algoperf:
        algoperf(options.folder, options.algoperf)


if __name__ == "__main__":
    main()
