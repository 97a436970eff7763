"""The Python SDK against a server that lies: what it reads is bounded, what it writes stays in the
folder that the caller named, and every answer that makes no sense is a HoneError."""
import json
import os
import socket
import subprocess
import sys
import threading

import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT / "sdk" / "python"))
import hone  # noqa: E402
from hone import transport  # noqa: E402
from hone.asked import open_run  # noqa: E402
from hone.client import Asked  # noqa: E402
from hone.trial import Line  # noqa: E402

MIB = 1 << 20
SLACK = 128 * MIB  # what the buffers of sockets hold, and more
DIGEST = "0" * 64
DEEP = b"[" * 200_000


class Liar:
    """Answers each request by `answers(path)`: a document, bytes of a body, or an iterator of raw
    pieces, status line included."""

    def __init__(self, answers):
        self.answers, self.sent, self.requests = answers, 0, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.threads = [threading.Thread(target=self.serve, daemon=True)]
        self.threads[0].start()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.threads.append(threading.Thread(target=self.talk, args=(connection,),
                                                 daemon=True))
            self.threads[-1].start()

    def talk(self, connection):
        with connection, connection.makefile("rb") as request:
            try:
                while self.answer(connection, request):
                    pass
            except OSError:  # the client has had enough
                pass

    def answer(self, connection, request):
        line = request.readline().decode()
        if not line:
            return False
        fields = dict(field.lower().split(b":", 1) for field in iter(request.readline, b"\r\n"))
        request.read(int(fields.get(b"content-length", 0)))
        path = line.split()[1]
        self.requests.append((path, fields))
        answer = self.answers(path)
        if not isinstance(answer, (bytes, dict, list, int, str, type(None))):
            for piece in answer:
                connection.sendall(piece)
                self.sent += len(piece)
            return False
        body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        connection.sendall(head(len(body)) + body)
        return True

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for thread in self.threads:
            thread.join(60)
            assert not thread.is_alive()


@pytest.fixture
def lie(monkeypatch):
    monkeypatch.delenv("HONE_TOKEN", raising=False)
    started = []

    def start(answers):
        started.append(Liar(answers if callable(answers) else lambda _: answers))
        return started[-1], hone.Client(started[-1].url, patience_s=0)

    yield start
    for liar in started:
        liar.close()


def head(length=None, status="200 OK", more=""):
    size = more if length is None else f"Content-Length: {length}\r\n"
    return f"HTTP/1.1 {status}\r\n{size}\r\n".encode()


def endless(framing, status="200 OK"):
    """A body without an end: of a stated length, in chunks, or to the end of the connection."""
    piece = b"x" * MIB
    if framing == "chunked":
        yield head(None, status, "Transfer-Encoding: chunked\r\n")
        piece = b"%x\r\n" % len(piece) + piece + b"\r\n"
    else:
        yield head(10**15, status) if framing == "length" else head(None, status)
    while True:
        yield piece


@pytest.mark.parametrize("framing", ["length", "chunked", "close"])
@pytest.mark.parametrize("status", ["200 OK", "409 Conflict"])
def test_an_answer_without_an_end_is_read_to_a_bound(lie, framing, status):
    liar, client = lie(lambda _: endless(framing, status))
    with pytest.raises(hone.HoneError, match="more than the 67108864 bytes"):
        client.version()
    client.close()
    assert liar.sent <= transport.ANSWER_BYTES_MAX + SLACK


@pytest.mark.parametrize("framing", ["length", "chunked", "close"])
def test_a_blob_without_an_end_fills_no_disk(lie, framing, tmp_path, monkeypatch):
    monkeypatch.setattr(transport, "BLOB_BYTES_MAX", 2 * MIB)
    liar, client = lie(lambda _: endless(framing))
    with pytest.raises(hone.HoneError, match="more than the 2097152 bytes"):
        client.fetch(DIGEST, tmp_path / "model")
    assert list(tmp_path.iterdir()) == [] and liar.sent <= 2 * MIB + SLACK


def test_a_blob_that_ends_early_or_is_another_leaves_no_file(lie, tmp_path):
    for answer in (lambda: iter([head(1000) + b"half"]), lambda: b"another"):
        _, client = lie(lambda _, answer=answer: answer())
        with pytest.raises(hone.HoneError, match="digest"):
            client.fetch(DIGEST, tmp_path / "model")
        assert list(tmp_path.iterdir()) == []


def test_a_line_of_events_without_an_end_is_read_to_a_bound(lie):
    liar, client = lie(lambda _: endless("close"))
    with pytest.raises(hone.HoneError, match="more than the 16777216 bytes"):
        next(client.events())
    assert liar.sent <= transport.LINE_BYTES_MAX + SLACK


def test_documents_that_are_nested_too_deeply_are_refused(lie):
    _, client = lie(DEEP)
    with pytest.raises(hone.HoneError, match="not a JSON document"):
        client.version()
    _, client = lie(lambda _: iter([head(len(DEEP), "409 Conflict") + DEEP]))
    with pytest.raises(hone.Problem, match="409 and no problem body"):
        client.version()
    _, client = lie(lambda _: iter([head() + b"data: " + DEEP + b"\n\n"]))
    with pytest.raises(hone.HoneError, match="not a JSON document"):
        next(client.events())
    other, _ = lie(DEEP[:60_000])
    liar, _ = lie(lambda path: {"role": "primary"} if path == "/healthz" else {"version": "1"})
    with hone.Client(f"{other.url},{liar.url}", patience_s=0) as client:
        assert client.version() == {"version": "1"}


CALLS = {
    "submit": lambda client: client.submit({}), "pause": lambda client: client.pause("sw_1"),
    "wait": lambda client: client.wait("sw_1", timeout_s=0),
    "ask": lambda client: client.ask("sw_1"), "tell": lambda client: client.tell("tr_1", 1),
    "enqueue": lambda client: client.enqueue("sw_1", {}),
    "version": lambda client: client.version(), "sweep": lambda client: client.sweep("sw_1"),
    "sweeps": lambda client: list(client.sweeps()),
    "trials": lambda client: list(client.trials("sw_1")),
    "best": lambda client: client.best("sw_1"), "curve": lambda client: client.curve("rn_1.0"),
    "trial": lambda client: client.trial("tr_1"), "run": lambda client: client.run("rn_1.0"),
    "artifacts": lambda client: client.artifacts("rn_1.0"),
    "explain": lambda client: client.explain("rn_1.0"),
    "lineage": lambda client: client.lineage("sw_1"),
    "fetch": lambda client: client.fetch("md_1", os.devnull + ".hone"),
    "event": lambda client: next(client.events()),
    "open": lambda client: hone.Sweep.open("sw_1", client).id,
    "run of a sweep": lambda client: hone.Sweep({"x": [1]}, client=client).run(print),
    "state": lambda client: hone.Sweep.open("sw_1", client).state,
}
ANSWERS = [None, 1, "text", [], [1], {}, {"items": 1}, {"items": [1]}, {"items": {}, "next": "a"},
           {"items": [], "next": {}}, {"items": [], "next": "x" * 2000}, {"items": [], "next": "a"},
           {"sweep": 7}, {"sweep": "sw_1", "state": []}, {"state": {"a": 1}, "spec": [1]},
           {"trial": "tr_1", "params": []}, {"verdict": "continue", "reason": 7}, {"sha256": [1]},
           {"seq": "1", "kind": "x"}, b"", b"\xff", b"{", b"NaN", b"1" * 10_000]


@pytest.mark.parametrize("call", CALLS)
def test_answers_of_another_form_are_errors_of_hone(lie, call, tmp_path, monkeypatch):
    monkeypatch.setenv("HONE_DATA", str(tmp_path))

    def answer(path):
        if not path.startswith("/v1/events"):
            return now[0]
        body = now[0] if isinstance(now[0], bytes) else json.dumps(now[0]).encode()
        return iter([head() + b"data: " + body + b"\n\n"])

    now = [None]
    _, client = lie(answer)
    refused = 0
    for now[0] in ANSWERS:
        try:
            CALLS[call](client)
        except (hone.HoneError, TimeoutError):
            refused += 1
    assert refused >= 5


@pytest.mark.parametrize("name", ["../../escaped", "/tmp/escaped", "sw_1/../../escaped", "sw_1\n",
                                  "sw_" + "9" * 5000, ""])
def test_a_sweep_whose_id_is_a_path_makes_no_file(lie, name, tmp_path, monkeypatch):
    """A file with the name of the sweep was opened for writing, in the folder of locks."""
    monkeypatch.setenv("HONE_DATA", str(tmp_path / "a" / "data"))
    _, client = lie({"sweep": name})
    with pytest.raises(hone.HoneError, match="/sweep"):
        hone.Sweep({"x": [1, 2]}, client=client).run(print)
    with pytest.raises(hone.HoneError, match="/sweep"):
        hone.Sweep.open(name, client)
    assert list(tmp_path.rglob("*")) == []


@pytest.mark.parametrize("model", [
    {"id": "md_1", "sha256": "../../../../escaped", "step": 1, "phase": 0},
    {"id": "../blobs/x", "sha256": DIGEST, "step": 1, "phase": 0},
    {"id": "md_1", "sha256": DIGEST, "step": "1", "phase": 0},
    {"id": "md_1", "sha256": None, "step": 1, "phase": 0}, {}, 7])
def test_a_checkpoint_whose_digest_is_a_path_is_not_fetched(lie, model, tmp_path):
    rows = {"/v1/sweeps/sw_1": {"name": "a", "spec": {
        "objective": {"metric": "v", "goal": "maximize"},
        "budget": {"unit": "steps", "per_run": 2, "phases": 2}}},
        "/v1/trials/tr_1/runs": {"items": [{"id": "rn_1.0", "seed": 3, "attempts": 1}]},
        "/v1/models?run=rn_1.0": {"items": [model]}}
    liar, client = lie(lambda path: rows.get(path, b"content"))
    asked = Asked("tr_1", 1, "le_1", {}, seed=3, next_phase=1)
    with pytest.raises(hone.HoneError):
        open_run(client, "sw_1", asked, str(tmp_path))
    assert list(tmp_path.iterdir()) == []
    assert {path for path, _ in liar.requests} == set(rows)


@pytest.mark.parametrize("row", [{}, {"spec": 1}, {"spec": {}}, {"name": 1, "spec": {
    "objectives": [], "budget": {"unit": "steps", "per_run": 2, "phases": 2}}}, {"spec": {
        "objective": {"metric": "v"}, "budget": {"unit": "steps", "per_run": -2, "phases": 2}}}])
def test_a_sweep_of_another_form_gives_no_run(lie, row, tmp_path):
    _, client = lie(row)
    with pytest.raises(hone.HoneError):
        open_run(client, "sw_1", Asked("tr_1", 1, "le_1", {}, 3, 0), str(tmp_path))


def test_a_list_that_continues_where_it_began_ends(lie):
    _, client = lie({"items": [{"id": "sw_1"}], "next": "sw_1"})
    with pytest.raises(hone.HoneError, match="does not end"):
        list(client.sweeps())


def test_a_list_whose_pages_go_round_ends(lie, monkeypatch):
    monkeypatch.setattr("hone.client.PAGES_MAX", 20)
    _, client = lie(lambda path: {"items": [], "next": "b" if "after=a" in path else "a"})
    with pytest.raises(hone.HoneError, match="does not end: 20 pages"):
        list(client.sweeps())


MEMORY = """
import resource, sys
import hone
from hone import transport
text = sys.argv[1].encode() * ((60 << 20) // len(sys.argv[1]))
text = b"[" + text.rstrip(b",") + b"]"
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    kept = transport.document_of(text)
    print("read", end=" ")
except hone.HoneError as why:
    print("refused" if "640 MiB of memory" in str(why) else why, end=" ")
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""


@pytest.mark.parametrize("value, read", [("[],", False), ("{},", False), ('{"a":1},', False),
                                         ("1000,", True), ("1.5e-300,", True),
                                         ('"' + "x" * 40 + '",', True)])
def test_60_mib_of_brackets_took_gigabytes(value, read):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "sdk" / "python")}
    done = subprocess.run([sys.executable, "-c", MEMORY, value], capture_output=True, text=True,
                          check=True, env=environment)
    what, grown = done.stdout.split()
    assert what == ("read" if read else "refused"), done.stdout
    assert int(grown) < 640 + 128, done.stdout  # the text itself is copied once


@pytest.mark.parametrize("term", ["7\r\nX-Other: 1", "7." + "a" * 65, "x" * 60_000, 7, None])
def test_the_term_of_a_server_cannot_add_header_fields(lie, term):
    """It was sent to the other servers as it came: a ValueError, or a header of 60 kB."""
    rows = {"/healthz": {"role": "primary", "term": term}, "/v1/version": {"version": "1"}}
    first, _ = lie(rows.get)
    second, _ = lie(rows.get)
    with hone.Client(f"{first.url},{second.url}", patience_s=0) as client:
        assert client.version() == {"version": "1"}
    for liar in (first, second):
        assert not [fields for _, fields in liar.requests if b"hone-term" in fields]


def test_a_refusal_prints_no_terminal_commands(lie):
    body = json.dumps({"code": "invalid", "detail": "\x1b[2Jno\u202e" + "x" * 50_000,
                       "at": "/\x07"}).encode()
    _, client = lie(lambda _: iter([head(len(body), "400 Bad Request") + body]))
    with pytest.raises(hone.Problem) as refused:
        client.version()
    assert str(refused.value).startswith("/?: ?[2Jno?xxx") and len(str(refused.value)) < 20_000


def test_a_worker_that_answers_with_nonsense_is_an_error_of_hone(tmp_path):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        listener.listen()
        line = Line(str(tmp_path / "socket"))
        worker, _ = listener.accept()
        for answer in (b"{", DEEP, b"[]", b'{"verdict": 7}', b'{"error": {}}'):
            worker.sendall(answer + b"\n")
            with pytest.raises(hone.HoneError):
                line.ask({"report": {"step": 1, "value": 1}})
        line.close()
        worker.close()
