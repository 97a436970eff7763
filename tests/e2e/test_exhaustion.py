"""Bounds of memory, reached over real sockets: the server stays below the figures of limits.hpp.

Each test takes as many bytes as a bound allows, and more; the peak of the server's memory is read
from /proc.
"""
import contextlib
import hashlib
import os
import re
import socket

import pytest

from conftest import ROOT, Server, problem, sweep_spec
from guarded import Guarded

MIB = 1024 * 1024
SLACK = 48 * MIB  # of the program itself, its threads, its allocator and SQLite
if "ASAN_OPTIONS" in os.environ:  # tests/e2e/sanitized: what was freed stays in quarantine
    SLACK += 512 * MIB


def limit(name):
    """The value of a constant of server/limits.hpp."""
    text = (ROOT / "server" / "limits.hpp").read_text()
    expression = re.search(rf"\b{name} = ([^;]+);", text).group(1).replace("'", "")
    names = re.findall(r"[a-z]\w+", expression)
    return eval(expression.replace("/", "//"), {}, {one: limit(one) for one in names})  # noqa: S307


def peak(server):
    """The largest resident memory of the server so far."""
    with open(f"/proc/{server.process.pid}/status") as status:
        return int(re.search(r"VmHWM:\s+(\d+) kB", status.read()).group(1)) * 1024


def head(server, line, fields=""):
    token = getattr(server, "token", None)
    bearer = f"Authorization: Bearer {token}\r\n" if token else ""
    return f"{line} HTTP/1.1\r\nHost: localhost\r\n{bearer}{fields}\r\n".encode()


@contextlib.contextmanager
def connections(server, count, source="127.0.0.1"):
    with contextlib.ExitStack() as stack:
        held = []
        for _ in range(count):
            one = stack.enter_context(socket.socket())
            one.settimeout(60)
            one.bind((source, 0))
            one.connect(("127.0.0.1", server.port))
            held.append(one)
        yield held


def answer_of(connection):
    """The status of an answer."""
    return int(connection.recv(4096).split()[1])


@pytest.fixture
def guarded(tmp_path):
    server = Guarded(tmp_path / "guarded").start()
    yield server
    assert server.stop() == 0, server.log_text()


def test_open_routes_keep_no_bytes_of_clients_without_a_token(guarded):
    before = peak(guarded)
    with connections(guarded, 200) as held:
        for path in ("/healthz", "/readyz"):
            for one in held[::2] if path == "/healthz" else held[1::2]:
                one.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n"
                            f"Content-Length: {4 * MIB}\r\n\r\n".encode())
        assert {answer_of(one) for one in held} == {413}
    assert peak(guarded) - before < SLACK


def test_bodies_in_flight_are_bounded_for_each_address_and_in_all(server):
    body, each = limit("body_bytes_max"), limit("bodies_per_client_bytes_max")
    start = head(server, "POST /v1/sweeps", f"Content-Length: {body}\r\n")
    before = peak(server)
    with contextlib.ExitStack() as stack:
        held = []
        for number in range(limit("bodies_bytes_max") // each):
            source = f"127.0.0.{number + 2}"
            for one in stack.enter_context(connections(server, each // body, source)):
                one.sendall(start + b"[" * (body - 1))
                held.append(one)
            late = stack.enter_context(connections(server, 1, source))[0]
            late.sendall(start)
            assert answer_of(late) == 503, "as many bytes of one address as may be"
        late = stack.enter_context(connections(server, 1, "127.0.0.99"))[0]
        late.sendall(start)
        assert answer_of(late) == 503, "as many bytes of all as may be"
        assert server.submit(sweep_spec()) == "sw_1", "small bodies do not wait"
        assert peak(server) - before < limit("bodies_bytes_max") + SLACK
    assert server.get("/healthz")["status"] == "ok"


def test_one_import_of_an_address_is_in_progress(server):
    """Two of 64 MB were in memory at once."""
    start = head(server, "POST /v1/imports", "Content-Length: 2\r\n")
    waits = head(server, "POST /v1/imports", "Content-Length: 2\r\nExpect: 100-continue\r\n")
    with connections(server, 2, "127.0.0.2") as (first, second), \
            connections(server, 1, "127.0.0.3") as (other,):
        first.sendall(waits)
        assert answer_of(first) == 100
        second.sendall(start + b"{}")
        assert answer_of(second) == 429
        other.sendall(start + b"{}")
        assert answer_of(other) == 400, "of another address it is read"
        first.sendall(b"{}")
        assert answer_of(first) == 400
    with connections(server, 1, "127.0.0.2") as (third,):
        third.sendall(start + b"{}")
        assert answer_of(third) == 400, "the one before it is over"


def test_the_line_of_a_chunk_and_a_trailer_are_bounded(server):
    """What the parser could not use yet stayed in memory, and no bound of bodies counted it."""
    before = peak(server)
    for path in ("POST /v1/sweeps", "GET /v1/sweeps", "PUT /v1/blobs/" + "a" * 64):
        for start in (b"5;", b"0\r\nX: "):
            with connections(server, 1) as held:
                held[0].sendall(head(server, path, "Transfer-Encoding: chunked\r\n") + start)
                with contextlib.suppress(OSError):  # the server may have closed the connection
                    for _ in range(100):
                        held[0].sendall(b"a" * MIB)
    assert peak(server) - before < SLACK
    assert server.get("/healthz")["status"] == "ok"


def test_transfers_of_blobs_are_bounded(server):
    piece, each = limit("blob_piece_bytes"), limit("bodies_per_client_bytes_max")
    before = peak(server)
    start = head(server, "PUT /v1/blobs/" + "a" * 64,
                 f"Content-Length: {MIB}\r\nExpect: 100-continue\r\n")
    with connections(server, each // piece) as held:
        for one in held:
            one.sendall(start)
            assert answer_of(one) == 100
        with connections(server, 1) as late:
            late[0].sendall(start)
            assert answer_of(late[0]) == 503
        assert peak(server) - before < each + SLACK
    blob = b"abc"
    digest = hashlib.sha256(blob).hexdigest()
    while server.ask("PUT", f"/v1/blobs/{digest}", blob).status == 503:
        pass  # until the server has seen the ends of the connections


def test_watchers_that_do_not_read_hold_one_batch_each(server):
    server.submit(sweep_spec())
    for number in range(300):
        server.post("/v1/notes", {"request_id": str(number), "on": "sw_1", "text": "x" * 16_000})
    each = limit("watchers_per_speaker_max")
    watchers = 2 * each
    before = peak(server)
    with connections(server, each) as held, connections(server, each, "127.0.0.2") as others:
        held += others
        for one in held:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            one.sendall(head(server, "GET /v1/events", "Accept: text/event-stream\r\n"))
        for one in held:
            assert answer_of(one) == 200
        server.get("/v1/events?limit=1000")
        batch = 2 * (limit("watch_batch_bytes") + 2 * 16_000)  # rows and their text
        assert peak(server) - before < watchers * batch + 8 * limit("page_bytes_max") + SLACK


def watch(server, connection, token=None):
    """The status of the answer to a request for an event stream."""
    bearer = f"Authorization: Bearer {token}\r\n" if token else ""
    connection.sendall(f"GET /v1/events HTTP/1.1\r\nHost: localhost\r\n{bearer}"
                       "Accept: text/event-stream\r\n\r\n".encode())
    return answer_of(connection)


def wait_for_a_place(server, source, token=None):
    """Until the server has seen that a stream ended."""
    while True:
        with connections(server, 1, source) as late:
            if watch(server, late[0], token) == 200:
                return


def test_streams_of_one_address_leave_places_for_the_others(server):
    each = limit("watchers_per_speaker_max")
    with contextlib.ExitStack() as stack:
        for number in range(limit("watchers_max") // each):
            source = f"127.0.0.{number + 2}"
            held = stack.enter_context(connections(server, each, source))
            assert {watch(server, one) for one in held} == {200}, source
            late = stack.enter_context(connections(server, 1, source))[0]
            assert watch(server, late) == 503, source
        late = stack.enter_context(connections(server, 1, "127.0.0.99"))[0]
        assert watch(server, late) == 503, "as many as there may be in all"
        assert server.ask("GET", "/v1/events").status == 200, "a page needs no place"
        held.pop().close()
        wait_for_a_place(server, source)
    wait_for_a_place(server, "127.0.0.99")


def test_streams_of_one_token_leave_places_for_the_others_at_its_address(guarded):
    """So it is behind a proxy, too: there the address is that of the proxy."""
    greedy, other = guarded.create("read")[1], guarded.create("read")[1]
    with connections(guarded, limit("watchers_per_speaker_max")) as held:
        assert {watch(guarded, one, greedy) for one in held} == {200}
        accept = {"Accept": "text/event-stream"}
        refused = guarded.ask("GET", "/v1/events", headers=accept, token=greedy)
        problem(refused, 503, "busy", words=["this token or address has", "close one"])
        assert refused.json["retryable"] and refused.headers["retry-after"] == "1"
        with connections(guarded, 1) as others:
            assert watch(guarded, others[0], other) == 200
        with connections(guarded, 1, "127.0.0.2") as elsewhere:
            assert watch(guarded, elsewhere[0], greedy) == 503, "its bound is that of the token"


def test_pages_of_events_are_bounded_by_their_bytes(server):
    server.submit(sweep_spec())
    for number in range(300):
        server.post("/v1/notes", {"request_id": str(number), "on": "sw_1", "text": "x" * 16_000})
    seen, after = [], 0
    while after is not None:
        answer = server.ask("GET", f"/v1/events?limit=1000&after={after}")
        names = 256 * len(answer.json["items"])  # the keys of each event around its content
        assert len(answer.body) < limit("page_bytes_max") + 2 * 16_000 + names
        seen += [event["seq"] for event in answer.json["items"]]
        after = answer.json["next"]
    assert seen == list(range(1, server.get("/healthz")["seq"] + 1)), "none is left out"


def test_a_body_that_is_not_json_is_refused_off_the_sockets_thread(server):
    """Other requests are answered while the large one is parsed."""
    text = b'{"export": [' + b"[]," * 5_000_000 + b"[]]}"
    with connections(server, 1) as held:
        held[0].sendall(head(server, "POST /v1/imports", f"Content-Length: {len(text)}\r\n") + text)
        assert server.get("/healthz")["status"] == "ok"
        assert answer_of(held[0]) == 400


def test_heavy_reads_of_one_address_are_bounded(tmp_path):
    server = Server(tmp_path / "data").start()
    server.submit(sweep_spec())
    more = 4 * limit("heavy_reads_per_speaker_max")
    with connections(server, more) as held:
        for one in held:
            one.sendall(head(server, "GET /v1/sweeps/sw_1/export"))
        statuses = [answer_of(one) for one in held]
    assert set(statuses) <= {200, 503} and 200 in statuses
    status = 503
    while status == 503:  # until the server has written the last answer to its end
        status = server.ask("GET", "/v1/sweeps/sw_1/export").status
    assert status == 200
    problem(server.ask("GET", "/v1/sweeps/sw_9/export"), 404, "not_found")
    assert server.stop() == 0, server.log_text()
