"""A standby whose primary lies: pages that were cut, changed or made up, blobs of other bytes. It
keeps running, copies nothing false, and is complete once the answers are true."""
import contextlib
import http.client
import json
import random

from conftest import Server
from listener import Listener
from standby_pair import caught_up, free_port, health, with_checkpoint
from slurm import until

LIES = 120
NUMBERS = [-1, 0, 1, 10**9, 2**31, 2**63 - 1, 2**64 - 1, 1e308, None, "x", [], {}]


def other_head(page, chance):
    """The first line with one member of another value, or without it."""
    head, _, rest = page.partition(b"\n")
    members = json.loads(head)
    name = chance.choice(sorted(members))
    if chance.random() < 0.2:
        del members[name]
    else:
        members[name] = chance.choice(NUMBERS)
    return json.dumps(members).encode() + b"\n" + rest


def other_words(page, chance):
    """One of the words of the lines before the bodies is another."""
    lines = page.split(b"\n")
    places = [i for i, line in enumerate(lines) if i > 0 and line and line[:1].isdigit()]
    if not places:
        return b"{}\n"
    at = chance.choice(places)
    words = lines[at].split(b" ")
    words[chance.randrange(len(words))] = str(chance.choice(NUMBERS)).encode()
    lines[at] = b" ".join(words)
    return b"\n".join(lines)


def lie(page, chance):
    kind = chance.randrange(7)
    if kind == 0:
        return page[:chance.randrange(len(page) + 1)]
    if kind == 1:
        at = chance.randrange(len(page))
        return page[:at] + bytes([page[at] ^ 1 << chance.randrange(8)]) + page[at + 1:]
    if kind == 2:
        return page + page
    if kind == 3:
        return chance.randbytes(chance.randrange(3000))
    if kind == 4:
        return b"[" * 100_000
    return other_head(page, chance) if kind == 5 else other_words(page, chance)


class LyingPrimary(Listener):
    """Hands requests on to `primary`, and changes the first answers with pages or blobs."""

    def __init__(self, primary, seed):
        self.primary, self.chance, self.lies = primary, random.Random(seed), 0

        def pass_on(handler):
            body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
            status, kind, answer = self.truth(handler.command, handler.path, body)
            if status == 200 and ("pull" in handler.path or "/blobs/" in handler.path):
                answer = self.changed(answer)
            handler.send_response(status)
            handler.send_header("Content-Type", kind)
            handler.send_header("Content-Length", str(len(answer)))
            handler.end_headers()
            handler.wfile.write(answer)

        super().__init__(pass_on)

    def truth(self, method, path, body):
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.primary.port,
                                                           timeout=20)) as connection:
            connection.request(method, path, body=body)
            response = connection.getresponse()
            return response.status, response.getheader("Content-Type", ""), response.read()

    def changed(self, answer):
        if self.lies >= LIES:
            return answer
        self.lies += 1
        return lie(answer, self.chance)


def events_of(server):
    found, after = [], 0
    while page := server.get(f"/v1/events?limit=1000&after={after}")["items"]:
        found += page
        after = page[-1]["seq"]
    return found


def test_a_standby_outlives_a_primary_that_lies(tmp_path):
    primary = Server(tmp_path / "a").start()
    for _ in range(3):
        with_checkpoint(primary)
    standby = Server(tmp_path / "b")
    try:
        with LyingPrimary(primary, seed=5) as liar:
            standby.extra.append(f"--follow=http://127.0.0.1:{liar.port}")
            standby.start(free_port())
            # A standby waits up to 5 s after a failure: each new event of the primary asks again.
            assert until(lambda: liar.lies >= 8, 60), health(standby)
            assert standby.process.poll() is None, standby.log_text()
            copied = events_of(standby)
            assert copied == events_of(primary)[:len(copied)]
            liar.lies = LIES
            caught_up(standby, primary)
            assert events_of(standby) == events_of(primary)
    finally:
        for server in (standby, primary):
            if server.process is not None:
                assert server.stop() == 0, server.log_text()
