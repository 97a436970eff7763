#!/usr/bin/env python3
"""How fast a fleet follows the work, and what a scheduler that is away costs other requests.

Usage: fleet_engine_bench.py [--bin DIR] [--pilots N] [--window S]

Starts a real Slurm of one node (Debian's slurm-wlm and munge), and prints, for the engines local
and slurm: the seconds from the creation of a fleet with N waiting runs until N pilots have joined,
the seconds until none is left after the runs have ended (with `idle` 5 s), and the calls of sbatch,
squeue and scancel. Then the median and p99 of synced commands (joins of workers, one after another)
with slurmctld up, away and up again.
"""
import argparse
import os
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRAINER = """import pathlib, sys, time
while not pathlib.Path(sys.argv[1]).exists():
    time.sleep(0.1)
print('@hone {"report": {"phase": 0, "step": 1, "value": 1}}', flush=True)
"""
COUNTED = """#!/bin/sh
date +%s.%N >> {calls}
exec /usr/bin/{name} "$@"
"""


def wait(holds):
    begin = time.monotonic()
    while not holds():
        time.sleep(0.05)
    return time.monotonic() - begin


def count_calls(folder):
    """Puts programs that note their calls before Slurm's in PATH."""
    (folder / "bin").mkdir()
    for name in ("sbatch", "squeue", "scancel"):
        path = folder / "bin" / name
        path.write_text(COUNTED.format(calls=folder / "calls", name=name))
        path.chmod(0o755)
    os.environ["PATH"] = f"{folder}/bin:{os.environ['PATH']}"


def calls_of(folder):
    path = folder / "calls"
    return [float(line) for line in path.read_text().split()] if path.exists() else []


def follow(server, folder, engine, pilots, sweep_spec):
    """Seconds until all pilots have joined, and until none is left."""
    gate = folder / f"{engine}.go"
    (folder / "wait.py").write_text(TRAINER)
    server.submit(sweep_spec(command=[sys.executable, str(folder / "wait.py"), str(gate)],
                             search={"method": "random", "trials": pilots},
                             budget={"unit": "steps", "per_run": 1, "phases": 1}))
    spec = {"name": engine, "engine": engine, "max": pilots, "backlog": pilots, "idle": "5s",
            "wall": "30m", "folder": str(folder)}
    fleet = server.post("/v1/fleets", {"request_id": engine, "spec": spec})["fleet"]
    path = f"/v1/fleets/{fleet}"
    up = wait(lambda: server.get(path)["joined"] == pilots)
    gate.touch()
    down = wait(lambda: server.get(path)["pilots"] == 0)
    server.post(f"{path}/stop", {})
    return up, down


def answers(server, seconds):
    """Median and p99 in milliseconds of requests one after another."""
    taken, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        begin = time.monotonic()
        server.join()
        taken.append((time.monotonic() - begin) * 1e3)
    taken.sort()
    return taken[len(taken) // 2], taken[len(taken) * 99 // 100], len(taken)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=ROOT / "build" / "bin")
    parser.add_argument("--pilots", type=int, default=16)
    parser.add_argument("--window", type=float, default=30)
    options = parser.parse_args()
    os.environ["HONE_BIN"] = str(options.bin)
    sys.path.insert(0, str(ROOT / "tests" / "e2e"))
    import slurm
    from conftest import Server, sweep_spec
    with tempfile.TemporaryDirectory(prefix="hone-fleet-") as folder:
        folder = pathlib.Path(folder)
        count_calls(folder)
        cluster = slurm.Slurm(folder / "slurm", cpus=options.pilots).start()
        os.environ.update(cluster.environment)
        server = Server(folder / "data").start()
        try:
            for engine in ("local", "slurm"):
                up, down = follow(server, folder, engine, options.pilots, sweep_spec)
                print(f"{engine}: {options.pilots} pilots joined after {up:.1f} s, "
                      f"none was left {down:.1f} s after the runs were let go", flush=True)
            calls = calls_of(folder)
            most = max(sum(at <= one < at + 1 for one in calls) for at in calls)
            print(f"calls of Slurm's programs: {len(calls)} in {calls[-1] - calls[0]:.0f} s, "
                  f"at most {most} within a second", flush=True)
            for state in ("up", "away", "up"):
                if state == "away":
                    cluster.stop_controller()
                print("slurmctld {}: median {:.2f} ms, p99 {:.2f} ms, {} requests".format(
                    state, *answers(server, options.window)), flush=True)
                if state == "away":
                    cluster.start_controller()
        finally:
            server.stop()
            cluster.stop()


if __name__ == "__main__":
    main()
