#!/usr/bin/env python3
"""Durable trials a second of a server without a standby, with one, and with --sync-replica.

Usage: standby_bench.py [--bin DIR] [--folder DIR] [--rounds N] [--clients N] [--seconds S]

A trial is one ask, five reports and one tell (`hone bench load`). The three kinds run one after
the other in each round, in an order that rotates, with primary, standby and clients here; the
table shows medians, and each over the one without a standby.
"""
import argparse
import json
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import tempfile
import time
import urllib.request

KINDS = {"alone": [], "standby": [], "sync": ["--sync-replica"]}


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def health(port):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5) as answer:
            return json.load(answer)
    except OSError:
        return {}


def start(bin_folder, data, port, *words):
    process = subprocess.Popen([str(bin_folder / "hone-server"), "--data", str(data), "--listen",
                                f"127.0.0.1:{port}", "--log-level", "error", *words],
                               stdout=subprocess.DEVNULL)
    while not health(port):
        assert process.poll() is None, "the server did not start"
        time.sleep(0.05)
    return process


def measure(options, kind):
    folder = pathlib.Path(tempfile.mkdtemp(dir=options.folder))
    ports = [free_port(), free_port()]
    servers = [start(options.bin, folder / "a", ports[0], *KINDS[kind])]
    try:
        if kind != "alone":
            servers.append(start(options.bin, folder / "b", ports[1], "--follow",
                                 f"http://127.0.0.1:{ports[0]}"))
            while health(ports[1]).get("lag_events") != 0 or health(ports[0]).get("standbys") != 1:
                time.sleep(0.05)
        done = subprocess.run(
            [str(options.bin / "hone"), "bench", "load", "--clients", str(options.clients),
             "--duration", f"{options.seconds}s", "--server", f"http://127.0.0.1:{ports[0]}", "--format", "json"],
            stdout=subprocess.PIPE, check=True)
        behind = health(ports[1]).get("lag_events") if kind != "alone" else 0
        return json.loads(done.stdout), behind
    finally:
        for server in servers:
            server.kill()
            server.wait()
        shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    here = pathlib.Path(__file__).resolve().parents[2]
    parser.add_argument("--bin", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("HONE_BIN", here / "build" / "bin")))
    parser.add_argument("--folder", help="where data folders are made")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seconds", type=int, default=10)
    options = parser.parse_args()
    rates = {kind: [] for kind in KINDS}
    for number in range(options.rounds):
        order = list(KINDS)
        for kind in order[number % 3:] + order[:number % 3]:
            found, behind = measure(options, kind)
            rates[kind].append(found["trials_per_s"])
            print(f"round {number + 1} {kind:8} {found['trials_per_s']:8.0f} trials/s, "
                  f"{behind} events behind at the end", flush=True)
    base = statistics.median(rates["alone"])
    for kind, values in rates.items():
        middle = statistics.median(values)
        print(f"{kind:8} {middle:8.0f} trials/s  {middle / base:5.2f}")


if __name__ == "__main__":
    main()
