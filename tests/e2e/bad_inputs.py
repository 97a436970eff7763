"""Requests that a server must reject, each with its answer. test_bad_inputs.py sends them."""
import hashlib
import json

from conftest import sweep_spec

EMPTY_DIGEST = hashlib.sha256(b"").hexdigest()
BODY_BYTES_MAX = 4 * 1024 * 1024


class Row:
    """One request and its answer. `sent` is how the table names it."""

    def __init__(self, sent, status, code, at="", method="GET", path="/v1/sweeps", body=None,
                 headers=None, raw=None, token="admin", says=""):
        self.sent, self.status, self.code, self.at, self.says = sent, status, code, at, says
        self.method, self.path, self.body, self.headers = method, path, body, headers
        self.raw, self.token = raw, token

    def bytes(self, tokens):
        """The request as it travels; the connection is closed by the server, or asked to be."""
        if self.raw is not None:
            return self.raw.replace(b"@ADMIN@", tokens["admin"].encode())
        body = self.body
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        headers = {"Host": "localhost", "Connection": "close"}
        if self.token is not None:
            headers["Authorization"] = "Bearer " + tokens.get(self.token, self.token)
        if body is not None:
            headers["Content-Length"] = str(len(body))
        headers.update(self.headers or {})
        lines = [f"{self.method} {self.path} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + (body or b"")


def raw(sent, status, code, text, says=""):
    return Row(sent, status, code, raw=text if isinstance(text, bytes) else text.encode("latin-1"),
               says=says)


def get(sent, status, code, path, at="", says="", **more):
    return Row(sent, status, code, at, "GET", path, says=says, **more)


def post(sent, status, code, path, body, at="", says="", **more):
    return Row(sent, status, code, at, "POST", path, body, says=says, **more)


def submit(sent, at, says="", **changes):
    spec = sweep_spec(**changes)
    return post(sent, 400, "invalid", "/v1/sweeps", {"request_id": "bad: " + sent, "spec": spec},
                at, says)


AUTH = "Authorization: Bearer @ADMIN@\r\n"
HEAD = "GET /v1/sweeps HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + AUTH
POST_HEAD = "POST /v1/sweeps HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + AUTH

FRAMING = [
    raw("a line that is not HTTP", 400, "invalid", "hello\r\n\r\n"),
    raw("a TLS handshake on the plain HTTP port", 400, "invalid",
        b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03" + b"\x00" * 64 + b"\r\n\r\n"),
    raw("the HTTP/2 preface", 400, "invalid", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    raw("HTTP/1.1 without Host", 400, "invalid",
        "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n"),
    raw("two Hosts", 400, "invalid",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n"),
    raw("two tokens in two headers", 400, "invalid", HEAD + AUTH + "\r\n"),
    raw("a header line without a colon", 400, "invalid", HEAD + "nonsense\r\n\r\n"),
    raw("a blank before the colon", 400, "invalid", HEAD + "X-Odd : 1\r\n\r\n"),
    raw("a zero byte in a header", 400, "invalid", HEAD + "X-Odd: a\0b\r\n\r\n"),
    raw("a header of 20 kB", 413, "too_large", HEAD + "X-Long: " + "a" * 20_000 + "\r\n\r\n"),
    raw("a target of 20 kB", 413, "too_large",
        "GET /" + "a" * 20_000 + " HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    raw("100 header fields", 413, "too_large",
        HEAD + "".join(f"X-{n}: 1\r\n" for n in range(100)) + "\r\n"),
    raw("an expectation of tea", 400, "invalid", HEAD + "Expect: tea\r\n\r\n"),
    raw("a length below zero", 400, "invalid", POST_HEAD + "Content-Length: -1\r\n\r\n"),
    raw("a length that is not a number", 400, "invalid",
        POST_HEAD + "Content-Length: many\r\n\r\n"),
    raw("two lengths that differ", 400, "invalid",
        POST_HEAD + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"),
    raw("a length and chunks (request smuggling)", 400, "invalid",
        POST_HEAD + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    raw("a chunk of an impossible size", 400, "invalid",
        POST_HEAD + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n"),
    raw("a body larger than 4 MiB, by its length", 413, "too_large",
        POST_HEAD + f"Content-Length: {BODY_BYTES_MAX + 1}\r\n\r\n"),
    raw("a body larger than 4 MiB, in chunks", 413, "too_large",
        POST_HEAD + f"Transfer-Encoding: chunked\r\n\r\n{BODY_BYTES_MAX + 1:x}\r\n" +
        " " * (BODY_BYTES_MAX + 1)),
    raw("a page of another site (Origin)", 403, "forbidden",
        HEAD + "Origin: https://evil.example\r\n\r\n"),
    raw("a name that resolves to this machine (DNS rebinding)", 403, "forbidden",
        "GET /v1/sweeps HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n" + AUTH + "\r\n"),
]

TARGETS = [
    get("an unknown path", 404, "not_found", "/v1/nothing"),
    get("a slash at the end", 404, "not_found", "/v1/sweeps/"),
    get("no path", 400, "invalid", "v1/sweeps"),
    get("another server's URL", 400, "invalid", "ftp://localhost/v1/sweeps"),
    Row("CONNECT to a proxy", 400, "invalid", method="CONNECT", path="localhost:80"),
    Row("OPTIONS *", 400, "invalid", method="OPTIONS", path="*"),
    Row("DELETE of a sweep", 405, "invalid", method="DELETE", path="/v1/sweeps/sw_1"),
    Row("an unknown method", 405, "invalid", method="FROBNICATE", path="/v1/sweeps"),
    get("a broken percent-encoding in an id", 404, "not_found", "/v1/sweeps/%2"),
    get("a zero byte in an id", 404, "not_found", "/v1/sweeps/sw_1%00"),
    get("a broken percent-encoding in the query", 400, "invalid", "/v1/sweeps?limit=%zz"),
    get("an unknown query parameter", 400, "invalid", "/v1/sweeps?limt=3", "/limt",
        "did you mean 'limit'?"),
    get("a query name twice", 400, "invalid", "/v1/sweeps?limit=3&limit=4"),
    get("a page of nothing", 400, "invalid", "/v1/sweeps?limit=0", "/limit"),
    get("a page of everything", 400, "invalid", "/v1/sweeps?limit=1000000000", "/limit"),
    get("a page of a word", 400, "invalid", "/v1/sweeps?limit=all", "/limit"),
    get("an invented cursor", 400, "invalid",
        "/v1/sweeps?after=%27%3B%20DROP%20TABLE%20sweep", "/after"),
    get("an unknown sort order", 400, "invalid", "/v1/sweeps/sw_1/trials?sort=value%3B--",
        "/sort"),
    get("a depth below zero", 400, "invalid", "/v1/lineage/sw_1?depth=-1", "/depth"),
    get("an unknown sweep", 404, "not_found", "/v1/sweeps/sw_99"),
    get("an id with a leading zero", 400, "invalid", "/v1/sweeps/sw_01"),
    get("an id below zero", 400, "invalid", "/v1/sweeps/sw_-1"),
    get("an id beyond 64 bits", 400, "invalid", "/v1/sweeps/sw_99999999999999999999"),
    get("SQL for an id", 400, "invalid", "/v1/sweeps/sw_1%27%20OR%20%271%27=%271"),
    get("an id of another kind", 400, "invalid", "/v1/sweeps/tr_1"),
    get("a run of a worker's id", 400, "invalid", "/v1/runs/wk_1"),
]

FILES = [
    get("a blob by a path upwards", 404, "not_found", "/v1/blobs/../../../../etc/passwd"),
    get("a blob by a path upwards, encoded", 400, "invalid",
        "/v1/blobs/..%2f..%2f..%2fetc%2fpasswd"),
    get("a blob by an absolute path", 400, "invalid", "/v1/blobs/%2fetc%2fpasswd"),
    get("a blob whose name is '..'", 400, "invalid", "/v1/blobs/.."),
    get("a blob by half a digest", 400, "invalid", "/v1/blobs/" + EMPTY_DIGEST[:32]),
    get("a blob by a digest in capitals", 400, "invalid", "/v1/blobs/" + EMPTY_DIGEST.upper()),
    get("a blob that was never put", 404, "not_found", "/v1/blobs/" + "0" * 64),
    get("a model by a path upwards", 400, "invalid", "/v1/models/..%2f..%2fhone.db"),
    Row("a blob put under a path upwards", 400, "invalid", method="PUT",
        path="/v1/blobs/..%2f..%2fhone.db", body=b"x"),
    Row("a blob put under another digest", 400, "invalid", method="PUT",
        path="/v1/blobs/" + "0" * 64, body=b"x"),
    Row("a blob larger than 256 MiB, by its length", 413, "too_large", method="PUT",
        path="/v1/blobs/" + "0" * 64,
        headers={"Content-Length": str(256 * 1024 * 1024 + 1)}),
]

STEER = "/v1/sweeps/sw_1/steer"
BODIES = [
    post("an empty body", 400, "invalid", STEER, b""),
    post("text that is not JSON", 400, "invalid", STEER, b"verb=pause"),
    post("half of a body", 400, "invalid", STEER, b'{"verb": "pau'),
    post("two bodies", 400, "invalid", STEER, b'{"verb": "pause"}{"verb": "kill"}'),
    post("a list", 400, "invalid", STEER, []),
    post("a bare word", 400, "invalid", STEER, "pause"),
    post("null", 400, "invalid", STEER, b"null"),
    post("one key twice", 400, "invalid", STEER, b'{"verb": "pause", "verb": "kill"}'),
    post("65 levels of lists", 400, "invalid", STEER, b'{"verb": ' + b"[" * 65 + b"]" * 65 + b"}"),
    post("a million levels of lists", 400, "invalid", STEER, b"[" * 1_000_000),
    post("bytes that are not UTF-8", 400, "invalid", STEER, b'{"verb": "\xff\xfe"}'),
    post("half of a surrogate pair", 400, "invalid", STEER, b'{"verb": "\\ud800"}'),
    post("NaN", 400, "invalid", STEER, b'{"verb": NaN}'),
    post("a number beyond doubles", 400, "invalid", STEER, b'{"verb": 1e999}'),
    post("a comment", 400, "invalid", STEER, b'{"verb": "pause" /* please */}'),
    post("a word outside the enumeration", 400, "invalid", STEER, {"verb": "cancle"}, "/verb",
         "did you mean 'cancel'?"),
    post("an unknown field", 400, "invalid", STEER, {"verb": "pause", "now": True},
         "/now"),
    post("a missing field", 400, "invalid", STEER, {}, "/verb"),
    post("a request id of a line break", 400, "invalid", "/v1/sweeps",
         {"request_id": "a\nb", "spec": sweep_spec()},
         "/request_id"),
    post("a request id of 129 characters", 400, "invalid", "/v1/sweeps",
         {"request_id": "a" * 129, "spec": sweep_spec()}, "/request_id"),
]

FLOAT = {"type": "float", "min": 0, "max": 1}
SWEEPS = [
    post("a plan of a file without a budget", 400, "invalid", "/v1/plan",
         {name: one for name, one in sweep_spec().items() if name != "budget"}, "/budget"),
    post("a plan of a method that is not there", 400, "invalid", "/v1/plan",
         sweep_spec(search={"method": "magic", "trials": 3}), "/search/method", "there is"),
    submit("a range the wrong way round", "/spec/parameters/lr/min",
           parameters={"lr": {**FLOAT, "min": 2}}),
    submit("a log scale from zero", "/spec/parameters/lr/min",
           parameters={"lr": {**FLOAT, "scale": "log"}}),
    submit("a parameter of no known type", "/spec/parameters/lr/type", "did you mean 'float'?",
           parameters={"lr": {**FLOAT, "type": "flot"}}),
    submit("a choice without values", "/spec/parameters/lr/values",
           parameters={"lr": {"type": "choice", "values": []}}),
    submit("a choice with a zero byte, which no argument can carry", "/spec/parameters/lr/values/0",
           parameters={"lr": {"type": "choice", "values": ["a\0b"]}}),
    submit("a parameter whose name is a shell's", "/spec/parameters/$(reboot)",
           parameters={"$(reboot)": FLOAT}),
    submit("a condition on what is not there", "/spec/parameters/lr/when",
           parameters={"lr": {**FLOAT, "when": "depth > 1"}}),
    submit("a condition of 10,000 brackets", "/spec/parameters/lr/when",
           parameters={"x": FLOAT, "lr": {**FLOAT, "when": "(" * 10_000 + "x > 0" + ")" * 10_000}}),
    submit("a command without words", "/spec/command", command=[]),
    submit("a command with a zero byte", "/spec/command/1", command=["sh", "a\0b"]),
    submit("neither command nor trainer", "/spec/trainer", command=None),
    submit("an unknown search method", "/spec/search/method",
           search={"method": "rnadom", "trials": 4}),
    submit("no trials", "/spec/search/trials", search={"method": "random", "trials": 0}),
    submit("an unknown stopping rule", "/spec/terminator/rule",
           terminator={"rule": "hypertrik"}),
    submit("more phases than units", "/spec/budget/phases", budget={"per_run": 3, "phases": 4}),
    submit("a budget beyond 64 bits", "/spec/budget/per_run", budget={"per_run": 10**30}),
    submit("a seed below zero", "/spec/seed", seed=-1),
    submit("a misspelled key", "/spec/parametres", "did you mean 'parameters'?",
           parametres={}),
]

LEASE = "/v1/leases/le_1"
WORKERS = [
    post("a report for a lease that never was", 409, "stale_epoch", "/v1/leases/le_99/reports",
         {"phase": 0, "step": 1, "value": 1}),
    post("a report for no lease", 400, "invalid", "/v1/leases/sw_1/reports",
         {"phase": 0, "step": 1, "value": 1}),
    post("a report of NaN", 400, "invalid", LEASE + "/reports",
         {"phase": 0, "step": 1, "value": "nan"}, "/value"),
    post("a report of a phase before the first", 400, "invalid", LEASE + "/reports",
         {"phase": -1, "step": 1, "value": 1}, "/phase"),
    post("a report of a phase beyond the last", 400, "invalid", LEASE + "/reports",
         {"phase": 99, "step": 1, "value": 1}, "/phase"),
    post("a report that skips a phase", 409, "conflict", LEASE + "/reports",
         {"phase": 1, "step": 500, "value": 1},
         "/phase"),
    post("a metric that is infinite", 400, "invalid", LEASE + "/metrics",
         b'{"points": [{"name": "loss", "step": 1, "value": 1e999}]}'),
    post("10,001 metric points", 400, "invalid", LEASE + "/metrics",
         {"points": [{"name": "loss", "step": 1, "value": 1}] * 10_001}, "/points"),
    post("an end that only the server may conclude", 400, "invalid", LEASE + "/end",
         {"reason": "worker_lost"},
         "/reason"),
    post("a model whose blob is not here", 400, "invalid", LEASE + "/models",
         {"sha256": "0" * 64, "bytes": 1, "step": 1, "phase": 0}, "/sha256"),
    post("a model named by a path", 400, "invalid", LEASE + "/models",
         {"sha256": "../../etc/passwd", "bytes": 1, "step": 1, "phase": 0}, "/sha256"),
    post("work for a worker that never joined", 404, "not_found", "/v1/leases",
         {"request_id": "bad", "worker": "wk_99", "cpus": 1}, "/worker"),
    post("a wait below zero", 400, "invalid", "/v1/leases", {"request_id": "bad", "worker": "wk_1",
                                                             "cpus": 1,
                                                             "wait": -1}, "/wait"),
    post("a worker of 10,000 slots", 400, "invalid", "/v1/workers",
         {"request_id": "bad", "host": "h", "pid": 1, "cpus": 10_000, "hone_version": "0.1.0"},
         "/cpus"),
    post("a heartbeat for 10,001 leases", 400, "invalid", "/v1/workers/wk_1/beat",
         {"leases": ["le_1"] * 10_001},
         "/leases"),
    post("a result of an unknown trial", 404, "not_found", "/v1/trials/tr_99/tell",
         {"value": 1}),
    post("a result without a value", 400, "invalid", "/v1/trials/tr_1/tell", {}, "/value"),
    post("a parameter set outside its space", 400, "invalid", "/v1/sweeps/sw_1/enqueue",
         {"request_id": "bad", "params": {"lr": 7}}, "/params/lr"),
]

READ = "/v1/sweeps"
TOKENS = [
    get("no token", 401, "unauthenticated", READ, token=None),
    get("an unknown token", 401, "unauthenticated", READ, token="hone_" + "0" * 64),
    get("a revoked token", 401, "unauthenticated", READ, token="revoked"),
    get("a password", 401, "unauthenticated", READ,
        headers={"Authorization": "Basic cm9vdDpyb290"}),
    get("two tokens in one", 401, "unauthenticated", READ, token="hone_a, hone_b"),
    get("a token of 4 kB", 401, "unauthenticated", READ, token="a" * 4096),
    get("a token in the query", 401, "unauthenticated", READ + "?token=hone_a", token=None),
    post("a sweep from one who may read", 403, "forbidden", "/v1/sweeps", {}, token="read"),
    post("a sweep from a worker", 403, "forbidden", "/v1/sweeps", {}, token="worker"),
    get("a look from a worker", 403, "forbidden", READ, token="worker"),
    get("the tokens from one who may submit", 403, "forbidden", "/v1/tokens", token="submit"),
    post("a report for another token's lease", 403, "forbidden", LEASE + "/reports",
         {"phase": 0, "step": 250, "value": 1}, token="worker"),
    post("the end of another token's run", 403, "forbidden", LEASE + "/end",
         {"reason": "budget_reached"},
         token="worker"),
    post("a result of another token's trial", 403, "forbidden", "/v1/trials/tr_1/tell",
         {"value": 1}, token="submit"),
    post("a token by its secret", 400, "invalid", "/v1/tokens",
         {"request_id": "bad", "name": "x", "scopes": ["read"], "sha256": "hone_secret"},
         "/sha256"),
    post("a token that may do nothing", 400, "invalid", "/v1/tokens",
         {"request_id": "bad", "name": "x", "scopes": [], "sha256": "0" * 64}, "/scopes"),
    post("a token of a name that is taken", 409, "conflict", "/v1/tokens",
         {"request_id": "bad", "name": "read", "scopes": ["read"], "sha256": "0" * 64}, "/name"),
    post("the end of a token that is not there", 404, "not_found", "/v1/tokens/tk_99/revoke", {}),
    post("the end of a token by its name", 400, "invalid", "/v1/tokens/read/revoke", {}),
]

AREAS = {"Framing and headers": FRAMING, "Targets, ids and queries": TARGETS,
         "Paths to files": FILES,
         "Bodies": BODIES, "Sweep files": SWEEPS, "Workers, leases and results": WORKERS,
         "Tokens": TOKENS}
