#!/usr/bin/env python3
"""Sends mutated exports of real sweeps to a real server, as a stranger's documents.

tests/fuzz/imports.py [--bin DIR] [--count N] [--fields N] [--seed N] [--kept DIR] [--findings N]

Sweeps of every kind (exported.py, changed.py) are exported. Each document that is sent is one of
them: with one to four changes of its events, of values, names, numbers and keys, or by parts of
another one (--count); or with one field of one event set to an extreme value (--fields, a sample of
all fields of all kinds of events with all values; 0: every one). The server must refuse or accept
each within a second and without a 5xx. What it accepted it must bear (aftermath.py): once the sweep
has left memory and the server has started again, every route and every command.
Exits with 1 where it does not. Each finding is printed as a row, up to --findings of them; the
document is then in the folder --kept. The second is one of the server's work, so that a busy
machine makes no finding; no answer within a minute is one, too.
"""
import argparse
import collections
import http.client
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from mutations import Mutator, extremes

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS_MAX = 1.0
SILENCE_MAX = 60
BATCH = 40  # documents that share a restart


class Finding(Exception):
    """What the server must not do."""


class Speaker:
    """Sends requests over one connection and holds the answers to the rules."""

    def __init__(self, server):
        self.server, self.connection = server, server.connect(timeout=SILENCE_MAX)
        self.slowest, self.asked = 0.0, 0

    def spent(self):
        """Seconds that the server's threads have worked: others may keep this machine busy."""
        text = pathlib.Path(f"/proc/{self.server.process.pid}/stat").read_text()
        return sum(map(int, text.rpartition(")")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")

    def server_state(self):
        """Whether the server has ended. One that closes its connections is given time for it."""
        try:
            return f"the server ended with {self.server.process.wait(10)}"
        except subprocess.TimeoutExpired:
            return "the server lives"

    def ask(self, method, path, body=None):
        begin = time.monotonic()
        try:
            before = self.spent()
            self.connection.request(method, path, body=body)
            response = self.connection.getresponse()
            text = response.read()
            seconds = min(time.monotonic() - begin, self.spent() - before)
        except (OSError, http.client.HTTPException) as error:
            raise Finding(f"{method} {path}: {error!r}; {self.server_state()}") from error
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


class Accepted:
    """A document that was accepted: what was changed in it, its text, and its sweep."""

    def __init__(self, what, text, sweep):
        self.what, self.text, self.sweep = what, text, sweep


class Campaign:
    """Servers one after another, each until a finding, and the documents that they accepted."""

    def __init__(self, folder, documents, options):
        from aftermath import read_routes
        self.folder, self.documents, self.options = folder, documents, options
        self.routes = list(read_routes(f"{options.bin}/hone-server"))
        self.counts, self.rows, self.batch = collections.Counter(), [], []
        self.accepted = self.asked = self.turns = 0
        self.server = None
        self.begin()

    def begin(self):
        """A new server on a new folder."""
        from conftest import Server  # reads HONE_BIN
        self.end()
        self.turns += 1
        self.server = Server(self.folder / f"data{self.turns}", "--log-level", "error").start()
        # Confirmations need the sweep that they confirm.
        for kind in ("plain", "pbt"):
            self.server.post("/v1/imports",
                             {"request_id": kind, "export": self.documents[kind]})
        self.speaker = Speaker(self.server)

    def end(self):
        if self.server is not None and self.server.process is not None:
            if self.server.process.poll() is None:
                self.asked += self.speaker.asked
            self.server.kill()

    def note(self, what, text, finding):
        self.options.kept.mkdir(parents=True, exist_ok=True)
        file = self.options.kept / f"seed-{self.options.seed}-{len(self.rows)}.json"
        file.write_text(text)
        self.rows.append((what, str(finding)))
        print(f"FOUND {what}: {finding}\n  {file}\n  {self.server.log_text()[-600:]}",
              file=sys.stderr, flush=True)
        if len(self.rows) >= self.options.findings:
            raise Finding("enough findings")
        self.begin()

    def send(self, what, document):
        text = json.dumps({"request_id": f"m{sum(self.counts.values())}", "export": document})
        try:
            status, answer = self.speaker.ask("POST", "/v1/imports", text)
        except Finding as finding:
            self.note(what, text, finding)
            self.again()
            return
        self.counts[status] += 1
        if status in (200, 201):
            self.accepted += 1
            self.batch.append(Accepted(what, text, json.loads(answer)["sweep"]))
        if len(self.batch) >= BATCH:
            self.bear()

    def again(self):
        """Imports the documents of the batch into a new server."""
        for one in self.batch:
            status, answer = self.speaker.ask("POST", "/v1/imports", one.text)
            one.sweep = json.loads(answer)["sweep"] if status in (200, 201) else None

    def restart(self, others):
        """Starts again after so many other sweeps have ended: whether the server came up."""
        for number in range(others):
            self.speaker.ask("POST", "/v1/imports", json.dumps(
                {"request_id": f"other {number} {time.monotonic_ns()}",
                 "export": self.documents["killed"]}))
        self.asked += self.speaker.asked
        self.server.kill()
        try:
            self.server.start()
        except AssertionError:
            return False
        self.speaker = Speaker(self.server)
        return True

    def culprits(self):
        """Starts again with each document of the batch alone, and takes out those it refuses."""
        batch, self.batch = self.batch, []
        for one in batch:
            self.begin()
            self.batch = [one]
            self.again()
            if self.restart(0):
                continue
            self.note(one.what, one.text, "the next start is refused")
            one.sweep = None
        self.batch = [one for one in batch if one.sweep]
        self.begin()
        self.again()

    def bear(self):
        """What a server must bear of the accepted documents, after they have left memory."""
        from aftermath import OTHERS, Aftermath
        while self.batch:
            if not self.restart(OTHERS):
                self.culprits()
                continue
            while self.batch:
                one = self.batch.pop(0)
                if one.sweep is None:
                    continue
                try:
                    if not self.speaker.json(f"/v1/sweeps/{one.sweep}"):
                        raise Finding(f"{one.sweep} was accepted and is not there")
                    for path in ("/replay", "/export"):
                        self.speaker.ask("GET", f"/v1/sweeps/{one.sweep}{path}")
                    Aftermath(self.speaker, self.routes).bear(one.sweep, self.turns)
                except Finding as finding:
                    self.note(one.what, one.text, finding)
                    self.again()
                    break  # with those after it, on a new server
        if not self.restart(0):
            self.rows.append(("several documents", "the next start is refused"))


def importable():
    """The kinds of events that a document may hold, by the server's source."""
    source = (ROOT / "server" / "sweep" / "history" / "renumber.cpp").read_text()
    every = re.findall(r"operator\(\)\((\w+)& e?\)\s*\{([^}]*)", source)
    return {re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower() for name, body in every
            if "complete_ = false" not in body}


def run(folder, options):
    from conftest import Server, sweep_spec  # reads HONE_BIN
    from exported import exports
    source = Server(folder / "source").start()
    documents = exports(source, sweep_spec)
    source.kill()
    there = {event["kind"] for document in documents.values() for event in document["events"]}
    if missing := sorted(importable() - there):
        print(f"no base has {', '.join(missing)}: extend exported.py or changed.py",
              file=sys.stderr)
        return 1
    campaign = Campaign(folder, documents, options)
    mutator = Mutator(documents, options.seed)
    changed = [(f"mutation {number}", mutator.make) for number in range(options.count)]
    try:
        for what, document in itertools.chain(
                ((what, make()) for what, make in changed),
                extremes(documents, options.fields, options.seed, options.kind)
                if options.fields >= 0 else ()):
            campaign.send(what, document)
            if sum(campaign.counts.values()) % 1000 == 0:
                print(f"  {dict(campaign.counts)}", flush=True)
        campaign.bear()
    except Finding as finding:
        print(finding, file=sys.stderr)
    finally:
        campaign.end()
    print(f"{sum(campaign.counts.values())} imports of {len(documents)} kinds of sweeps with "
          f"{len(there)} kinds of events: "
          + ", ".join(f"{number} x {code}" for code, number in sorted(campaign.counts.items()))
          + f"; {campaign.accepted} accepted, {campaign.asked} requests, "
          f"{len(campaign.rows)} found")
    for what, finding in campaign.rows:
        print(f"| {what} | {finding[:160]} |")
    return 1 if campaign.rows else 0


def main():
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bin", default=str(ROOT / "build" / "test" / "bin"),
                         help="where hone-server is")
    options.add_argument("--count", type=int, default=100_000, help="mutated documents to send")
    options.add_argument("--fields", type=int, default=-1, help="fields with extremes; 0: all")
    options.add_argument("--kind", help="only fields of this kind of event")
    options.add_argument("--findings", type=int, default=1, help="ends after so many")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--kept", type=pathlib.Path, default=ROOT / "build" / "fuzz" / "found")
    options = options.parse_args()
    os.environ["HONE_BIN"] = options.bin
    sys.path.insert(0, str(ROOT / "tests" / "e2e"))
    with tempfile.TemporaryDirectory(prefix="hone-imports-") as folder:
        return run(pathlib.Path(folder), options)


if __name__ == "__main__":
    sys.exit(main())
