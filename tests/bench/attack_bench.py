#!/usr/bin/env python3
"""How long GET /healthz and a submission take while clients misuse a server.

Usage: attack_bench.py [--bin DIR] [--folder DIR] [--trials N] [--seconds S] [ATTACK ...]

Starts a server on a new folder, fills it with a sweep of N told trials, and measures each
attack for S seconds: the probe's median, 99th percentile and maximum, the slowest of a few
submissions, and the server's memory. The attacks are the functions below; `none` is the server
without one.
"""
import argparse
import http.client
import json
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

MIB = 1024 * 1024
SPEC = {"name": "told", "seed": 1, "objective": {"metric": "return", "goal": "maximize"},
        "trainer": {"name": "ask"}, "parameters": {"x": {"type": "float", "min": 0, "max": 1}},
        "search": {"method": "random", "trials": 0}, "terminator": {"rule": "none"},
        "budget": {"unit": "steps", "per_run": 5, "phases": 5}}


class Target:
    """The server under attack."""

    def __init__(self, programs, folder):
        command = [str(programs / "hone-server"), "--data", folder, "--listen", "127.0.0.1:0",
                   "--log-level", "error"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline().decode().rsplit(":", 1)[1])
        self.ended = threading.Event()

    def connect(self, timeout=120):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def open(self, text):
        one = socket.create_connection(("127.0.0.1", self.port), timeout=120)
        one.sendall(text)
        return one

    def call(self, connection, method, path, body=None):
        connection.request(method, path, body=None if body is None else json.dumps(body))
        response = connection.getresponse()
        return response.status, response.read()

    def memory(self, field="VmHWM"):
        for line in open(f"/proc/{self.process.pid}/status"):
            if line.startswith(field):
                return int(line.split()[1]) // 1024
        return 0

    def fill(self, trials):
        """A sweep whose trials are all told, five reports each."""
        connection = self.connect()
        spec = {**SPEC, "search": {"method": "random", "trials": trials}}
        body = json.loads(self.call(connection, "POST", "/v1/sweeps",
                                    {"request_id": "fill", "spec": spec})[1])
        for _ in range(trials):
            asked = json.loads(self.call(connection, "POST", f"/v1/sweeps/{body['sweep']}/ask",
                                         {"asker": "filler"})[1])
            for phase in range(5):
                self.call(connection, "POST", f"/v1/trials/{asked['trial']}/tell",
                          {"value": phase + asked["number"] % 7, "phase": phase, "step": phase + 1})


def request(line, fields=""):
    return f"{line} HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n".encode()


def none(_):
    """No attack."""
    time.sleep(0.2)


def gone_replays(target):
    """Replays whose clients leave at once."""
    for _ in range(12):
        target.open(request("GET /v1/sweeps/sw_1/replay")).close()
    time.sleep(0.1)


def exports(target):
    """Exports, as many at once as the server takes of one address, and their answers read."""
    held = [target.open(request("GET /v1/sweeps/sw_1/export", "Connection: close\r\n"))
            for _ in range(8)]
    for one in held:
        while one.recv(MIB):
            pass
        one.close()


def bad_imports(target):
    """60 MB of brackets: a document that is dear to parse."""
    text = b'{"export": {"a": [' + b"[]," * (20 * MIB) + b"[]]}}"
    with target.open(request("POST /v1/imports", f"Content-Length: {len(text)}\r\n"
                                                 "Connection: close\r\n") + text) as one:
        while one.recv(MIB):
            pass


def good_imports(target):
    """The server's own export, again and again."""
    connection = target.connect()
    document = json.loads(target.call(connection, "GET", "/v1/sweeps/sw_1/export")[1])
    target.call(connection, "POST", "/v1/imports",
                {"request_id": str(time.monotonic()), "export": document})


def open_bodies(target):
    """Large bodies for a route that needs no token."""
    held = [target.open(request("GET /healthz", f"Content-Length: {4 * MIB}\r\n"))
            for _ in range(200)]
    time.sleep(0.2)
    for one in held:
        one.close()


def deaf_watchers(target):
    """Watchers of the whole ledger that never read."""
    held = [target.open(request("GET /v1/events", "Accept: text/event-stream\r\n"))
            for _ in range(50)]
    time.sleep(0.5)
    for one in held:
        one.close()


ATTACKS = [none, gone_replays, exports, bad_imports, good_imports, open_bodies, deaf_watchers]


def repeat(target, attack):
    while not target.ended.is_set():
        try:
            attack(target)
        except OSError:
            time.sleep(0.05)  # refused: the bound works


def measure(target, attack, seconds):
    """The times of the probe, sorted, and of the submissions, in ms."""
    target.ended.clear()
    attacker = threading.Thread(target=repeat, args=(target, attack), daemon=True)
    attacker.start()
    probe, submitter = target.connect(), target.connect()
    times, submitted = [], []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        begin = time.perf_counter()
        assert target.call(probe, "GET", "/healthz")[0] == 200
        times.append((time.perf_counter() - begin) * 1e3)
        if len(times) % 200 == 0:
            begin = time.perf_counter()
            target.call(submitter, "POST", "/v1/sweeps",
                        {"request_id": f"{attack.__name__}{len(times)}{begin}",
                         "spec": {**SPEC, "search": {"method": "random", "trials": 1}}})
            submitted.append((time.perf_counter() - begin) * 1e3)
        time.sleep(0.002)
    target.ended.set()
    attacker.join()
    return sorted(times), submitted


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/bin"))
    parser.add_argument("--folder")
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("attacks", nargs="*", default=[])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        target = Target(options.bin, folder + "/data")
        try:
            target.fill(options.trials)
            print(f"{'attack':14} {'probes':>7} {'p50 ms':>7} {'p99 ms':>7} {'max ms':>7}"
                  f" {'submit max':>10} {'peak MB':>8}")
            for attack in ATTACKS:
                if options.attacks and attack.__name__ not in options.attacks:
                    continue
                times, submitted = measure(target, attack, options.seconds)
                print(f"{attack.__name__:14} {len(times):7} {times[len(times) // 2]:7.2f}"
                      f" {times[len(times) * 99 // 100]:7.2f} {times[-1]:7.2f}"
                      f" {max(submitted, default=0):10.1f} {target.memory():8}", flush=True)
        finally:
            target.process.send_signal(signal.SIGTERM)
            target.process.wait(30)


if __name__ == "__main__":
    sys.exit(main())
