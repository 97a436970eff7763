"""The server's bounds over real sockets; options make them small enough to reach at once."""
import hashlib
import json
import os
import select
import socket

import pytest

from conftest import Server, problem, sweep_spec
from guarded import Certificate, Guarded, Secret

BRIEF = "1"  # second: what a slow client is given here; enough for an honest one on a busy machine
GET = b"GET /v1/sweeps HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture
def start(tmp_path):
    started = []

    def begin(*options, kind=Server, **more):
        server = kind(tmp_path / f"data{len(started)}", *options, **more).start()
        started.append(server)
        return server

    yield begin
    for server in started:
        assert server.stop() == 0, server.log_text()


def connect(server):
    return socket.create_connection(("127.0.0.1", server.port), timeout=60)


def read_answers(connection, count):
    """(status, headers, body) of `count` answers on an open connection; fewer if it closes."""
    received, answers = b"", []
    while len(answers) < count:
        head, end, rest = received.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        headers = {name.lower(): value for name,
                   value in (line.split(": ", 1) for line in lines[1:] if ": " in line)}
        length = int(headers.get("content-length", 0)) if end else 1
        if end and len(rest) >= length:
            answers.append((int(lines[0].split()[1]), headers, json.loads(rest[:length])))
            received = rest[length:]
            continue
        piece = connection.recv(65536)
        if not piece:
            break
        received += piece
    return answers


def read_answer(connection):
    """One answer; None at the end of the connection."""
    return next(iter(read_answers(connection, 1)), None)


def ask(connection, request=GET):
    connection.sendall(request)
    return read_answer(connection)


def until_served(server):
    """Asks on new connections until one is served: a place has become free."""
    while True:
        with connect(server) as connection:
            try:
                answer = ask(connection)
            except ConnectionError:
                continue
        if answer and answer[0] == 200:
            return


def test_connections_are_bounded_in_all(start):
    server = start("--connections", "3")
    held = [connect(server) for _ in range(3)]
    assert all(ask(connection)[0] == 200 for connection in held)
    with connect(server) as late:
        status, headers, body = read_answer(late)
        assert status == 503 and body["code"] == "busy" and headers["retry-after"] == "1"
    assert ask(held[0])[0] == 200, "who was there is served on"
    held.pop().close()
    until_served(server)
    for connection in held:
        connection.close()


def test_connections_of_one_address_are_bounded(start):
    server = start("--connections-per-peer", "2")
    held = [connect(server) for _ in range(2)]
    assert all(ask(connection)[0] == 200 for connection in held)
    with connect(server) as late:
        assert read_answer(late)[0] == 503
    with socket.socket() as elsewhere:
        elsewhere.bind(("127.0.0.2", 0))
        elsewhere.connect(("127.0.0.1", server.port))
        assert ask(elsewhere)[0] == 200, "another address has its own bound"
    held.pop().close()
    until_served(server)
    held.pop().close()


def test_requests_of_one_address_are_bounded_and_told_when_to_come_again(start):
    server = start("--requests-per-second", "1")
    with connect(server) as connection:
        connection.sendall(GET * 50)
        answers = read_answers(connection, 50)
        refused = [answer for answer in answers if answer[0] == 429]
        assert [answers[0][0], answers[1][0]] == [200, 200], "the burst"
        assert len(refused) > 40
        status, headers, body = refused[0]
        assert body["code"] == "rate_limited" and body["retryable"] and int(
            headers["retry-after"]) >= 1
    with socket.socket() as elsewhere:
        elsewhere.bind(("127.0.0.3", 0))
        elsewhere.connect(("127.0.0.1", server.port))
        assert ask(elsewhere)[0] == 200


def test_requests_are_counted_by_token_where_there_is_one(start):
    server = start("--requests-per-second", "2", kind=Guarded)
    first, second = server.create("read")[1], server.create("read")[1]

    def request(token):
        return GET.replace(b"\r\n\r\n", f"\r\nAuthorization: Bearer {token}\r\n\r\n".encode())

    with connect(server) as connection:
        connection.sendall(request(first) * 50)
        assert 429 in [answer[0] for answer in read_answers(connection, 50)]
        assert ask(connection, request(second))[0] == 200, "another token of the same address"


def test_who_guesses_tokens_is_bounded_by_address(start):
    server = start("--requests-per-second", "1", kind=Guarded)
    with socket.socket() as elsewhere:
        elsewhere.bind(("127.0.0.4", 0))
        elsewhere.connect(("127.0.0.1", server.port))
        elsewhere.sendall(b"".join(GET.replace(b"\r\n\r\n",
                                               b"\r\nAuthorization: Bearer hone_%d\r\n\r\n" % n)
                                   for n in range(50)))
        statuses = [answer[0] for answer in read_answers(elsewhere, 50)]
    assert set(statuses) == {401, 429} and statuses.count(429) > 40


@pytest.mark.parametrize("said", [
    b"", b"GET /v1/sweeps", b"GET /v1/sweeps HTTP/1.1\r\nHost: localhost\r\n",
    b"POST /v1/sweeps HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{",
    b"POST /v1/sweeps HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
    b"PUT /v1/blobs/" + b"a" * 64 + b" HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nx",
], ids=["nothing", "half a line", "half a header", "half a body", "half a chunk", "half a blob"])
def test_slow_writer_is_cut_off(start, said):
    server = start("--request-time", BRIEF, "--idle-time", BRIEF)
    with connect(server) as connection:
        connection.sendall(said)
        assert connection.recv(65536) == b""
    assert server.get("/healthz")["status"] == "ok"
    assert list((server.folder / "blobs" / "incoming").iterdir()) == []


def test_writer_that_drips_is_cut_off(start):
    """A byte now and then does not buy more time: the whole request has one bound."""
    server = start("--request-time", BRIEF)
    with connect(server) as connection:
        connection.sendall(b"GET /v1/sweeps HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
        closed = False
        while not closed:
            try:
                connection.sendall(b"a")
                readable, _, _ = select.select([connection], [], [], 0.02)
                closed = bool(readable) and connection.recv(1) == b""
            except ConnectionError:
                closed = True
    assert server.get("/healthz")["status"] == "ok"


def test_kept_connection_is_closed_when_it_stays_silent(start):
    server = start("--idle-time", BRIEF)
    with connect(server) as connection:
        assert ask(connection)[0] == 200
        assert connection.recv(1) == b""


def test_client_that_never_shakes_hands_is_cut_off(start, tmp_path):
    own = Certificate(tmp_path, "own")
    server = Secret(tmp_path / "secret", own, "--request-time", BRIEF).start()
    try:
        with connect(server) as connection:
            assert connection.recv(1) == b""
    finally:
        server.stop()


def slow_reader(server):
    """A connection that will not read what it asks for."""
    slow = socket.socket()
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    slow.settimeout(60)
    slow.connect(("127.0.0.1", server.port))
    return slow


def received_of(connection):
    total = 0
    try:
        while piece := connection.recv(1 << 20):
            total += len(piece)
    except ConnectionError:
        pass
    return total


def test_slow_reader_of_a_blob_is_cut_off(start):
    """Only one connection fits: another is served once the slow one is gone."""
    server = start("--request-time", BRIEF, "--connections", "1")
    blob = os.urandom(32_000_000)
    digest = hashlib.sha256(blob).hexdigest()
    assert server.ask("PUT", f"/v1/blobs/{digest}", blob).status == 201
    until_served(server)
    with slow_reader(server) as slow:
        slow.sendall(f"GET /v1/blobs/{digest} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert slow.recv(1)
        until_served(server)
        assert received_of(slow) < len(blob)


def test_slow_reader_of_answers_is_cut_off(start):
    server = start("--request-time", BRIEF, "--connections", "1")
    sweep = server.submit(sweep_spec(parameters={f"p{n}": {"type": "float", "min": 0, "max": 1}
                                                 for n in range(200)},
                                     command=["true"]))
    until_served(server)
    with slow_reader(server) as slow:
        asked = 2000
        slow.setblocking(False)
        request = f"GET /v1/sweeps/{sweep} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() * asked
        sent = 0
        while sent < len(request):
            _, writable, _ = select.select([], [slow], [], 0.05)
            if not writable:
                break  # the server reads no more: it waits for us to read
            sent += slow.send(request[sent:])
        slow.settimeout(60)
        until_served(server)


def test_paths_of_a_request_never_reach_the_file_system(start):
    server = start()
    (server.folder / "blobs" / "secret").write_text("not to be seen")
    outside = server.folder.parent / "outside"
    outside.write_text("not to be seen")
    names = ["..%2foutside", "%2e%2e%2foutside", "..%2f..%2f" + "outside", "secret",
             str(outside).replace("/", "%2f"),
             "ab%2f" + "c" * 62, "./secret", "%2e%2e", "a" * 63 + "%2f", "A" * 64]
    for name in names:
        for method, body in (("GET", None), ("HEAD", None), ("PUT", b"overwritten")):
            answer = server.ask(method, "/v1/blobs/" + name, body)
            assert answer.status in (400, 404), (method, name, answer)
            assert b"not to be seen" not in answer.body
    problem(server.ask("GET", "/v1/models/..%2f..%2foutside"), 400, "invalid")
    assert outside.read_text() == "not to be seen"
    assert (server.folder / "blobs" / "secret").read_text() == "not to be seen"
