#!/usr/bin/env python3
"""How busy a worker keeps its scarce GPUs, and how often it calls the server for that.

Usage: slots_bench.py [--bin DIR] [--slots N] [--gpus N] [--runs N] [--seconds S]

A real server and worker; simulated GPUs; four sweeps whose runs take one GPU and 1, 2, 4 or 8 slots
and sleep S seconds. Prints the share of the GPUs' time that was leased, from the first grant to the
last, the requests a second, and the time of six runs of 1.5 s on two of four slots' GPUs.
"""
import argparse
import datetime
import json
import os
import pathlib
import subprocess
import tempfile
import time
import urllib.request

PROGRAM = """sleep {seconds}; echo '@hone {{"report": {{"phase": 0, "step": 10, "value": 1}}}}'"""


class Installation:
    def __init__(self, options, folder, slots, gpus):
        self.processes = []
        start = ["--die-with-parent", "--data"]
        self.server = self.run(options.bin / "hone-server", *start, f"{folder}/data", "--listen",
                               "127.0.0.1:0")
        ready = self.server.stdout.readline().decode()
        self.url = "http://" + ready.rsplit("http://", 1)[1].strip()
        self.run(options.bin / "hone-worker", *start, f"{folder}/worker", "--server", self.url,
                 "--slots", str(slots), "--gpus", str(gpus)).stdout.readline()

    def run(self, *command):
        process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL)
        self.processes.append(process)
        return process

    def call(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(self.url + path, data)) as answer:
            return answer.read()

    def submit(self, name, resources, trials, seconds, **further):
        spec = {"name": name, "objective": {"metric": "value", "goal": "maximize"},
                "command": ["sh", "-c", PROGRAM.format(seconds=seconds)], "resources": resources,
                "parameters": {"x": {"type": "float", "min": 0, "max": 1}},
                "search": {"method": "random", "trials": trials}, "terminator": {"rule": "none"},
                "budget": {"unit": "steps", "per_run": 10, "phases": 1}, **further}
        self.call("/v1/sweeps", {"request_id": name, "spec": spec})

    def commands(self):
        lines = self.call("/metrics").decode().splitlines()
        return next(float(line.split()[1]) for line in lines
                    if line.startswith("hone_commands_total "))

    def wait(self):
        def running(sweep):
            return sweep["state"] == "running"
        while any(map(running, json.loads(self.call("/v1/sweeps"))["items"])):
            time.sleep(0.2)

    def events(self):
        """Every event, with its time in seconds."""
        after = 0
        while page := json.loads(self.call(f"/v1/events?after={after}&limit=1000"))["items"]:
            after = page[-1]["seq"]
            for event in page:
                at = datetime.datetime.fromisoformat(event["at"].replace("Z", "+00:00"))
                yield {**event, "seconds": at.timestamp()}

    def leases(self):
        """(granted, ended) of every attempt, in seconds; each run has one."""
        at = {}
        for event in self.events():
            if event["kind"] == "lease_granted":
                at[event["attempt"].split("#")[0]] = [event["seconds"], None]
            if event["kind"] == "run_ended":
                at[event["run"]][1] = event["seconds"]
        return list(at.values())

    def close(self):
        for process in reversed(self.processes):
            process.terminate()
            process.wait()


def six_runs(options):
    with tempfile.TemporaryDirectory() as folder:
        one = Installation(options, folder, slots=4, gpus=2)
        one.submit("six", {"gpus": 1}, 6, 1.5)
        begin = time.monotonic()
        one.wait()
        took = time.monotonic() - begin
        one.close()
    print(f"six runs of 1.5 s, 4 slots, 2 GPUs: {took:.1f} s")


def utilisation(options):
    with tempfile.TemporaryDirectory() as folder:
        one = Installation(options, folder, options.slots, options.gpus)
        commands, begin = one.commands(), time.monotonic()
        for cpus in (1, 2, 4, 8):
            one.submit(f"cpus-{cpus}", {"gpus": 1, "cpus": cpus}, options.runs // 4,
                       options.seconds)
        one.wait()
        took = time.monotonic() - begin
        rate = (one.commands() - commands) / took
        leases = one.leases()
        one.close()
    first, last = min(at for at, _ in leases), max(at for at, _ in leases)
    busy = sum(min(end, last) - start for start, end in leases)
    share = busy / (options.gpus * (last - first))
    print(f"{len(leases)} runs of {options.seconds} s, {options.slots} slots, {options.gpus} GPUs, "
          f"1 to 8 slots a run: {100 * share:.1f} % of the GPUs' time leased, {rate:.1f} commands/s,"
          f" {took:.1f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=os.environ.get("HONE_BIN", "build/bin"))
    parser.add_argument("--slots", type=int, default=64)
    parser.add_argument("--gpus", type=int, default=8)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=1.0)
    chosen = parser.parse_args()
    six_runs(chosen)
    utilisation(chosen)
