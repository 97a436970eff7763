"""TLS: certificates that are trusted or rejected, and every function over an encrypted port."""
import hashlib
import json
import os
import signal
import socket
import ssl
import subprocess

import pytest

from commands import hone, ok
from conftest import STOP_SECONDS, Server, problem, program, sweep_spec
from guarded import Certificate, Secret


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    return Certificate(tmp_path_factory.mktemp("own"), "server")


@pytest.fixture(scope="module")
def stranger(tmp_path_factory):
    return Certificate(tmp_path_factory.mktemp("stranger"), "stranger")


@pytest.fixture
def secret(own, tmp_path):
    one = Secret(tmp_path / "data", own).start()
    yield one
    if one.process is not None:
        assert one.stop() == 0, one.log_text()


def over_tls(server, **more):
    return {"HONE_SERVER": server.url, "HONE_TOKEN": server.token,
            "HONE_TLS_CA": str(server.own.cert), **more}


def test_everything_works_as_in_the_open(secret):
    sweep = secret.submit(sweep_spec())
    worker = secret.join()
    grant = secret.acquire(worker)
    assert secret.report(grant, 0, 1.5)["verdict"] == "continue"
    blob = os.urandom(3_000_000)
    digest = hashlib.sha256(blob).hexdigest()
    assert secret.ask("PUT", f"/v1/blobs/{digest}", blob).status == 201
    assert secret.ask("GET", f"/v1/blobs/{digest}").body == blob
    listed = json.loads(ok("ls", "--format", "json", **over_tls(secret)))
    assert [row["id"] for row in listed] == [sweep]


def test_event_stream_ends_cleanly(secret):
    """A stream without a length: TLS itself must say that nothing was cut off."""
    connection = secret.connect()
    connection.request("GET", "/v1/events", headers={"Accept": "text/event-stream",
                                                     "Authorization": f"Bearer {secret.token}"})
    response = connection.getresponse()
    assert response.readline().startswith(b"id: 1")
    secret.process.send_signal(signal.SIGTERM)
    response.read()  # raises ssl.SSLEOFError where the end is not said
    assert secret.process.wait(STOP_SECONDS) == 0
    secret._close()


def test_worker_runs_a_sweep_over_tls(secret, tmp_path):
    secret.submit(sweep_spec(command=["sh", "-c",
                                      "echo '@hone {\"report\": {\"step\": 1, \"value\": 1}}'"],
                             parameters={"lr": {"type": "float", "min": 0, "max": 1}},
                             search={"method": "random", "trials": 2},
                             budget={"unit": "steps", "per_run": 1, "phases": 1}))
    environment = {**os.environ, **over_tls(secret, HONE_TOKEN=secret.create("worker")[1])}
    subprocess.run([program("hone-worker"), "--slots", "1", "--data", str(tmp_path / "worker"),
                    "--until-idle"],
                   env=environment, check=True, timeout=90, capture_output=True)
    assert secret.get("/v1/sweeps/sw_1")["state"] == "completed"


def test_unknown_certificate_is_refused_by_the_client(secret, stranger):
    refused = hone("ls", HONE_SERVER=secret.url, HONE_TOKEN=secret.token,
                   HONE_TLS_CA=str(stranger.cert))
    assert refused.returncode == 6 and "is not to be trusted" in refused.stderr
    assert "--tls-ca" in refused.stderr
    refused = hone("ls", HONE_SERVER=secret.url, HONE_TOKEN=secret.token)
    assert refused.returncode == 6 and "is not to be trusted" in refused.stderr


def test_certificate_of_another_host_is_refused_by_the_client(tmp_path):
    own = Certificate(tmp_path, "other", "DNS:other.example,IP:127.0.0.2")
    server = Secret(tmp_path / "data", own).start()
    try:
        for host in ("127.0.0.1", "localhost"):
            refused = hone("ls", HONE_SERVER=f"https://{host}:{server.port}",
                           HONE_TOKEN=server.token,
                           HONE_TLS_CA=str(own.cert))
            assert refused.returncode == 6 and "mismatch" in refused.stderr, refused
    finally:
        server.stop()


def test_localhost_and_its_address_are_both_verified(secret):
    for host in ("127.0.0.1", "localhost"):
        ok("ls", **over_tls(secret, HONE_SERVER=f"https://{host}:{secret.port}"))


def test_old_tls_is_refused(secret):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = ssl.TLSVersion.TLSv1
    context.maximum_version = ssl.TLSVersion.TLSv1_1
    with pytest.raises(ssl.SSLError):
        with socket.create_connection(("127.0.0.1", secret.port)) as plain:
            context.wrap_socket(plain)
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        context = secret.context()
        context.minimum_version = context.maximum_version = version
        with socket.create_connection(("127.0.0.1", secret.port)) as plain:
            with context.wrap_socket(plain, server_hostname="localhost") as spoken:
                assert spoken.version() in ("TLSv1.2", "TLSv1.3")


def test_http_to_https_is_told_so(secret):
    answer = secret.raw(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400")
    assert f"Content-Length: {len(body)}".encode() in head
    assert "https" in json.loads(body)["detail"]
    assert secret.get("/healthz")["status"] == "ok"


def test_https_to_http_says_what_is_wrong(tmp_path):
    server = Server(tmp_path / "data").start()
    try:
        refused = hone("ls", HONE_SERVER=f"https://127.0.0.1:{server.port}")
        assert refused.returncode == 6 and f"https://127.0.0.1:{server.port}" in refused.stderr
    finally:
        server.stop()


def test_clients_must_show_their_certificate(own, stranger, tmp_path):
    client = Certificate(tmp_path, "client")
    server = Secret(tmp_path / "data", own, clients=client).start()
    try:
        shown = {"HONE_TLS_CERT": str(client.cert), "HONE_TLS_KEY": str(client.key)}
        ok("ls", **over_tls(server, **shown))
        wrong = {"HONE_TLS_CERT": str(stranger.cert), "HONE_TLS_KEY": str(stranger.key)}
        for certificate in ({}, wrong):
            refused = hone("ls", **over_tls(server, **certificate))
            assert refused.returncode == 6, refused
        refused = hone("ls", **over_tls(server, HONE_TLS_CERT=str(client.cert),
                                        HONE_TLS_KEY=str(stranger.key)))
        assert refused.returncode == 2 and "key of our certificate" in refused.stderr
        problem(Server.ask(server, "GET", "/v1/sweeps"), 401, "unauthenticated")
    finally:
        server.stop()


def test_new_certificate_is_taken_on_sighup(tmp_path):
    own = Certificate(tmp_path, "server")
    server = Secret(tmp_path / "data", own).start()
    try:
        old = ssl.get_server_certificate(("127.0.0.1", server.port))
        own.make()
        server.process.send_signal(signal.SIGHUP)
        while ssl.get_server_certificate(("127.0.0.1", server.port)) == old:
            pass
        assert server.get("/v1/sweeps")["items"] == []
    finally:
        server.stop()


@pytest.mark.parametrize("words, says", [
    (["--tls-cert", "@CERT@"], "needs both --tls-cert and --tls-key"),
    (["--tls-key", "@KEY@"], "needs both --tls-cert and --tls-key"),
    (["--tls-client-ca", "@CERT@"], "needs both --tls-cert and --tls-key"),
    (["--tls-cert", "/nowhere.pem", "--tls-key", "@KEY@"],
     "--tls-cert /nowhere.pem cannot be used"),
    (["--tls-cert", "@CERT@", "--tls-key", "@OTHER@"], "--tls-key"),
    (["--tls-cert", "@CERT@", "--tls-key", "@KEY@", "--tls-client-ca", "/dev/null"],
     "--tls-client-ca"),
])
def test_bad_certificates_are_refused_at_the_start(own, stranger, tmp_path, words, says):
    names = {"@CERT@": str(own.cert), "@KEY@": str(own.key), "@OTHER@": str(stranger.key)}
    refused = subprocess.run([program("hone-server"), "--data", str(tmp_path / "data"), "--listen",
                              "127.0.0.1:0",
                              *(names.get(word, word) for word in words)], capture_output=True,
                             text=True, timeout=30)
    assert refused.returncode == 1 and says in refused.stderr, refused


def test_open_address_needs_tls_and_then_asks_for_tokens(own, tmp_path):
    refused = subprocess.run([program("hone-server"), "--data", str(tmp_path / "data"), "--listen",
                              "0.0.0.0:0",
                              "--auth"], capture_output=True, text=True, timeout=30)
    assert refused.returncode == 1
    for word in ("--tls-cert", "--insecure", "SSH", "docs/security.md"):
        assert word in refused.stderr
    server = Secret(tmp_path / "data", own)
    server.host = "0.0.0.0"
    server.extra.remove("--auth")
    server.start()
    try:
        problem(Server.ask(server, "GET", "/v1/sweeps"), 401, "unauthenticated")
        assert server.get("/v1/sweeps")["items"] == []
    finally:
        server.stop()


def test_insecure_is_open_to_all(tmp_path):
    server = Server(tmp_path / "data", "--insecure")
    server.host = "0.0.0.0"
    server.start()
    try:
        assert server.get("/v1/sweeps")["items"] == []
    finally:
        server.stop()


def test_hone_up_with_tls_and_tokens_needs_no_ceremony(own, tmp_path):
    process = subprocess.Popen(
        [program("hone"), "up", "--data", str(tmp_path / "data"), "--listen", "127.0.0.1:0",
         "--slots", "1", "--auth",
         "--tls-cert", str(own.cert), "--tls-key", str(own.key)], stdout=subprocess.PIPE, text=True)
    try:
        text = ""
        while "stop" not in text:
            line = process.stdout.readline()
            assert line, text
            text += line
        token_file = tmp_path / "data" / "admin.token"
        assert f"HONE_TOKEN_FILE={token_file}" in text
        url = next(word for word in text.split() if word.startswith("https://127.0.0.1:"))
        spec = tmp_path / "sweep.json"
        spec.write_text(json.dumps(sweep_spec(
            command=["sh", "-c", "echo '@hone {\"report\": {\"step\": 1, \"value\": 1}}'"],
            parameters={"lr": {"type": "float", "min": 0, "max": 1}},
            search={"method": "random", "trials": 1},
            budget={"unit": "steps", "per_run": 1, "phases": 1})))
        ok("submit", str(spec), "--watch", HONE_SERVER=url, HONE_TOKEN_FILE=str(token_file),
           HONE_TLS_CA=str(own.cert), timeout=90)
    finally:
        process.terminate()
        process.wait(STOP_SECONDS * 2)
        process.stdout.close()
