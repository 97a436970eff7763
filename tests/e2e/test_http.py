"""HTTP as all kinds of clients send it, valid and invalid."""
import hashlib
import re
import socket

import pytest

from conftest import problem, sweep_spec


def test_head_is_get_without_body(server):
    blob = b"x" * 1000
    digest = hashlib.sha256(blob).hexdigest()
    server.ask("PUT", f"/v1/blobs/{digest}", blob)
    for path in ("/healthz", "/v1/sweeps", "/v1/events", f"/v1/blobs/{digest}", "/v1/sweeps/sw_9"):
        get, head = server.ask("GET", path), server.ask("HEAD", path)
        assert head.status == get.status and head.body == b""
        assert head.headers["content-length"] == str(len(get.body))


def test_connection_is_kept(server):
    connection = server.connect()
    for _ in range(3):
        connection.request("GET", "/healthz")
        response = connection.getresponse()
        assert response.status == 200 and response.read()
        socket_before = connection.sock
        assert socket_before is not None
        connection.request("POST", "/v1/sweeps/sw_9/steer", body=b'{"verb": "pause"}')
        response = connection.getresponse()
        assert response.status == 404 and response.read()
        assert connection.sock is socket_before
    connection.close()


def test_pipelined_requests_are_answered_in_order(shared_server):
    data = (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
            b"POST /v1/sweeps/sw_9/steer HTTP/1.1\r\nHost: localhost\r\nContent-Length: 16\r\n\r\n{\"verb\":\"pause\"}"
            b"GET /v1/version HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    received = shared_server.raw(data)
    assert re.findall(rb"HTTP/1.1 (\d+)", received) == [b"200", b"404", b"200"]
    assert received.index(b'"status"') < received.index(b'"not_found"') < received.index(b'"api"')


def test_chunked_body_is_read(shared_server):
    received = shared_server.raw(
        b"POST /v1/sweeps/sw_9/steer HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n8\r\n{\"verb\":\r\n8\r\n\"pause\"}\r\n0\r\n\r\n")
    assert received.startswith(b"HTTP/1.1 404") and b"sw_9" in received


def test_expecting_client_is_invited_or_refused_before_it_sends(shared_server):
    head = (b"POST /v1/sweeps/sw_9/steer HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n")
    with socket.create_connection(("127.0.0.1", shared_server.port), timeout=20) as connection:
        connection.sendall(head % 16)
        assert connection.recv(1000).startswith(b"HTTP/1.1 100 Continue\r\n\r\n")
        connection.sendall(b'{"verb":"pause"}')
        assert connection.recv(1000).startswith(b"HTTP/1.1 404")
    with socket.create_connection(("127.0.0.1", shared_server.port), timeout=20) as connection:
        connection.sendall(head % 10**9)
        assert connection.recv(1000).startswith(b"HTTP/1.1 413")


MALFORMED = [
    ("no HTTP", b"hello there\r\n\r\n", b"400"),
    ("bad version", b"GET / HTTP/3.7\r\nHost: localhost\r\n\r\n", b"400"),
    ("no host", b"GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n", b"400"),
    ("two hosts",
     b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\nConnection: close\r\n\r\n",
     b"400"),
    ("two lengths",
     b"POST /v1/sweeps HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
     b"400"),
    ("length and chunks", b"POST /v1/sweeps HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
                          b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", b"400"),
    ("bad chunk",
     b"POST /v1/sweeps HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
     b"400"),
    ("large header", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 40_000 +
     b"\r\n\r\n", b"413"),
    ("no path", b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", b"400"),
    ("zero byte",
     b"GET /v1/sweeps/sw_1%00 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", b"404"),
    ("http 1.0", b"GET /healthz HTTP/1.0\r\n\r\n", b"200"),
    ("absolute form",
     b"GET http://localhost/healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
     b"200"),
    ("a page of the web",
     b"POST /v1/sweeps HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n"
                          b"Connection: close\r\nContent-Length: 2\r\n\r\n{}", b"403"),
    ("a name that resolves to us",
     b"GET /v1/sweeps HTTP/1.1\r\nHost: evil.example:7777\r\nConnection: close\r\n\r\n",
     b"403"),
]


@pytest.mark.parametrize("name, data, status", MALFORMED, ids=[row[0] for row in MALFORMED])
def test_malformed_request_is_answered_and_closed(shared_server, name, data, status):
    received = shared_server.raw(data)
    assert re.match(rb"HTTP/1\.[01] " + status, received), received[:300]
    assert shared_server.get("/healthz")["status"] == "ok"


def test_oversized_body_is_refused(shared_server):
    body = b'{"request_id": "' + b"x" * (5 * 1024 * 1024) + b'"}'
    problem(shared_server.ask("POST", "/v1/sweeps", body), 413, "too_large")
    chunked = (hex(len(body))[2:].encode() + b"\r\n" + body + b"\r\n0\r\n\r\n")
    head = b"POST /v1/sweeps HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert shared_server.raw(head + chunked).startswith(b"HTTP/1.1 413")


def test_model_needs_its_blob(server):
    server.submit(sweep_spec())
    grant = server.acquire(server.join())
    path = f"/v1/leases/{grant['lease']}/models"
    digest = hashlib.sha256(b"abc").hexdigest()
    save = {"sha256": digest, "bytes": 3, "step": 250, "phase": 0}
    problem(server.ask("POST", path, save), 400, "invalid", "/sha256", ["PUT"])
    assert server.ask("PUT", f"/v1/blobs/{digest}", b"abc").status == 201
    problem(server.ask("POST", path, {**save, "bytes": 4}), 400, "invalid", "/bytes")
    first = server.post(path, save)
    assert server.post(path, save) == first


def test_blob_with_another_digest_leaves_nothing(server):
    digest = hashlib.sha256(b"right").hexdigest()
    problem(server.ask("PUT", f"/v1/blobs/{digest}", b"wrong"), 400, "invalid", words=["SHA-256"])
    assert server.ask("GET", f"/v1/blobs/{digest}").status == 404
    assert list((server.folder / "blobs" / "incoming").iterdir()) == []
    assert server.ask("PUT", f"/v1/blobs/{digest}", b"right").status == 201
    assert server.ask("PUT", f"/v1/blobs/{digest}", b"right").status == 201
    stored = server.folder / "blobs" / digest[:2] / digest[2:]
    assert stored.read_bytes() == b"right"


def test_large_blob_comes_back_whole(server):
    blob = bytes(range(256)) * 65536  # 16 MiB
    digest = hashlib.sha256(blob).hexdigest()
    assert server.ask("PUT", f"/v1/blobs/{digest}", blob).json["bytes"] == len(blob)
    assert server.ask("GET", f"/v1/blobs/{digest}").body == blob
