"""Webhooks: every end of a sweep is told to those who asked for it, signed, at least once, and again after a restart."""
import hashlib
import hmac
import http.server
import json
import queue
import ssl
import threading

import pytest

from conftest import Server, sweep_spec
from guarded import Certificate

PATIENCE = 40


class Listener:
    """An HTTP server that takes POSTs and answers with the statuses it was given, then 200."""

    def __init__(self, *statuses, certificate=None):
        self.taken = queue.Queue()
        statuses = list(statuses)
        taken = self.taken

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = statuses.pop(0) if statuses else 200
                self.send_response(status)
                if 300 <= status < 400:
                    self.send_header("Location", "/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()
                taken.put((status, self.path, dict(self.headers), body))

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook?for=hone"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate.cert, certificate.key)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
            self.url = self.url.replace("http://127.0.0.1", "https://localhost")
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def next(self):
        return self.taken.get(timeout=PATIENCE)


def cancel(server, sweep):
    server.post(f"/v1/sweeps/{sweep}/steer", {"verb": "cancel"})


@pytest.fixture
def secret(tmp_path):
    path = tmp_path / "secret"
    path.write_text("swordfish\n")
    return path


def test_an_end_is_told_signed(tmp_path, secret):
    listener = Listener()
    server = Server(tmp_path / "data", "--webhook", listener.url, "--webhook-secret-file", str(secret)).start()
    try:
        sweep = server.submit(sweep_spec())
        cancel(server, sweep)
        status, path, headers, body = listener.next()
        assert status == 200 and path == "/hook?for=hone"
        told = json.loads(body)
        assert told["kind"] == headers["X-Hone-Event"] == "sweep_ended"
        assert told["sweep"] == sweep and told["event"]["state"] == "canceled"
        time, mac = (part.split("=")[1] for part in headers["X-Hone-Signature"].split(","))
        assert mac == hmac.new(b"swordfish", time.encode() + b"." + body, hashlib.sha256).hexdigest()
    finally:
        server.stop()


def test_an_end_is_told_over_https_to_whom_the_system_trusts_alone(tmp_path, monkeypatch):
    own = Certificate(tmp_path / "own", "listener")
    listener = Listener(certificate=own)
    server = Server(tmp_path / "data", "--webhook", listener.url)
    server.start()
    cancel(server, server.submit(sweep_spec()))
    while "was not accepted" not in server.log_text():  # the first try is over
        assert server.process.poll() is None
    assert listener.taken.empty() and server.stop() == 0
    monkeypatch.setenv("SSL_CERT_FILE", str(own.cert))
    server.start()
    assert json.loads(listener.next()[3])["event"]["state"] == "canceled"
    assert server.stop() == 0


def test_what_was_not_taken_is_told_again_and_redirects_are_not_followed(tmp_path):
    listener = Listener(500, 307)
    server = Server(tmp_path / "data", "--webhook", listener.url).start()
    try:
        cancel(server, server.submit(sweep_spec()))
        tries = [listener.next() for _ in range(3)]
        assert [one[0] for one in tries] == [500, 307, 200]
        assert len({one[3] for one in tries}) == 1 and {one[1] for one in tries} == {"/hook?for=hone"}
    finally:
        server.stop()


def test_a_restart_goes_on_where_it_stood(tmp_path):
    listener = Listener()
    server = Server(tmp_path / "data", "--webhook", listener.url).start()
    first = server.submit(sweep_spec())
    cancel(server, first)
    assert json.loads(listener.next()[3])["sweep"] == first
    server.kill()
    quiet = Server(tmp_path / "data").start()  # nobody is told meanwhile
    second = quiet.submit(sweep_spec())
    cancel(quiet, second)
    quiet.kill()
    server.start()
    told = json.loads(listener.next()[3])["sweep"]
    if told == first:  # killed before it had written down that this one was taken
        told = json.loads(listener.next()[3])["sweep"]
    assert told == second
    server.stop()


@pytest.mark.parametrize("url", ["ftp://host/x", "host/x", "http://ada@host/", "http:///x", "http://host/a b"])
def test_wrong_addresses_are_refused(tmp_path, url):
    server = Server(tmp_path / "data", "--webhook", url)
    with pytest.raises(AssertionError, match="--webhook"):
        server.start()


def test_the_log_is_json_where_asked_for(tmp_path):
    server = Server(tmp_path / "data", "--log-format", "json").start()
    sweep = server.submit(sweep_spec())
    cancel(server, sweep)
    server.join()
    assert server.stop() == 0
    lines = [json.loads(line) for line in server.log_text().splitlines()]
    assert all({"at", "level", "message"} <= set(line) for line in lines)
    assert lines[-1]["message"] == "shut down"
