"""Every bad input of bad_inputs.py against a real server. Each must be rejected with a problem body,
must not change the ledger and must leave the server serving. docs/bad_inputs.md lists the answers;
`python3 tests/e2e/test_bad_inputs.py --write` writes it."""
import hashlib
import http.client
import io
import json
import pathlib
import secrets
import socket
import sys
import tempfile

import pytest

from bad_inputs import AREAS
from conftest import ROOT, Server, sweep_spec

TABLE = ROOT / "docs" / "bad_inputs.md"
SCOPES = ("read", "submit", "worker")


class Target:
    """A server with a sweep, an asked trial (its lease never expires; the rows and the page call it
    le_1) and a token of each scope."""

    def __init__(self, folder):
        self.server = Server(folder, "--auth").start()
        self.tokens = {"admin": (pathlib.Path(folder) / "admin.token").read_text().strip()}
        for name in (*SCOPES, "revoked"):
            self.tokens[name] = self.new_token(name, "read" if name == "revoked" else name)
        self.post("/v1/tokens/tk_5/revoke", {})
        self.post("/v1/sweeps", {"request_id": "good", "spec": sweep_spec()})
        self.lease = self.post("/v1/sweeps/sw_1/ask", {"asker": "test"})["lease"]

    def new_token(self, name, scope):
        secret = "hone_" + secrets.token_hex(32)
        self.post("/v1/tokens", {"request_id": name, "name": name, "scopes": [scope],
                                 "sha256": hashlib.sha256(secret.encode()).hexdigest()})
        return secret

    def post(self, path, body):
        answer = self.server.ask("POST", path, body,
                                 {"Authorization": f"Bearer {self.tokens['admin']}"})
        assert answer.status in (200, 201), answer
        return answer.json

    def last_seq(self):
        return self.server.get("/healthz")["seq"]

    def send(self, row):
        """The status and the problem of the answer."""
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=60) as connection:
            sent = row.bytes(self.tokens)
            connection.sendall(sent.replace(b"/le_1/", f"/{self.lease}/".encode()))
            connection.shutdown(socket.SHUT_WR)
            answer = http.client.HTTPResponse(connection, method=row.method)
            answer.begin()
            return answer, json.loads(answer.read().replace(self.lease.encode(), b"le_1"))


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    one = Target(tmp_path_factory.mktemp("bad") / "data")
    yield one
    assert one.server.stop() == 0, one.server.log_text()


@pytest.mark.parametrize("row", [row for rows in AREAS.values() for row in rows],
                         ids=lambda row: row.sent)
def test_bad_input_is_refused(target, row):
    before = target.last_seq()
    answer, body = target.send(row)
    assert (answer.status, body["code"], body["at"]) == (row.status, row.code, row.at), body
    assert set(body) == {"code", "detail", "at", "retryable"}
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "no-store"
    assert row.says in body["detail"]
    for secret in target.tokens.values():
        assert secret not in body["detail"]
    assert target.last_seq() == before, "the ledger has grown"


def test_table_in_docs_is_what_happened(target):
    assert TABLE.read_text() == table_of(target), "run python3 tests/e2e/test_bad_inputs.py --write"


def cell(text):
    text = text if len(text) <= 160 else text[:157] + "..."
    return text.replace("|", "\\|").replace("\n", " ")


def table_of(target):
    count = sum(map(len, AREAS.values()))
    out = io.StringIO()
    print("# Bad inputs and their answers\n", file=out)
    print(
        f"{count} requests that a server rejects, each with its status, code and message.\n\n"
        "- Read a row as: this request gets this answer. `at` is a JSON pointer into the request.\n"
        "- A rejected request writes nothing, and the server continues to serve.\n"
        "- `tests/e2e/test_bad_inputs.py` sends each request to a real server and compares.\n"
        "- `python3 tests/e2e/test_bad_inputs.py --write` writes this page.", file=out)
    for area, rows in AREAS.items():
        print(f"\n## {area}\n\n| request | status | code | at | detail |\n|---|---|---|---|---|",
              file=out)
        for row in rows:
            answer, body = target.send(row)
            at = f"`{body['at']}`" if body["at"] else ""
            cells = (row.sent, str(answer.status), body["code"], at, body["detail"])
            print(f"| {' | '.join(map(cell, cells))} |", file=out)
    return out.getvalue()


def write():
    with tempfile.TemporaryDirectory() as folder:
        one = Target(pathlib.Path(folder) / "data")
        TABLE.write_text(table_of(one))
        one.server.stop()


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python3 tests/e2e/test_bad_inputs.py --write")
    write()
