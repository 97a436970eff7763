#!/usr/bin/env python3
"""How long the dearest commands that a client may send hold the server.

Usage: command_cost_bench.py [--bin DIR] [--timeout S] [CASE ...]

Each case starts a server on a new folder, prepares it, and prints the slowest of its requests
and the server's memory. The cases are the functions below, and their defaults what the bounds
allow; another size is CASE=N.
"""
import argparse
import http.client
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

OBJECTIVE = {"metric": "return", "goal": "maximize"}
COMMAND = {"run": ["python3", "train.py"]}


class Bench:
    def __init__(self, programs, folder, timeout):
        command = [str(programs / "hone-server"), "--data", folder, "--listen", "127.0.0.1:0",
                   "--log-level", "error"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline().decode().rsplit(":", 1)[1])
        self.timeout = timeout
        self.connection = self.connect()
        self.sent = 0

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.timeout)

    def send(self, method, path, body=None, connection=None):
        """The status, the document and the seconds of a request."""
        begun = time.monotonic()
        one = connection or self.connection
        one.request(method, path, body=None if body is None else json.dumps(body))
        response = one.getresponse()
        text = response.read()
        return response.status, json.loads(text), time.monotonic() - begun

    def request_id(self):
        self.sent += 1
        return f"r{self.sent}"

    def submit(self, **changes):
        spec = {"name": "bench", "seed": 1, "objective": OBJECTIVE, "command": COMMAND,
                "parameters": {"lr": {"type": "float", "min": 0, "max": 1}},
                "search": {"method": "random", "trials": 1_000_000}, "terminator": {"rule": "none"},
                "budget": {"unit": "frames", "per_run": 1000, "phases": 10}, **changes}
        spec = {key: value for key, value in spec.items() if value is not None}
        return self.send("POST", "/v1/sweeps", {"request_id": self.request_id(), "spec": spec})

    def join(self, cpus=4096):
        return self.send("POST", "/v1/workers",
                         {"request_id": self.request_id(), "host": "bench", "pid": 1, "cpus": cpus,
                          "gpus": 0, "hone_version": "0"})[1]["worker"]

    def acquire(self, worker, wait=0, cpus=4096, connection=None):
        return self.send("POST", "/v1/leases",
                         {"request_id": self.request_id(), "worker": worker, "cpus": cpus,
                          "gpus": 0, "wait": wait}, connection)

    def report(self, grant, phase, value):
        return self.send("POST", f"/v1/leases/{grant['lease']}/reports",
                         {"phase": phase, "step": phase + 1, "value": value})

    def memory(self):
        for line in open(f"/proc/{self.process.pid}/status"):
            if line.startswith("VmHWM"):
                return int(line.split()[1]) // 1024
        return 0


def floats(count, **more):
    return {f"p{i}": {"type": "float", "min": 0.001, "max": 1, **more} for i in range(count)}


def conditions(bench, size=900):
    """A space whose conditions read many parameters, and a constraint that no set satisfies."""
    for read in (180, 6):
        parameters = floats(size)
        for i in range(1, size):
            names = "+".join(f"p{j}" for j in range(max(0, i - read), i))
            parameters[f"p{i}"]["when"] = names[:-1 if names.endswith("+") else None] + ">=0"
        status, _, seconds = bench.submit(parameters=parameters, constraints=["p0 > 2"])
        yield f"submit, conditions of {read} names: {status}", seconds


def population(bench, size=1000):
    """A report that ends a member of a population with many parameters."""
    parameters = {**floats(size // 2),
                  **{f"d{i}": {"expr": f"p{i}*2"} for i in range(size // 2)}}
    bench.submit(parameters=parameters, terminator=None,
                 search={"method": "pbt", "population": 4, "quantile": 0.5},
                 command={**COMMAND, "may_change": [f"p{i}" for i in range(size // 2)]})
    worker = bench.join()
    grants = [bench.acquire(worker)[1]["grant"] for _ in range(4)]
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    bench.connection.request("PUT", f"/v1/blobs/{empty}", body=b"")
    bench.connection.getresponse().read()
    for phase in range(2):
        for value, grant in enumerate(grants):
            bench.send("POST", f"/v1/leases/{grant['lease']}/models",
                       {"sha256": empty, "bytes": 0, "step": phase + 1, "phase": phase})
            _, verdict, seconds = bench.report(grant, phase, value)
            yield f"report: {verdict.get('reason')}", seconds


def polls(bench, size=5000):
    """A note while 200 workers wait next to open sweeps, none of which fits them."""
    for _ in range(size):
        bench.submit(resources={"cpus": 4096})
    waiting = []
    for _ in range(200):
        worker, connection = bench.join(cpus=1), bench.connect()
        waiting.append(threading.Thread(target=bench.acquire, args=(worker, 20, 1, connection),
                                        daemon=True))
        waiting[-1].start()
    time.sleep(1)
    for _ in range(10):
        _, _, seconds = bench.send("POST", "/v1/notes", {"request_id": bench.request_id(),
                                                         "on": "sw_1", "text": "note"})
        yield "note", seconds
    for thread in waiting:
        thread.join()


def kill(bench, size=10_000):
    """The end of a sweep with many paused runs."""
    bench.submit(terminator={"rule": "asha"},
                 budget={"unit": "frames", "per_run": 81, "phases": 81})
    worker = bench.join()
    for number in range(size):
        bench.report(bench.acquire(worker)[1]["grant"], 0, -number)
    status, _, seconds = bench.send("POST", "/v1/sweeps/sw_1/steer", {"verb": "kill"})
    yield f"kill: {status}", seconds


def cmaes(bench, size=1000):
    """A proposal of CMA-ES."""
    bench.submit(parameters=floats(size), command=None, trainer={"name": "ask"}, budget=None,
                 search={"method": "cmaes", "trials": 100_000})
    for _ in range(60):
        _, asked, seconds = bench.send("POST", "/v1/sweeps/sw_1/ask", {"asker": "bench"})
        yield "ask", seconds
        bench.send("POST", f"/v1/trials/{asked['trial']}/tell", {"value": 1.0})


def inherited(bench, size=10_000):
    """Forks of a run of many phases, until the server refuses one."""
    bench.submit(budget={"unit": "frames", "per_run": size, "phases": size},
                 command={**COMMAND, "may_change": ["lr"]})
    worker = bench.join()
    grant = bench.acquire(worker)[1]["grant"]
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    bench.connection.request("PUT", f"/v1/blobs/{empty}", body=b"")
    bench.connection.getresponse().read()
    last = size - 2
    for phase in range(size - 1):
        if phase == last:
            bench.send("POST", f"/v1/leases/{grant['lease']}/models",
                       {"sha256": empty, "bytes": 0, "step": phase + 1, "phase": phase})
        bench.report(grant, phase, 1.0)
    run, forks = grant["attempt"].split("#")[0], 0
    while forks < 2000:
        status, answer, seconds = bench.send(
            "POST", "/v1/sweeps/sw_1/enqueue",
            {"request_id": bench.request_id(), "params": {"lr": 0.5}, "fork": {"run": run}})
        yield f"enqueue: {status}", seconds
        if status != 200:
            break
        forks += 1
        yield "lease of a fork", bench.acquire(worker)[2]


CASES = {one.__name__: one for one in (conditions, population, polls, kill, cmaes, inherited)}


def measure(case, size, options):
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.bin, folder, options.timeout)
        slowest, counts = {}, {}
        try:
            for what, seconds in case(bench, *([size] if size else [])):
                slowest[what] = max(seconds, slowest.get(what, 0))
                counts[what] = counts.get(what, 0) + 1
        except TimeoutError:
            print(f"{case.__name__:<11} no answer within {options.timeout:.0f} s", flush=True)
        memory = bench.memory()
        bench.process.kill()
        bench.process.wait()
        for what, seconds in slowest.items():
            print(f"{case.__name__:<11} {what:<44} {counts[what]:>6} requests, slowest "
                  f"{seconds:8.3f} s, {memory} MiB", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/bin"))
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("cases", nargs="*", metavar="CASE[=N]")
    options = parser.parse_args()
    for name in options.cases or CASES:
        name, _, size = name.partition("=")
        if name not in CASES:
            sys.exit(f"no case '{name}'; there is {', '.join(CASES)}")
        measure(CASES[name], int(size or 0), options)


if __name__ == "__main__":
    main()
