#!/usr/bin/env python3
"""How fast a fleet follows the work, and what a scheduler that is away costs other requests.

Usage: fleet_engine_bench.py [--bin DIR] [--pilots N] [--window S] [--away S]

Starts a real Slurm of one node (Debian's slurm-wlm and munge), and prints, for the engines local
and slurm: the seconds from the creation of a fleet with N waiting runs until N pilots have joined,
the seconds until none is left after the runs have ended (with `idle` 5 s), and the calls of sbatch,
squeue and scancel. Then the median and p99 of reports, one every 20 ms, with slurmctld up, away and
up again, while a fleet keeps one pilot and has work for a second one: with --away 600 slurmctld is
away for ten minutes. Last, what became of the two pilots.
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


class Reporter:
    """A worker that reports phases, one every 20 ms, of runs that no pilot may take."""

    def __init__(self, server, sweep_spec):
        self.server, self.grant, self.phase, self.beat_at = server, None, 0, 0.0
        labels = ["only=reports"]
        server.submit(sweep_spec(resources={"labels": labels},
                                 search={"method": "random", "trials": 1000},
                                 budget={"unit": "steps", "per_run": 2000, "phases": 2000}))
        self.worker = server.post("/v1/workers", {
            "request_id": "reporter", "host": "reporter", "pid": 1, "cpus": 1, "gpus": 0,
            "labels": labels, "hone_version": "0.1.0"})["worker"]

    def report(self):
        """The milliseconds that one report took."""
        if self.grant is None:
            self.grant, self.phase = self.server.acquire(self.worker), 0
        if time.monotonic() > self.beat_at + 2:
            self.beat()
        begin = time.monotonic()
        self.server.report(self.grant, self.phase, 1.0)
        taken = (time.monotonic() - begin) * 1e3
        self.phase += 1
        if self.phase == self.grant["budget"]["phases"]:
            self.grant = None
        return taken

    def beat(self):
        self.beat_at = time.monotonic()
        self.server.post(f"/v1/workers/{self.worker}/beat",
                         {"leases": [self.grant["lease"]] if self.grant else []})

    def measure(self, seconds):
        """Median and p99 in milliseconds, and the number of reports."""
        self.beat()
        taken, end = [], time.monotonic() + seconds
        while time.monotonic() < end:
            taken.append(self.report())
            time.sleep(0.02)
        taken.sort()
        return taken[len(taken) // 2], taken[len(taken) * 99 // 100], len(taken)


def survive(server, cluster, folder, options, sweep_spec):
    """Reports in parallel with a fleet whose scheduler goes away and returns."""
    gate = folder / "away.go"
    server.submit(sweep_spec(command=[sys.executable, str(folder / "wait.py"), str(gate)],
                             search={"method": "random", "trials": 2},
                             budget={"unit": "steps", "per_run": 1, "phases": 1}))
    spec = {"name": "away", "engine": "slurm", "max": 1, "idle": "5s", "wall": "50m",
            "folder": str(folder)}
    fleet = server.post("/v1/fleets", {"request_id": "away", "spec": spec})["fleet"]
    wait(lambda: server.get(f"/v1/fleets/{fleet}")["joined"] == 1)
    reporter = Reporter(server, sweep_spec)
    for state, seconds in (("up", options.window), ("away", options.away or options.window),
                           ("up", options.window)):
        if state == "away":
            cluster.stop_controller()
            server.post("/v1/fleets", {"request_id": "more", "fleet": fleet,
                                       "spec": dict(spec, max=2)})
        median, p99, count = reporter.measure(seconds)
        print(f"slurmctld {state} for {seconds:.0f} s: {count} reports, median {median:.2f} ms, "
              f"p99 {p99:.2f} ms", flush=True)
        reporter.beat()
        if state == "away":
            cluster.start_controller()
    wait(lambda: server.get(f"/v1/fleets/{fleet}")["joined"] == 2)
    gate.touch()
    wait(lambda: server.get(f"/v1/fleets/{fleet}")["pilots"] == 0)
    for one in server.get(f"/v1/fleets/{fleet}/pilots")["items"]:
        print("{id}: wanted {wanted_at}, job {handle}, joined {joined_at}, ended {ended_at}: "
              "{end_rule}".format(**one))
    print("jobs:", {name: states for name, states in cluster.jobs().items()
                    if name.endswith(tuple(f"-{one['id']}" for one in server.get(
                        f"/v1/fleets/{fleet}/pilots")["items"]))})


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=ROOT / "build" / "bin")
    parser.add_argument("--pilots", type=int, default=16)
    parser.add_argument("--window", type=float, default=30)
    parser.add_argument("--away", type=float, help="seconds; the default is --window")
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
            survive(server, cluster, folder, options, sweep_spec)
        finally:
            server.stop()
            cluster.stop()


if __name__ == "__main__":
    main()
