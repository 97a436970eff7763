#!/usr/bin/env python3
"""How long one user's requests take while another user's token floods the server with reads.

Usage: fairness_bench.py [--bin DIR] [--folder DIR] [--trials N] [--seconds S] [--import]

Starts a server with tokens and a standby that confirms its writes (--sync-replica), tells a sweep
of N trials, and measures the requests of Ann, one after the other, for S seconds each: without a
flood, and while M connections of another token of the scope `read` repeat a read, each as soon as
it has the answer to the one before. A row is a class of request: its median, 95th percentile, what
was refused, and how many times slower the median is than without a flood.

--import measures her writes while the sweep of N trials is imported instead, and the memory.
"""
import argparse
import asyncio
import hashlib
import http.client
import json
import multiprocessing
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import uuid

SPEC = {"seed": 1, "objective": {"metric": "return", "goal": "maximize"},
        "trainer": {"name": "ask"}, "parameters": {"x": {"type": "float", "min": 0, "max": 1}},
        "terminator": {"rule": "none"}, "budget": {"unit": "steps", "per_run": 5, "phases": 5}}
# Sweep 1 is the flood's, sweep 2 Ann's own.
FLOODS = {"phases": "/v1/sweeps/sw_1/phases", "runs": "/v1/sweeps/sw_1/runs?limit=1000",
          "columns": "/v1/sweeps/sw_1/columns?fields=trial,value"}
FILLERS = 32


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Wire:
    """A kept connection of asyncio with a token."""

    def __init__(self, port, token):
        self.port, self.token = port, token
        self.reader = self.writer = None

    async def ask(self, method, path, body=None):
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port,
                                                                     limit=1 << 24)
        data = b"" if body is None else json.dumps(body).encode()
        head = (f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n"
                f"Authorization: Bearer {self.token}\r\nContent-Length: {len(data)}\r\n\r\n")
        self.writer.write(head.encode() + data)
        answer = (await self.reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(answer.split("content-length: ")[1].split("\r\n")[0])
        return int(answer.split()[1]), await self.reader.readexactly(length)


async def tell_trials(port, token, sweep, trials):
    left = iter(range(trials))

    async def fill(name):
        wire = Wire(port, token)
        for _ in left:
            answer = await wire.ask("POST", f"/v1/sweeps/{sweep}/ask", {"asker": name})
            asked = json.loads(answer[1])
            for phase in range(5):
                await wire.ask("POST", f"/v1/trials/{asked['trial']}/tell",
                               {"value": phase + asked["number"] % 7, "phase": phase,
                                "step": phase + 1})

    await asyncio.gather(*(fill(f"filler {n}") for n in range(FILLERS)))


def flood(port, token, path, connections, count):
    async def repeat():
        wire = Wire(port, token)
        while True:
            status, _ = await wire.ask("GET", path)
            with count.get_lock():
                count.value += status == 200

    async def all_of_them():
        await asyncio.gather(*(repeat() for _ in range(connections)))

    asyncio.run(all_of_them())


class Pair:
    """A primary with a standby that confirms its writes, and tokens of two users."""

    def __init__(self, programs, folder):
        self.programs, self.folder = programs, folder
        self.ports = [free_port(), free_port()]
        self.started = []
        self.data = folder / "a"
        self.start(self.ports[0], self.data)
        self.admin = (self.data / "admin.token").read_text().strip()
        self.tokens = {name: self.token(name, scope) for name, scope in
                       (("ann", "submit"), ("flood", "read"), ("standby", "replica"))}

    def start(self, port, data, *words):
        process = subprocess.Popen(
            [str(self.programs / "hone-server"), "--data", str(data),
             "--listen", f"127.0.0.1:{port}", "--auth", "--log-level", "error", *words],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.started.append(process)
        process.stdout.readline()  # it listens
        return process

    def call(self, method, path, body=None, token=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.ports[0], timeout=60)
        connection.request(method, path, body=None if body is None else json.dumps(body),
                           headers={"Authorization": f"Bearer {token or self.admin}"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())

    def token(self, name, scope):
        secret = "hone_" + os.urandom(16).hex()
        status, answer = self.call("POST", "/v1/tokens", {
            "request_id": name, "name": name, "scopes": [scope],
            "sha256": hashlib.sha256(secret.encode()).hexdigest()})
        assert status < 300, answer
        return secret

    def submit(self, name, trials):
        spec = {**SPEC, "name": name, "search": {"method": "random", "trials": trials}}
        return self.call("POST", "/v1/sweeps", {"request_id": name, "spec": spec})[1]["sweep"]

    def stop_primary(self):
        process = self.started.pop(0)
        process.terminate()
        process.wait(60)

    def confirm_writes(self):
        """Restarts the primary, whose acknowledgements then wait for a standby."""
        self.stop_primary()
        self.start(self.ports[0], self.data, "--sync-replica")
        secret = self.folder / "replica.token"
        secret.write_text(self.tokens["standby"])
        self.start(self.ports[1], self.folder / "b", "--follow-token-file", str(secret),
                   "--follow", f"http://127.0.0.1:{self.ports[0]}")
        while self.call("GET", "/healthz")[1].get("standbys") != 1:
            time.sleep(0.05)

    def close(self):
        for process in self.started:
            process.kill()
            process.wait()


def requests_of(confirmed):
    """Ann's requests by class."""
    def note(number):
        return ("POST", "/v1/notes", {"request_id": f"{os.getpid()}.{time.monotonic_ns()}.{number}",
                                      "on": "sw_2", "text": "a note", "author": "ann"})
    return {"page": lambda n: ("GET", "/v1/sweeps?limit=1", None),
            "heavy read": lambda n: ("GET", "/v1/sweeps/sw_2/best", None),
            "write, confirmed" if confirmed else "write": note}


def measure(pair, make, seconds):
    connection = http.client.HTTPConnection("127.0.0.1", pair.ports[0], timeout=120)
    times, refused = [], 0
    end = time.monotonic() + seconds
    while time.monotonic() < end or len(times) < 5:
        method, path, body = make(len(times))
        begin = time.perf_counter()
        connection.request(method, path, body=None if body is None else json.dumps(body),
                           headers={"Authorization": f"Bearer {pair.tokens['ann']}"})
        answer = connection.getresponse()
        answer.read()
        times.append(time.perf_counter() - begin)
        refused += answer.status >= 300
        time.sleep(0.01)
    times.sort()
    return times[len(times) // 2], times[int(len(times) * 0.95)], refused, len(times)


def run(pair, confirmed, options):
    quiet = {}
    for kind, connections in [("none", 0), *((kind, many) for kind in options.floods
                                             for many in options.connections)]:
        count = multiprocessing.Value("i", 0)
        attacker = multiprocessing.Process(
            target=flood, daemon=True,
            args=(pair.ports[0], pair.tokens["flood"], FLOODS.get(kind), connections, count))
        if connections:
            attacker.start()
            time.sleep(2)
        for name, make in requests_of(confirmed).items():
            before, begin = count.value, time.monotonic()
            median, late, refused, asked = measure(pair, make, options.seconds)
            served = (count.value - before) / (time.monotonic() - begin)
            quiet.setdefault(name, median)
            print(f"{kind:8} {connections:5} {served:9.1f}  {name:17} {asked:6} {median * 1e3:9.1f}"
                  f" {late * 1e3:9.1f} {refused:8} {median / quiet[name]:7.1f}", flush=True)
        if connections:
            attacker.kill()
            attacker.join()


def memory_of(pair, what):
    status = pathlib.Path(f"/proc/{pair.started[0].pid}/status").read_text()
    return int(re.search(what + r":\s+(\d+)", status)[1]) / 1024


def post(port, token, path, body):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    connection.request("POST", path, body=body, headers={"Authorization": f"Bearer {token}"})
    answer = connection.getresponse()
    text = answer.read()
    assert answer.status < 300, text


class Writer(threading.Thread):
    """Ann's writes, one after the other, until it is stopped."""

    def __init__(self, pair):
        super().__init__()
        self.pair, self.times, self.over = pair, [], threading.Event()

    def run(self):
        make = requests_of(False)["write"]
        while not self.over.is_set():
            body = json.dumps(make(len(self.times))[2])
            begin = time.perf_counter()
            post(self.pair.ports[0], self.pair.tokens["ann"], "/v1/notes", body)
            self.times.append(time.perf_counter() - begin)
            time.sleep(0.002)

    def stop(self):
        self.over.set()
        self.join()
        return sorted(self.times)


def run_import(pair):
    connection = http.client.HTTPConnection("127.0.0.1", pair.ports[0], timeout=600)
    connection.request("GET", "/v1/sweeps/sw_1/export",
                       headers={"Authorization": f"Bearer {pair.admin}"})
    document = connection.getresponse().read()
    pair.stop_primary()  # the peak of its memory is then that of the import
    pair.start(pair.ports[0], pair.data)
    before = memory_of(pair, "VmRSS")
    print(f"{'import':8} {'MB':>6} {'took s':>7} {'memory MB':>10} {'writes':>7} {'p50 ms':>8}"
          f" {'p95 ms':>8} {'max ms':>8} {'> 50 ms':>8}")
    for name in ("none", "import"):
        writer = Writer(pair)
        writer.start()
        begin = time.perf_counter()
        if name == "none":
            time.sleep(5)
        else:
            body = b'{"request_id":"%s","export":' % str(uuid.uuid4()).encode() + document + b"}"
            post(pair.ports[0], pair.admin, "/v1/imports", body)
        took = time.perf_counter() - begin
        times = writer.stop()
        grown = memory_of(pair, "VmHWM") - before
        print(f"{name:8} {len(document) / 1e6:6.1f} {took:7.1f} {grown:10.0f}"
              f" {len(times):7} {times[len(times) // 2] * 1e3:8.1f}"
              f" {times[int(len(times) * 0.95)] * 1e3:8.1f} {times[-1] * 1e3:8.1f}"
              f" {sum(one > 0.05 for one in times):8}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    here = pathlib.Path(__file__).resolve().parents[2]
    parser.add_argument("--bin", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("HONE_BIN", here / "build" / "bin")))
    parser.add_argument("--folder", help="where data folders are made")
    parser.add_argument("--trials", type=int, default=20_000)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--connections", type=int, nargs="+", default=[10, 200])
    parser.add_argument("--floods", nargs="+", choices=FLOODS, default=["phases", "runs"])
    parser.add_argument("--import", dest="imports", action="store_true",
                        help="measure an import instead of floods")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(dir=options.folder))
    pair = Pair(options.bin, folder)
    try:
        for name, trials in (("large", options.trials), ("own", 200)):
            asyncio.run(tell_trials(pair.ports[0], pair.admin, pair.submit(name, trials), trials))
        if options.imports:
            return run_import(pair)
        print(f"{'flood':8} {'conns':>5} {'served/s':>9}  {'request':17} {'asked':>6} {'p50 ms':>9}"
              f" {'p95 ms':>9} {'refused':>8} {'ratio':>7}", flush=True)
        run(pair, False, options)
        pair.confirm_writes()
        run(pair, True, options)
    finally:
        pair.close()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
