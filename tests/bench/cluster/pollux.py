#!/usr/bin/env python3
"""Optimus and Tiresias next to the completion times that are stored with Pollux's simulator.

    pollux.py FOLDER     the folder simulator/ of github.com/petuum/adaptdl, branch osdi21-artifact

Prints the table of docs/measurements/cluster.md. HONE_BIN names the folder of the programs.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

POLICIES = {"optimus": "optimus-fill", "tiresias": "las-fill"}
LOADS = {"0.5": "workloads-0.5", "1.0": "workloads", "1.5": "workloads-1.5", "2.0": "workloads-2.0"}
SETUP = {"name": "pollux", "rule": "measured", "interval": 60, "preempts": True, "restart": 30,
         "las_threshold": 16 * 3600, "servers": [{"count": 16, "gpus": 4, "cpus": 4}],
         "policies": list(POLICIES.values()), "oracle": "optimus-fill"}


def simulated(folder, workload):
    """The mean completion of each policy."""
    setup = SETUP | {"trace": {
        "format": "pollux", "file": str(workload), "profiles": str(folder / "traces"),
        "limits": {"yolov3": {"samples_max": 8}, "ncf": {"workers_max": 1}}}}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(setup, file)
        file.flush()
        program = pathlib.Path(os.environ.get("HONE_BIN", "build/test/bin")) / "hone"
        command = [program, "simulate", "cluster", file.name, "--format", "json", "-q"]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {row["policy"]: row["completion_s"]["mean"] for row in json.loads(printed)}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder.resolve()
    print("| load | policy | workloads | stored mean | here | ratio | ratios of the workloads |")
    print("|---|---|---:|---:|---:|---:|---|")
    for load, name in LOADS.items():
        ours = {file.stem: simulated(folder, file) for file in (folder / name).glob("*.csv")}
        for policy, row in POLICIES.items():
            file = folder / f"results-jobload/{policy}-{load}/summary.json"
            stored = json.loads(file.read_text())["avgs"]
            ratios = [ours[key][row] / stored[key] for key in stored]
            theirs = statistics.fmean(stored.values())
            mean = statistics.fmean(ours[key][row] for key in stored)
            print(f"| {load} | {policy} | {len(stored)} | {theirs:.0f} s | {mean:.0f} s |"
                  f" {mean / theirs:.3f} | {min(ratios):.3f} to {max(ratios):.3f} |", flush=True)


if __name__ == "__main__":
    main()
