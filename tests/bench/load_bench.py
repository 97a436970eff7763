#!/usr/bin/env python3
"""Durable trials a second: hone's server against other optimizers' storage, alternating on one disk.

Usage: load_bench.py [--bin DIR] [--folder DIR] [--rounds N] [--clients N] [--seconds S]
                     [NAME=DRIVER:BACKEND[:TRIALS] ...]

A trial is one ask, five reports and one tell. Every DRIVER is a program that is called as
  DRIVER storage-create backend=sqlite|journal path=FILE
  DRIVER storage-client backend=... path=FILE trials=K reports=5 seed=S start_at=UNIX_TIME
and prints {"done", "t0", "t1", "errors", "p99_ms"} as its last line. `hone bench load` measures
hone. Each round measures all of them one after the other, and the sync time of the disk before
each. The table shows medians, and hone's over theirs.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time


def sync_ms(folder, times=50):
    """Median of a 4 KiB append that is synced."""
    taken = []
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        for _ in range(times):
            begin = time.perf_counter()
            file.write(bytes(4096))
            file.flush()
            os.fdatasync(file.fileno())
            taken.append((time.perf_counter() - begin) * 1e3)
    return statistics.median(taken)


def run_hone(options):
    command = [str(options.bin / "hone"), "bench", "load", "--clients", str(options.clients),
               "--connections",
               str(options.connections), "--duration", f"{options.seconds}s", "--folder",
               options.folder, "--format", "json", "-q"]
    return json.loads(subprocess.run(command, check=True, capture_output=True,
                                     text=True).stdout)["trials_per_s"]


def run_peer(options, driver, backend, trials):
    with tempfile.TemporaryDirectory(dir=options.folder, prefix="load-bench-") as folder:
        path = f"{folder}/db"
        subprocess.run([driver, "storage-create", f"backend={backend}", f"path={path}"], check=True,
                       capture_output=True)
        start = time.time() + 10
        clients = [subprocess.Popen([driver, "storage-client", f"backend={backend}", f"path={path}",
                                     f"trials={trials}",
                                     "reports=5", f"seed={seed}", f"start_at={start}"],
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
                   for seed in range(options.clients)]
        rows = []
        for client in clients:
            lines = [line for line in client.communicate()[0].splitlines() if line.startswith("{")]
            if client.returncode == 0 and lines:
                rows.append(json.loads(lines[-1]))
        if not rows:
            return 0.0
        return sum(row["done"] for row in rows) / (max(row["t1"]
                                                       for row in rows) - min(
                                                           row["t0"] for row in rows))


def parse_peer(text):
    name, _, rest = text.partition("=")
    driver, backend, *trials = rest.split(":")
    return name, driver, backend, int(trials[0]) if trials else 20


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    root = pathlib.Path(__file__).resolve().parents[2]
    parser.add_argument("peers", nargs="*", type=parse_peer, metavar="NAME=DRIVER:BACKEND[:TRIALS]")
    parser.add_argument("--bin", type=pathlib.Path, default=root / "build" / "bin")
    parser.add_argument("--folder", default=tempfile.gettempdir())
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--seconds", type=int, default=10)
    options = parser.parse_args()

    results, syncs = {}, {}
    for number in range(options.rounds):
        for name, run in [("hone", lambda: run_hone(options))] + [
                (name, lambda d=driver, b=backend, t=trials: run_peer(options, d, b, t))
                for name, driver, backend, trials in options.peers]:
            print(f"round {number + 1}/{options.rounds}  {name}  (load {os.getloadavg()[0]:.1f})",
                  file=sys.stderr, flush=True)
            syncs.setdefault(name, []).append(sync_ms(options.folder))
            results.setdefault(name, []).append(run())
    ours = statistics.median(results["hone"])
    print(f"{'':24}{'trials/s':>10}{'least':>10}{'most':>10}{'sync ms':>10}{'hone is':>10}")
    for name, rates in results.items():
        median = statistics.median(rates)
        print(
            f"{name:24}{median:10.1f}{min(rates):10.1f}{max(rates):10.1f}{statistics.median(syncs[name]):10.2f}"
              f"{ours / median if median else float('nan'):9.1f}x")


if __name__ == "__main__":
    main()
