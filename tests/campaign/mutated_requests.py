#!/usr/bin/env python3
"""Sends a real server mutated requests: each route of `hone-server --routes`, with a changed path,
query, header or body, over one connection after the other.

tests/campaign/mutated_requests.py [--bin DIR] [--count N] [--seed N]

The answer must come within a minute and be no 5xx, and the server must live. Standard library only.
Exits with 1 where it does not, and prints the request.
"""
import argparse
import collections
import copy
import http.client
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SILENCE_MAX = 60
VALUES = [None, True, -1, 0, 1, 2**31, 2**53, 2**63 - 1, -2**63, 1e308, 5e-324, "", "x" * 5000,
          "\x00", "\u202e", "../..", "sw_1", "tr_1", "le_1", "NaN", [], {}, [[]], {"a": {}}]
TEXTS = ["", "0", "-1", "1e9", "99999999999999999999", "%00", "%ff", "a" * 3000, "sw_1", "tr_0",
         "../x", "%2e%2e%2f", "'", "\"", ";", "value > 0", "((((", "null", "true", "\u00e9"]
IDS = ["1", "sw_1", "tr_1", "rn_1.0", "rn_1.0#1", "md_1", "wk_1", "le_1", "wf_1", "fl_1", "0" * 64,
       "-1", "9" * 30, "%00", "a" * 500]
FIELDS = ["request_id", "spec", "worker", "value", "phase", "step", "params", "on", "text",
          "trials", "name", "sha256", "bytes", "points", "verb", "widen", "export", "cpus",
          "wait", "scopes"]
QUERIES = ["limit", "after", "where", "sort", "sweep", "run", "format", "points", "name", "x"]
HEADERS = ["Accept", "Origin", "Content-Type", "If-None-Match", "Expect", "Last-Event-ID",
           "X-Request-Id", "Accept-Encoding"]
METHODS = ["GET", "POST", "PUT", "HEAD", "DELETE", "PATCH", "OPTIONS"]


# What a parameter of a path usually is, and the body that a path's last words usually take.
USUAL = {"{sweep}": "sw_1", "{trial}": "tr_1", "{run}": "rn_1.0", "{worker}": "wk_1",
         "{lease}": "le_1", "{model}": "md_1", "{workflow}": "wf_1", "{id}": "tr_1"}


class Requests:
    def __init__(self, routes, bodies, seed):
        self.routes, self.bodies, self.chance = routes, bodies, random.Random(seed)

    def make(self):
        route = self.chance.choice(self.routes)
        parts = [self.id_for(part) if part.startswith("{") else part
                 for part in route["path"].split("/")]
        path = "/".join(parts)
        if self.chance.random() < 0.5:
            path += "?" + "&".join(f"{self.chance.choice(QUERIES)}={self.chance.choice(TEXTS)}"
                                   for _ in range(self.chance.randrange(1, 4)))
        method = route["method"]
        if self.chance.random() < 0.05:
            method = self.chance.choice(METHODS)
        headers = {}
        if self.chance.random() < 0.2:
            headers[self.chance.choice(HEADERS)] = self.chance.choice(TEXTS)
        body = self.body(route["path"]) if method not in ("GET", "HEAD") else None
        # http.client refuses what it would have to write otherwise than it is.
        path = path.encode("ascii", "ignore").decode().replace(" ", "%20")
        return method, path, body, headers

    def id_for(self, part):
        usual = part in USUAL and self.chance.random() < 0.8
        return USUAL[part] if usual else self.chance.choice(IDS)

    def body(self, path):
        kind = self.chance.random()
        if kind < 0.05:
            return self.chance.randbytes(self.chance.randrange(200))
        usual = self.bodies.get(path.rstrip("/").rsplit("/", 1)[-1])
        if usual is None or self.chance.random() < 0.1:
            usual = self.chance.choice(list(self.bodies.values()))
        document = json.loads(json.dumps(usual))
        if "request_id" in document and self.chance.random() < 0.9:
            document["request_id"] = f"r{self.chance.getrandbits(40)}"
        for _ in range(self.chance.choice([0, 1, 1, 1, 2, 3])):
            self.change(document)
        text = json.dumps(document).encode()
        return text[:self.chance.randrange(len(text) + 1)] if kind < 0.1 else text

    def change(self, value):
        """Changes one member of it, at any depth."""
        while isinstance(value, (dict, list)):
            keys = list(value) if isinstance(value, dict) else list(range(len(value)))
            if isinstance(value, dict) and (not keys or self.chance.random() < 0.2):
                value[self.chance.choice(FIELDS)] = copy.deepcopy(self.chance.choice(VALUES))
                return
            if not keys:
                return value.append(copy.deepcopy(self.chance.choice(VALUES)))
            key = self.chance.choice(keys)
            if not isinstance(value[key], (dict, list)) or self.chance.random() < 0.2:
                if self.chance.random() < 0.15:
                    del value[key]
                else:
                    value[key] = copy.deepcopy(self.chance.choice(VALUES))
                return
            value = value[key]


def bodies_of(sweep_spec):
    """What the mutations begin with, by the last word of the path that takes it."""
    named = {"request_id": "r"}
    return {
        "sweeps": {**named, "spec": sweep_spec()},
        "workers": {**named, "host": "h", "pid": 1, "cpus": 4, "gpus": 0, "hone_version": "1"},
        "leases": {**named, "worker": "wk_1", "wait": 0, "cpus": 1, "gpus": 0},
        "beat": {"leases": ["le_1"]}, "reports": {"phase": 0, "step": 10, "value": 1.5},
        "models": {"sha256": "0" * 64, "bytes": 5, "step": 1, "phase": 0},
        "metrics": {"points": [{"name": "loss", "step": 1, "value": 0.5}]},
        "end": {"reason": "failed", "exit_code": 1}, "steer": {"verb": "pause"},
        "ask": {"asker": "a"}, "tell": {"value": 1, "phase": 0, "step": 1},
        "enqueue": {**named, "params": {"lr": 0.1}},
        "notes": {**named, "on": "sw_1", "text": "x", "author": "a"},
        "tags": {"on": "sw_1", "add": ["a"], "remove": []},
        "edit": {**named, "trials": 9, "widen": [{"name": "lr", "min": 1e-6}]},
        "archive": {"archived": True}, "pin": {"pinned": True},
        "imports": {**named, "export": {"events": []}}, "confirm": {**named, "top": 1, "seeds": 2},
        "tokens": {**named, "name": "n", "scopes": ["read"], "sha256": "0" * 64},
        "evaluations": {**named, "metric": "return", "values": [1, 2]},
        "code": {"workflow": {"git_commit": "a"}},
        "fleets": {**named, "spec": {"name": "f", "engine": "local", "max": 0}},
    }


def run(folder, options):
    from conftest import Server, sweep_spec  # reads HONE_BIN
    server = Server(folder / "data").start()
    table = subprocess.run([str(pathlib.Path(options.bin) / "hone-server"), "--routes"], check=True,
                           capture_output=True).stdout
    # An event stream never ends.
    routes = [one for one in json.loads(table) if "stream" not in one["path"]]
    server.submit(sweep_spec())
    server.report(server.acquire(server.join()), 0, 1.0)
    requests = Requests(routes, bodies_of(sweep_spec), options.seed)
    counts = collections.Counter()
    connection = server.connect(SILENCE_MAX)
    found = 0
    for number in range(options.count):
        method, path, body, headers = requests.make()
        try:
            connection.request(method, path, body=body, headers=headers)
            answer = connection.getresponse()
            if (answer.getheader("Content-Type") or "").startswith("text/event-stream"):
                connection.close()
            else:
                answer.read()
            counts[answer.status] += 1
            if answer.status < 500 or answer.status == 503:
                continue
            why = f"status {answer.status}"
        except (http.client.HTTPException, ValueError, UnicodeError):
            connection.close()
            counts["closed"] += 1
            continue
        except OSError as trouble:
            connection.close()
            why = f"{type(trouble).__name__}: {trouble}"
            if server.process.poll() is None and not isinstance(trouble, TimeoutError):
                counts["closed"] += 1
                continue
        found += 1
        print(f"request {number} of seed {options.seed}: {why}: {method} {path[:300]} {headers}"
              f" {body!r:.600}")
        if server.process.poll() is not None:
            print(f"the server ended: {server.process.poll()}: {server.log_text()[-600:]}")
            break
    if server.process.poll() is None:
        server.kill()
    server.start()  # what it has written can be read
    server.kill()
    print(f"{sum(counts.values())} requests on {len(routes)} routes: "
          + ", ".join(f"{number} x {status}" for status, number in sorted(counts.items(), key=str))
          + f"; {found} found")
    return 1 if found else 0


def main():
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bin", default=str(ROOT / "build" / "test" / "bin"),
                         help="where hone-server is")
    options.add_argument("--count", type=int, default=10_000)
    options.add_argument("--seed", type=int, default=1)
    options = options.parse_args()
    os.environ["HONE_BIN"] = options.bin
    sys.path.insert(0, str(ROOT / "tests" / "e2e"))
    with tempfile.TemporaryDirectory(prefix="hone-requests-") as folder:
        return run(pathlib.Path(folder), options)


if __name__ == "__main__":
    sys.exit(main())
