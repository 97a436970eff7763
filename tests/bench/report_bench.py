#!/usr/bin/env python3
"""How long a program waits for the verdict on a report: command: as a trainer, by the Python SDK.

Usage: report_bench.py [--bin DIR] [--reports N] [--folder DIR]

Starts a server and a worker, and runs one trial of N phases that does nothing but report. Prints
the median and the 99th percentile of the waiting time of a report, and of a synced write of 4 kB
to the same disk, which an acknowledged report includes.
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = """
import json, time
import hone
run = hone.current()
waited = []
for phase in run.phases():
    begun = time.perf_counter()
    run.report(phase, 1.0)
    waited.append(time.perf_counter() - begun)
with open("waited.json", "w") as file:
    json.dump(waited, file)
"""


def run_trial(programs, folder, reports):
    """The seconds that the trial waited for each verdict."""
    (folder / "program.py").write_text(PROGRAM)
    (folder / "sweep.json").write_text(json.dumps({
        "name": "reports", "objective": {"metric": "value", "goal": "maximize"},
        "command": {"run": [sys.executable, "program.py"],
                    "env": {"PYTHONPATH": str(ROOT / "sdk" / "python")}},
        "parameters": {"x": {"value": 1}},
        "search": {"method": "random", "trials": 1}, "terminator": {"rule": "none"},
        "budget": {"unit": "steps", "per_run": reports, "phases": reports}}))
    up = subprocess.Popen([programs / "hone", "up", "--data", folder / "data", "--slots", "1",
                           "--listen", "127.0.0.1:0"], cwd=folder, stdout=subprocess.PIPE,
                          text=True)
    try:
        while not (found := re.search(r"http://\S+", up.stdout.readline())):
            pass
        subprocess.run([programs / "hone", "submit", "sweep.json", "--watch", "-q"], cwd=folder,
                       env={**os.environ, "HONE_SERVER": found[0]}, check=True,
                       stdout=subprocess.DEVNULL)
    finally:
        up.terminate()
        up.wait()
    return json.loads((folder / "waited.json").read_text())


def synced_writes(folder, count):
    """The seconds of `count` writes that were synced to the disk of the folder."""
    spent = []
    with open(folder / "synced", "wb") as file:
        for _ in range(count):
            begun = time.perf_counter()
            file.write(bytes(4096))
            file.flush()
            os.fdatasync(file.fileno())
            spent.append(time.perf_counter() - begun)
    return spent


def row(name, seconds):
    p99 = statistics.quantiles(seconds, n=100)[98]
    return (f"{name:<14} {len(seconds):>5}  median {1000 * statistics.median(seconds):6.2f} ms  "
            f"p99 {1000 * p99:6.2f} ms")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "test" / "bin")
    options.add_argument("--reports", type=int, default=1000)
    options.add_argument("--folder", help="on the disk to measure (a temporary folder)")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        waited = run_trial(given.bin.resolve(), pathlib.Path(folder), given.reports)
        print(row("report", waited))
        print(row("synced write", synced_writes(pathlib.Path(folder), given.reports)))
        print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
