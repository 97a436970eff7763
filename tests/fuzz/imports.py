#!/usr/bin/env python3
"""Sends mutated exports of real sweeps to a real server, as a stranger's documents.

tests/fuzz/imports.py [--bin DIR] [--count N] [--seed N] [--kept DIR]

Sweeps of every kind (exported.py) are exported. Each document that is sent is one of them with one
to four changes: of its events, of values, names, numbers and keys, or by parts of another one. The
server must refuse or accept each within a second and without a 5xx, must stay healthy, and answer
reads of what it accepted; restarted on its ledger it must answer for every accepted sweep.
Exits with 1 where it does not; the document is then in the folder --kept. The second is one of the
server's work, so that a busy machine makes no finding; no answer within a minute is one, too.
"""
import argparse
import collections
import copy
import http.client
import json
import os
import pathlib
import random
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS_MAX = 1.0
SILENCE_MAX = 60
NUMBERS = [0, 1, -1, 2, 63, 10**4, 10**8, 2**31 - 1, 2**31, 2**32, 2**53, 2**53 + 1, 2**63 - 1,
           -2**63, 2**64 - 1, 0.5, -0.0, 5e-324, 1e15, 1e300, 1.7976931348623157e308, -1e308]
TEXTS = ["", "../../x", "/etc/passwd", "a\x00b", "\x1b[2J", "x" * 70_000, "$(reboot) \n", "\u202e",
         "</script><script>alert(1)</script>", "=1+1", "NaN", "none", "diverged", "completed",
         "stop", "continue", "pause", "tr_1", "tr_0", "tr_-1", "rn_1.0", "rn_1.9999", "rn_999.0",
         "rn_1.0#1", "le_1", "le_9223372036854775807", "wk_1", "md_1", "sw_1", "a" * 64,
         "9999-12-31T23:59:59Z", "1e9d", "${${a}}", "(" * 500, "2 ** 999 ** 999", "lr"]
SWEEP_ROUTES = ("", "/best", "/trials", "/importance", "/confirm", "/curves", "/incumbent",
                "/pareto", "/trials?sort=value", "/runs?where=phase%20%3E%200", "/curves/matrix",
                "/phases", "/summary", "/history", "/columns")
RUN_ROUTES = ("", "/curve", "/attempts", "/explain", "/metrics?name=loss", "/artifacts", "/log")
TRIAL_ROUTES = ("", "/runs", "/curve", "/explain")


class Finding(Exception):
    """What the server must not do."""


class Mutator:
    """Changes documents; the same seed makes the same changes."""

    def __init__(self, documents, seed):
        self.documents = list(documents.values())
        self.texts = [json.dumps(document) for document in self.documents]
        self.chance = random.Random(seed)

    def make(self):
        document = json.loads(self.chance.choice(self.texts))
        for _ in range(self.chance.choice((1, 1, 1, 2, 2, 3, 4))):
            change = self.chance.choice((self.events, self.value, self.value, self.value, self.key,
                                         self.transplant, self.times))
            try:
                change(document)
            except (KeyError, IndexError, TypeError, AttributeError, ValueError):
                continue  # an earlier change removed what this one changes
        return document

    def events(self, document):
        events, chance = document["events"], self.chance
        i, j = chance.randrange(len(events)), chance.randrange(len(events))
        how = chance.randrange(8)
        if how == 0:
            del events[i]
        elif how == 1:
            events[i], events[j] = events[j], events[i]
        elif how == 2:
            events.insert(j, copy.deepcopy(events[i]))
        elif how == 3:
            events.insert(j, events.pop(i))
        elif how == 4:
            del events[i:]
        elif how == 5:
            events[i]["body"] = copy.deepcopy(events[j]["body"])
        elif how == 6:
            events[i]["kind"] = events[j]["kind"]
        else:
            other = chance.choice(self.documents)["events"]
            events.insert(i, copy.deepcopy(chance.choice(other)))

    def place(self, document):
        """A container of the document and a key in it. An event is as likely as any other, long or
        short, and its kind is chosen first, so that rare ones are changed, too."""
        chance, node = self.chance, document
        if chance.random() < 0.85:
            kind = chance.choice(sorted({event["kind"] for event in document["events"]}))
            node = chance.choice([event for event in document["events"] if event["kind"] == kind])
        while True:
            keys = list(node) if isinstance(node, dict) else list(range(len(node)))
            key = chance.choice(keys)
            below = node[key]
            if not isinstance(below, (dict, list)) or not below or chance.random() < 0.1:
                return node, key
            node = below

    def value(self, document):
        node, key = self.place(document)
        was, chance = node[key], self.chance
        if isinstance(was, bool):
            node[key] = chance.choice((not was, None, 1))
        elif isinstance(was, (int, float)) and chance.random() < 0.8:
            node[key] = chance.choice(NUMBERS + [was + 1, was - 1, -was, 2 * was, float(was)])
        elif isinstance(was, str) and chance.random() < 0.8:
            near = [was + "x", was[:-1], was.upper(), was * 3, was.replace("1", "2")]
            node[key] = chance.choice(TEXTS + near)
        elif isinstance(was, list) and was and chance.random() < 0.6:
            node[key] = chance.choice((was * 2, was * 50, was[:-1], was[::-1], [], [was]))
        else:
            node[key] = chance.choice((None, [], {}, "", 0, [[[[]]]], {"a": {"b": 1}}, was))

    def key(self, document):
        node, key = self.place(document)
        if self.chance.random() < 0.6:
            del node[key]
        else:
            other, name = self.place(self.chance.choice(self.documents))
            if isinstance(node, dict):
                node[str(name)] = copy.deepcopy(other[name])

    def transplant(self, document):
        """A part of another document in the place of the same part of this one."""
        other = self.chance.choice(self.documents)
        if self.chance.random() < 0.5:
            spec, source = document["events"][0]["body"]["spec"], other["events"][0]["body"]["spec"]
            name = self.chance.choice(sorted(source))
            spec[name] = copy.deepcopy(source[name])
            return
        event = self.chance.choice(document["events"])
        twins = [one for one in other["events"] if one["kind"] == event["kind"]]
        event["body"] = copy.deepcopy(self.chance.choice(twins)["body"])

    def times(self, document):
        start = self.chance.randrange(len(document["events"]))
        shift = self.chance.choice((-1, 1, 10**6, -10**15, 10**18, 2**62))
        for event in document["events"][start:]:
            event["at_us"] += shift


class Speaker:
    """Sends requests over one connection and holds the answers to the rules."""

    def __init__(self, server):
        self.server, self.connection = server, server.connect(timeout=SILENCE_MAX)
        self.slowest, self.asked = 0.0, 0

    def spent(self):
        """Seconds that the server's threads have worked: others may keep this machine busy."""
        text = pathlib.Path(f"/proc/{self.server.process.pid}/stat").read_text()
        return sum(map(int, text.rpartition(")")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")

    def ask(self, method, path, body=None):
        begin = time.monotonic()
        try:
            before = self.spent()
            self.connection.request(method, path, body=body)
            response = self.connection.getresponse()
            text = response.read()
            seconds = min(time.monotonic() - begin, self.spent() - before)
        except (OSError, http.client.HTTPException) as error:
            dead = self.server.process.poll()
            raise Finding(f"{method} {path}: {error!r}; the server "
                          + ("lives" if dead is None else f"ended with {dead}")) from error
        self.asked += 1
        if response.status >= 500:
            raise Finding(f"{method} {path}: {response.status} {text[:500]!r}")
        if seconds > SECONDS_MAX:
            raise Finding(f"{method} {path}: {seconds:.1f} s")
        self.slowest = max(self.slowest, seconds)
        return response.status, text

    def json(self, path):
        status, text = self.ask("GET", path)
        return json.loads(text) if status == 200 else {}


def check_sweep(speaker, sweep, chance):
    """Asks an accepted sweep for its replay, its export and some other routes, one of its runs for
    some, and tells that run's trial."""
    for path in ("/replay", "/export", *chance.sample(SWEEP_ROUTES, 3)):
        speaker.ask("GET", f"/v1/sweeps/{sweep}{path}")
    runs = speaker.json(f"/v1/sweeps/{sweep}/runs?limit=20").get("items")
    if runs is None:
        raise Finding(f"{sweep} was accepted and is not there")
    if not runs:
        return
    run = chance.choice(runs)
    trial = "tr_" + run["id"].split("_")[1].split(".")[0]
    about_run = [f"/v1/runs/{run['id']}{path}" for path in RUN_ROUTES]
    about_trial = [f"/v1/trials/{trial}{path}" for path in TRIAL_ROUTES]
    for path in chance.sample([*about_run, *about_trial, f"/v1/lineage/{sweep}"], 3):
        speaker.ask("GET", path)
    speaker.ask("POST", f"/v1/trials/{trial}/tell", json.dumps({"value": run["value"] or 1.0}))


def attack(server, documents, options, counts):
    speaker, mutator = Speaker(server), Mutator(documents, options.seed)
    accepted = []
    for number in range(options.count):
        document = mutator.make()
        text = json.dumps({"request_id": f"m{number}", "export": document})
        try:
            status, answer = speaker.ask("POST", "/v1/imports", text)
            counts[status] += 1
            if status in (200, 201):
                accepted.append(json.loads(answer)["sweep"])
                check_sweep(speaker, accepted[-1], mutator.chance)
            if number % 50 == 0 and speaker.ask("GET", "/healthz")[0] != 200:
                raise Finding("not healthy")
        except Finding:
            options.kept.mkdir(parents=True, exist_ok=True)
            (options.kept / f"seed-{options.seed}-{number}.json").write_text(text)
            raise
        if number % 5000 == 4999:
            print(f"  {number + 1} sent, {len(accepted)} accepted", flush=True)
    return accepted, speaker


def check_restart(server, accepted):
    import conftest  # reads HONE_BIN
    server.kill()
    conftest.START_SECONDS = 300  # on a busy machine
    begin = time.monotonic()
    server.start()
    seconds = time.monotonic() - begin
    speaker = Speaker(server)
    for sweep in sorted(set(accepted)):
        if not speaker.json(f"/v1/sweeps/{sweep}"):
            raise Finding(f"{sweep} is gone after a restart")
        speaker.ask("GET", f"/v1/sweeps/{sweep}/best")
    return seconds


def run(folder, options):
    from conftest import Server, sweep_spec  # reads HONE_BIN
    from exported import exports
    source = Server(folder / "source").start()
    documents = exports(source, sweep_spec)
    source.kill()
    server = Server(folder / "data", "--log-level", "error").start()
    # Confirmations need the sweep that they confirm.
    for kind in ("plain", "pbt"):
        server.post("/v1/imports", {"request_id": kind, "export": documents[kind]})
    counts, status = collections.Counter(), 1
    try:
        accepted, speaker = attack(server, documents, options, counts)
        start = check_restart(server, accepted)
        print(f"{options.count} imports of {len(documents)} kinds of sweeps: "
              + ", ".join(f"{number} x {code}" for code, number in sorted(counts.items()))
              + f"; {len(set(accepted))} sweeps accepted, {speaker.asked} requests, the slowest "
              f"{speaker.slowest * 1000:.0f} ms; started again in {start:.1f} s")
        status = 0
    except Finding as finding:
        print(f"FOUND after {dict(counts)}: {finding}\n{server.log_text()[-3000:]}",
              file=sys.stderr)
    finally:
        if server.process is not None and server.process.poll() is None:
            server.kill()
    return status


def main():
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bin", default=str(ROOT / "build" / "test" / "bin"),
                         help="where hone-server is")
    options.add_argument("--count", type=int, default=100_000, help="documents to send")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--kept", type=pathlib.Path, default=ROOT / "build" / "fuzz" / "found")
    options = options.parse_args()
    os.environ["HONE_BIN"] = options.bin
    sys.path.insert(0, str(ROOT / "tests" / "e2e"))
    with tempfile.TemporaryDirectory(prefix="hone-imports-") as folder:
        return run(pathlib.Path(folder), options)


if __name__ == "__main__":
    sys.exit(main())
