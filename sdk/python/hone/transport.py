"""HTTP to the server over one connection, with retries."""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import ssl
import time
import urllib.parse
from typing import Any, BinaryIO, Callable, Dict, Iterator, Optional, Tuple, Union

from . import rules
from .errors import HoneError, Problem, Unavailable

DEFAULT_URL = "http://127.0.0.1:7777"
RETRY_CODES = ("unavailable", "busy", "timed_out", "rate_limited")
LOOK_S = 2.0  # for the answer which of several servers is the primary
FIRST_PAUSE_S = 0.1
LAST_PAUSE_S = 5.0
# Bounds of what a server may make this process read, as those of the command `hone`.
ANSWER_BYTES_MAX = 64 << 20
BLOB_BYTES_MAX = 1 << 30
LINE_BYTES_MAX = 16 << 20  # of an event stream
# Of the objects that an answer becomes: 60 MiB of "[]," would take 1.4 GiB.
MEMORY_BYTES_MAX = 640 << 20
# The most that a character of JSON adds to them on a 64-bit CPython: a dict with its keys, a list
# with its slots, a place in a list and a number, a place in a dict with a key and a number.
OBJECT_BYTES = {"{": 240, "[": 88, ",": 48, ":": 100}
PIECE_BYTES = 1 << 20
DETAIL_CHARACTERS_MAX = 10_000
TERM = re.compile("[0-9]{1,10}[.][0-9a-f]{64}")
Body = Union[bytes, BinaryIO, None]


class Transport:
    """Not thread-safe: use one for each thread.

    `url` may name several servers with commas: a server and its standbys. Requests go to the
    primary, which is looked for again when the server does not answer or is a standby."""

    def __init__(self, url: Optional[str], token: Optional[str], timeout_s: float,
                 patience_s: float,
                 tls_ca: Optional[str], tls_cert: Optional[str], tls_key: Optional[str]) -> None:
        self.url = url or os.environ.get("HONE_SERVER") or DEFAULT_URL
        self._servers = [_server(one) for one in self.url.split(",")]
        self._current, self._has_chosen, self._term = 0, len(self._servers) == 1, ""
        self._token = token or os.environ.get("HONE_TOKEN") or _token_in(
            os.environ.get("HONE_TOKEN_FILE"))
        self._timeout_s = timeout_s
        self._patience_s = patience_s
        secret = any(scheme == "https" for scheme, _, _ in self._servers)
        self._tls = _tls(tls_ca, tls_cert, tls_key) if secret else None
        self._connection: Optional[http.client.HTTPConnection] = None

    def json(self, method: str, path: str, body: Any = None) -> Any:
        """Returns the document of the answer. Every request to hone is harmless to repeat, so one without an answer is
        repeated for up to `patience_s`."""
        sent = None if body is None else json.dumps(body, allow_nan=False).encode()
        answer = self._patiently(lambda: self._exchange(method, path, sent))
        return document_of(answer) if answer else {}

    def put(self, path: str, file: str) -> None:
        """Uploads a file. Repeated as json() does."""

        def upload() -> Tuple[int, bytes]:
            with open(file, "rb") as content:
                return self._exchange("PUT", path, content)

        self._patiently(upload)

    def _patiently(self, exchange: Callable[[], Tuple[int, bytes]]) -> bytes:
        until = time.monotonic() + self._patience_s
        pause_s = FIRST_PAUSE_S
        while True:
            try:
                if not self._has_chosen:
                    self._choose()
                status, answer = exchange()
                if status < 400:
                    return answer
                if status in (502, 503, 504):
                    self._has_chosen = len(self._servers) == 1
                failure: Exception = _problem(status, answer)
                if failure.code not in RETRY_CODES:  # type: ignore[attr-defined]
                    raise failure
            except Unavailable as error:
                failure = error
                self._has_chosen = len(self._servers) == 1
            if time.monotonic() + pause_s > until:
                raise failure
            time.sleep(pause_s * random.uniform(0.5, 1))
            pause_s = min(pause_s * 2, LAST_PAUSE_S)

    def pieces_of(self, path: str, most: int = BLOB_BYTES_MAX) -> Iterator[bytes]:
        """Yields the bytes of a blob. Raises HoneError where the server sends more than `most`."""
        if not self._has_chosen:
            self._choose()
        connection = self._open()
        try:
            connection.request("GET", path, headers=self._headers())
            response = connection.getresponse()
            if response.status >= 400:
                raise _problem(response.status, _body(response))
            left = min(most, BLOB_BYTES_MAX)
            while True:
                piece = response.read(min(PIECE_BYTES, left + 1))
                left -= len(piece)
                if left < 0 or (response.length or 0) > left:
                    raise too_large(min(most, BLOB_BYTES_MAX))
                if not piece:
                    return
                yield piece
        except (OSError, http.client.HTTPException) as error:
            raise Unavailable(f"the download from {self.url} ended: {error}") from error
        finally:
            connection.close()

    def stream(self, path: str) -> Iterator[Tuple[str, str]]:
        """Yields (field, value) of an event stream until it ends."""
        if not self._has_chosen:
            self._choose()
        connection = self._open()
        try:
            connection.request("GET", path, headers={**self._headers(),
                                                     "Accept": "text/event-stream"})
            response = connection.getresponse()
            if response.status >= 400:
                raise _problem(response.status, _body(response))
            while True:
                line = response.readline(LINE_BYTES_MAX + 1)
                if not line:
                    return
                if len(line) > LINE_BYTES_MAX:
                    raise too_large(LINE_BYTES_MAX)
                name, _, value = line.decode("utf-8", "replace").rstrip("\r\n").partition(":")
                if name:
                    yield name, value.lstrip(" ")
        except (OSError, http.client.HTTPException) as error:
            self._has_chosen = len(self._servers) == 1
            raise Unavailable(f"the stream of {self.url} ended: {error}") from error
        finally:
            connection.close()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _exchange(self, method: str, path: str, body: Body) -> Tuple[int, bytes]:
        fresh = self._connection is None
        try:
            return self._exchange_once(method, path, body)
        except (http.client.BadStatusLine, ConnectionError) as error:
            self.close()
            if fresh:
                raise Unavailable(f"no server answers at {self.url}: {error}") from error
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise Unavailable(f"no server answers at {self.url}: {error}") from error
        # The server closed an idle connection.
        try:
            if body is not None and not isinstance(body, bytes):
                body.seek(0)
            return self._exchange_once(method, path, body)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise Unavailable(f"no server answers at {self.url}: {error}") from error

    def _exchange_once(self, method: str, path: str, body: Body) -> Tuple[int, bytes]:
        if self._connection is None:
            self._connection = self._open()
        headers = self._headers(isinstance(body, bytes))
        if body is not None and not isinstance(body, bytes):
            headers["Content-Type"] = "application/octet-stream"
            headers["Content-Length"] = str(os.fstat(body.fileno()).st_size)
        self._connection.request(method, path, body=body, headers=headers)
        response = self._connection.getresponse()
        try:
            return response.status, _body(response)
        except HoneError:
            self.close()
            raise

    def _open(self, timeout_s: Optional[float] = None) -> http.client.HTTPConnection:
        scheme, host, port = self._servers[self._current]
        timeout_s = timeout_s or self._timeout_s
        if scheme == "https":
            return http.client.HTTPSConnection(host, port, timeout=timeout_s, context=self._tls)
        return http.client.HTTPConnection(host, port, timeout=timeout_s)

    def _choose(self) -> None:
        """Goes to the primary of the newest term; to a standby, which answers reads, if there is none."""
        self.close()
        self._has_chosen = True
        before = self._current
        seen = [self._look_at(at) for at in range(len(self._servers))]
        self._term = max([self._term] + [term for role, term in seen if role == "primary"],
                         key=_number_of)
        newest = _number_of(self._term)
        primaries, standbys = [], []
        for at, (role, term) in enumerate(seen):
            if role == "follower":
                standbys.append(at)
            elif role == "primary" and _number_of(term) == newest:
                primaries.append(at)
            elif role == "primary":
                self._look_at(at)  # it learns that it was replaced, and ends
        self._current = (primaries + standbys + [before])[0]

    def _look_at(self, at: int) -> Tuple[str, str]:
        """The role and the term of a server; "" if it does not answer."""
        self._current = at
        connection = self._open(LOOK_S)
        try:
            connection.request("GET", "/healthz", headers=self._headers())
            document = document_of(connection.getresponse().read(65536))
            term = str(document.get("term", ""))  # goes into a header field
            return str(document.get("role", "primary")), term if TERM.fullmatch(term) else ""
        except (OSError, http.client.HTTPException, HoneError, AttributeError):
            return "", ""
        finally:
            connection.close()

    def _headers(self, has_body: bool = False) -> Dict[str, str]:
        headers = {"Accept": "application/json"}
        if has_body:
            headers["Content-Type"] = "application/json"
        if self._term:
            headers["Hone-Term"] = self._term
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        return headers


def query(path: str, **arguments: Any) -> str:
    given = {key: value for key, value in arguments.items() if value is not None}
    return path + ("?" + urllib.parse.urlencode(given) if given else "")


def document_of(answer: Union[bytes, str]) -> Any:
    try:
        text = answer if isinstance(answer, str) else answer.decode()
        if sum(text.count(sign) * size for sign, size in OBJECT_BYTES.items()) > MEMORY_BYTES_MAX:
            raise HoneError("the answer of the server would take more than "
                            f"{MEMORY_BYTES_MAX >> 20} MiB of memory")
        return json.loads(text)
    except (ValueError, RecursionError):
        raise HoneError("the answer of the server is not a JSON document") from None


def too_large(most: int) -> HoneError:
    return HoneError(f"the server sends more than the {most} bytes that are read")


def _body(response: http.client.HTTPResponse) -> bytes:
    body = response.read(ANSWER_BYTES_MAX + 1)
    if len(body) > ANSWER_BYTES_MAX:
        raise too_large(ANSWER_BYTES_MAX)
    if response.length:  # read(n) does not tell that the connection ended
        raise http.client.IncompleteRead(body, response.length)
    return body


def _printable(text: str) -> str:
    """Without what a terminal takes for commands."""
    return "".join(one if one.isprintable() or one == "\n" else "?"
                   for one in text[:DETAIL_CHARACTERS_MAX])


def _problem(status: int, answer: bytes) -> Problem:
    try:
        told = rules.problem(document_of(answer))
        return Problem(told["code"], _printable(told["detail"]), _printable(told["at"]),
                       told["retryable"])
    except HoneError:
        code = "unavailable" if status in (502, 503, 504) else "internal"
        return Problem(code, f"the server answered with status {status} and no problem body", "",
                       status >= 500)


def _server(url: str) -> Tuple[str, str, int]:
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or not parts.port:
        raise HoneError(f"'{url}' is not a server; write it as {DEFAULT_URL}")
    return parts.scheme, parts.hostname, parts.port


def _number_of(term: str) -> int:
    number = term.partition(".")[0]
    return int(number) if number.isdigit() else 0


def _token_in(path: Optional[str]) -> Optional[str]:
    if not path:
        return None
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().split()[0]
    except (OSError, IndexError) as error:
        raise HoneError(
            f"cannot read a token from {path}; check that it exists and is yours") from error


def _tls(ca: Optional[str], cert: Optional[str], key: Optional[str]) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=ca or os.environ.get("HONE_TLS_CA") or None)
    cert = cert or os.environ.get("HONE_TLS_CERT") or None
    if cert:
        context.load_cert_chain(cert, key or os.environ.get("HONE_TLS_KEY") or None)
    return context
