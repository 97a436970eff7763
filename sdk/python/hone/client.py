"""The client of a hone server: submit, watch, ask, tell, and everything that can be read."""

from __future__ import annotations

import getpass
import hashlib
import json
import os
import socket
import sys
import tempfile
import time
import uuid
from dataclasses import dataclass
from typing import (Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple,
                    Union)

from . import place, rules
from .errors import HoneError, Problem, Unavailable
from .repository import git
from .transport import FIRST_PAUSE_S, LAST_PAUSE_S, Transport, document_of, query
from .trial import Verdict, _plain
from .values import params_of, tree

HTTPProblem = Problem
SWEEP_ENDS = ("completed", "canceled", "failed")
PAGES_MAX = 100_000  # of a list: ten million items in pages of the usual length
Spec = Union[Mapping[str, Any], str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Asked:
    """A trial that this client evaluates; report its result with Client.tell."""

    trial: str
    number: int
    lease: str
    params: Dict[str, Any]
    seed: int
    next_phase: int
    epoch: Optional[str] = None
    resume: Optional[Dict[str, Any]] = None  # the checkpoint to continue from
    first_phase: Optional[int] = None  # to train; a server of an earlier version names none


class Client:
    """A client of one server. Not thread-safe: use one for each thread.

    Without arguments it reads the environment, like the command `hone`: HONE_SERVER, HONE_TOKEN
    or HONE_TOKEN_FILE,
    HONE_TLS_CA, HONE_TLS_CERT, HONE_TLS_KEY. Repeats requests without an answer for up to
    `patience_s`; every write has a
    request id or is otherwise harmless to repeat."""

    def __init__(self, url: Optional[str] = None, token: Optional[str] = None,
                 timeout_s: float = 30.0,
                 patience_s: float = 30.0, tls_ca: Optional[str] = None,
                 tls_cert: Optional[str] = None,
                 tls_key: Optional[str] = None) -> None:
        self.arguments = (url, token, timeout_s, patience_s, tls_ca, tls_cert, tls_key)
        self._transport = Transport(*self.arguments)
        self.url = self._transport.url
        self._patience_s = patience_s

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        self._transport.close()

    def environment(self) -> Dict[str, str]:
        """The variables of this process, with those by which the program `hone` finds this server."""
        _, token, _, _, ca, cert, key = self.arguments
        given = {"HONE_SERVER": self.url, "HONE_TOKEN": token, "HONE_TLS_CA": ca,
                 "HONE_TLS_CERT": cert, "HONE_TLS_KEY": key}
        return {**os.environ, **{name: value for name, value in given.items() if value}}

    def copy(self) -> "Client":
        """A further client of the same server, for another thread or process."""
        return Client(*self.arguments)

    # Sweeps

    def submit(self, spec: Spec, request_id: Optional[str] = None,
               workflow: Optional[Mapping[str, Any]] = None,
               dataset: Optional[Mapping[str, str]] = None) -> str:
        """Submits a document or a file (JSON; YAML if PyYAML is installed). Returns the id of the sweep.

        `dataset`, {"name": ..., "version": ..., "digest": ...}, is recorded as the dataset
        of its runs. Records the current folder and interpreter, and takes a snapshot of the code
        where a command says `code: snapshot`, as `hone submit` does.
        """
        document = tree(_document(spec))
        place.record(document)
        place.take_snapshots(document, self._put_text)
        body = {"request_id": request_id or str(uuid.uuid4()), "spec": document,
                "workflow": dict(workflow) if workflow is not None else own_workflow()}
        if dataset is not None:
            body["dataset"] = dict(dataset)
        answer = rules.submit_reply(self._transport.json("POST", "/v1/sweeps", body))
        return str(answer["sweep"])

    def _put_text(self, digest: str, content: bytes) -> None:
        with tempfile.NamedTemporaryFile() as file:
            file.write(content)
            file.flush()
            self._transport.put(f"/v1/blobs/{digest}", file.name)

    def pause(self, sweep: str) -> str:
        return self.steer(sweep, "pause")

    def resume(self, sweep: str) -> str:
        return self.steer(sweep, "resume")

    def stop(self, sweep: str) -> str:
        return self.steer(sweep, "stop")

    def cancel(self, sweep: str) -> str:
        return self.steer(sweep, "cancel")

    def kill(self, sweep: str) -> str:
        return self.steer(sweep, "kill")

    def steer(self, sweep: str, verb: str) -> str:
        """Steers the sweep. Returns its new state."""
        answer = self._transport.json("POST", f"/v1/sweeps/{sweep}/steer",
                                      rules.steer({"verb": verb}))
        return str(rules.state_of(answer)["state"])

    def watch(self, sweep: str) -> Iterator[Dict[str, Any]]:
        """Yields the events of the sweep from the first to the last, as they happen."""
        for event in self.events(sweep=sweep):
            yield event
            if event["kind"] == "sweep_ended":
                return

    def wait(self, sweep: str, timeout_s: Optional[float] = None) -> Dict[str, Any]:
        """Waits until the sweep has ended and returns it. Raises TimeoutError after `timeout_s`."""
        until = None if timeout_s is None else time.monotonic() + timeout_s
        pause_s = FIRST_PAUSE_S
        while True:
            row = self.sweep(sweep)
            if rules.state_of(row)["state"] in SWEEP_ENDS:
                return row
            if until is not None and time.monotonic() >= until:
                raise TimeoutError(f"{sweep} is {row['state']} after {timeout_s} s")
            time.sleep(pause_s)
            pause_s = min(pause_s * 1.5, 2.0)

    def events(self, after: int = 0, sweep: Optional[str] = None) -> Iterator[Dict[str, Any]]:
        """Yields the events after number `after`, without end. Reconnects when the server was away."""
        pause_s = FIRST_PAUSE_S
        away_since: Optional[float] = None
        while True:
            try:
                for name, value in self._transport.stream(query("/v1/events", after=after,
                                                                sweep=sweep)):
                    pause_s, away_since = FIRST_PAUSE_S, None
                    if name == "data":
                        event = rules.event(document_of(value))
                        after = event["seq"]
                        yield event
            except Problem as problem:
                if not problem.retryable:
                    raise
            except Unavailable:
                away_since = away_since or time.monotonic()
                if time.monotonic() - away_since > self._patience_s:
                    raise
            time.sleep(pause_s)
            pause_s = min(pause_s * 2, LAST_PAUSE_S)

    # Optimization without workers

    def ask(self, sweep: str, asker: Optional[str] = None) -> Asked:
        """Returns a trial to evaluate: the same one until you tell its result."""
        body = rules.ask({"asker": asker or own_asker()})
        return Asked(**rules.ask_reply(self._transport.json("POST", f"/v1/sweeps/{sweep}/ask",
                                                            body)))

    def tell(self, trial: Union[Asked, str], value: Any = None, phase: Optional[int] = None,
             step: Optional[int] = None, further: Sequence[Any] = (), failed: bool = False,
             infeasible: bool = False, detail: str = "",
             seconds: Optional[float] = None) -> Verdict:
        """Reports the result of a trial: a value, a failure, or that its parameters are infeasible.

        `seconds` is what the phase took: the cost of the trial (best with by="cost")."""
        body: Dict[str, Any] = {"told": "failed" if failed else "infeasible" if infeasible
                                else "value"}
        if value is not None:
            body["value"] = _plain(value)
        if isinstance(trial, Asked) and phase is None and value is not None:
            phase = trial.next_phase  # so that a repeated call finds its own verdict
        body.update({"phase": phase, "step": step, "detail": detail or None,
                     "phase_seconds": seconds})
        if isinstance(trial, Asked) and trial.epoch:  # a restored server may have another tr_42
            body["epoch"] = trial.epoch
        if further:
            body["further"] = [_plain(one) for one in further]
        name = trial.trial if isinstance(trial, Asked) else trial
        answer = rules.verdict(self._transport.json("POST", f"/v1/trials/{name}/tell",
                                                    rules.tell(body)))
        return Verdict(answer["verdict"], answer["reason"])

    def enqueue(self, sweep: str, params: Mapping[str, Any],
                request_id: Optional[str] = None,
                fork: Optional[Mapping[str, Any]] = None) -> int:
        """Adds a parameter set to try next; hone draws the parameters left out. Returns how many sets wait.

        With `fork={"run": "rn_4.0", "phase": 2}` it starts from that run's checkpoint of the
        phase (counted from 0; absent: the latest); parameters left out are those of that run."""
        body = rules.enqueue({"request_id": request_id or str(uuid.uuid4()),
                              "params": params_of(params), "fork": fork})
        return int(rules.enqueue_reply(self._transport.json("POST", f"/v1/sweeps/{sweep}/enqueue",
                                                            body))["waiting"])

    def optimize(self, sweep: str, objective: Callable[[Dict[str, Any]], Any],
                 asker: Optional[str] = None) -> Optional[Dict[str, Any]]:
        """Asks, calls `objective` and tells until the sweep has no more trials, in this process.

        An exception of `objective` fails its trial. Returns the best trial. Sweep.run has
        processes, checkpoints and retries."""
        while True:
            try:
                asked = self.ask(sweep, asker)
            except Problem as problem:
                if problem.code == "conflict":
                    break
                raise
            try:
                value = objective(asked.params)
            except Exception as error:  # the user's error fails this trial only
                self.tell(asked, failed=True, detail=f"{type(error).__name__}: {error}"[:1000])
                continue
            self.tell(asked, value)
        return next(iter(self.best(sweep, limit=1)), None)

    # Any route

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Sends any document: post("/v1/notes", {...}). Returns the answer."""
        return self._transport.json("POST", path, dict(body))

    def store(self, file: Union[str, "os.PathLike[str]"]) -> Tuple[str, int]:
        """Uploads a file. Returns its SHA-256 and its length in bytes; the server keeps a file that
        a checkpoint or an artifact names."""
        path = os.fspath(file)
        digest = hashlib.sha256()
        with open(path, "rb") as content:
            for piece in iter(lambda: content.read(1 << 20), b""):
                digest.update(piece)
        self._transport.put(f"/v1/blobs/{digest.hexdigest()}", path)
        return digest.hexdigest(), os.path.getsize(path)

    def get(self, path: str, **arguments: Any) -> Any:
        """Returns any document: get("/v1/sweeps/sw_7/best", limit=3)."""
        return self._transport.json("GET", query(path, **arguments))

    def pages(self, path: str, **arguments: Any) -> Iterator[Dict[str, Any]]:
        """Yields every item of a list, page by page."""
        after = None
        for _ in range(PAGES_MAX):
            page = rules.page(self.get(path, after=after, **arguments))
            yield from page["items"]
            if page["next"] is None:
                return
            if page["next"] == after:
                raise HoneError(f"the list of {path} does not end: it continues where it began")
            after = page["next"]
        raise HoneError(f"the list of {path} does not end: {PAGES_MAX} pages were read")

    def version(self) -> Dict[str, Any]:
        return self._object("/v1/version")

    def sweeps(self, **filters: Any) -> Iterator[Dict[str, Any]]:
        return self.pages("/v1/sweeps", **filters)

    def sweep(self, sweep: str) -> Dict[str, Any]:
        return self._object(f"/v1/sweeps/{sweep}")

    def trials(self, sweep: str, **filters: Any) -> Iterator[Dict[str, Any]]:
        return self.pages(f"/v1/sweeps/{sweep}/trials", **filters)

    def best(self, sweep: str, limit: Optional[int] = None, by: Optional[str] = None,
             within: Optional[int] = None) -> List[Dict[str, Any]]:
        """The first trials of the leaderboard (10, or `limit`).

        With by="cost" the best value by cost: each trial is better than all that took no longer,
        the cheapest first; `within` leaves out those of more seconds."""
        return self._items(f"/v1/sweeps/{sweep}/best", limit=limit, by=by, within=within)

    def trial(self, trial: str) -> Dict[str, Any]:
        return self._object(f"/v1/trials/{trial}")

    def runs(self, trial: str) -> Iterator[Dict[str, Any]]:
        return self.pages(f"/v1/trials/{trial}/runs")

    def run(self, run: str) -> Dict[str, Any]:
        return self._object(f"/v1/runs/{run}")

    def curve(self, run: str) -> List[Dict[str, Any]]:
        return self._items(f"/v1/runs/{run}/curve")

    def metrics(self, run: str, name: Optional[str] = None) -> Iterator[Dict[str, Any]]:
        return self.pages(f"/v1/runs/{run}/metrics", name=name)

    def artifacts(self, run: str) -> List[Dict[str, Any]]:
        return self._items(f"/v1/runs/{run}/artifacts")

    def models(self, **filters: Any) -> Iterator[Dict[str, Any]]:
        return self.pages("/v1/models", **filters)

    def explain(self, thing: str) -> Dict[str, Any]:
        return self._object(
            f"/v1/{'runs' if thing.startswith('rn_') else 'trials'}/{thing}/explain")

    def lineage(self, thing: str, direction: Optional[str] = None,
                depth: Optional[int] = None) -> Dict[str, Any]:
        return self._object(f"/v1/lineage/{thing}", direction=direction, depth=depth)

    def fetch(self, thing: str, file: Union[str, "os.PathLike[str]"]) -> None:
        """Downloads a model (md_9), or the blob with a digest, to a file. The file is complete or absent."""
        digest = rules.digest(self._object(f"/v1/models/{thing}").get("sha256")
                              if thing.startswith("md_") else thing, "/sha256")
        folder = os.path.dirname(os.path.abspath(os.fspath(file)))
        handle, temporary = tempfile.mkstemp(dir=folder)
        try:
            found = hashlib.sha256()
            with os.fdopen(handle, "wb") as out:
                for piece in self._transport.pieces_of(f"/v1/blobs/{digest}"):
                    found.update(piece)
                    out.write(piece)
            if found.hexdigest() != digest:
                raise HoneError(f"the bytes of {thing} do not have the digest {digest}")
            os.replace(temporary, file)
        except BaseException:
            os.unlink(temporary)
            raise

    def _object(self, path: str, **arguments: Any) -> Dict[str, Any]:
        return dict(rules.obj(self.get(path, **arguments), ""))

    def _items(self, path: str, **arguments: Any) -> List[Dict[str, Any]]:
        return list(rules.page(self.get(path, **arguments))["items"])


def user_name() -> str:
    """The user of this process; "user" where the system has no name, as in some containers."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "user"


def own_asker() -> str:
    """The name under which this process asks for trials."""
    return f"{user_name()}@{socket.gethostname()}:{os.getpid()}"


def own_workflow() -> Dict[str, Any]:
    """The workflow of this program, as `hone submit` records it."""
    commit = git("rev-parse", "--verify", "HEAD").strip()
    patch = git("diff", "--no-color", "--no-ext-diff", "--no-textconv",
                "--ignore-submodules=dirty", "--binary", "HEAD") if commit else ""
    return {
        "command": [sys.executable, *sys.argv], "cwd": os.getcwd(), "host": socket.gethostname(),
        "user": user_name(), "git_commit": commit,
        "git_branch": git("symbolic-ref", "--short", "HEAD").strip() if commit else "",
        "patch_sha256": hashlib.sha256(patch.encode("utf-8", "surrogateescape")).hexdigest()
        if patch else "",
        "hone_version": "",
    }


def _document(spec: Spec) -> Any:
    if isinstance(spec, Mapping):
        return dict(spec)
    path = os.fspath(spec)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if path.endswith(".json"):
        return json.loads(text)
    try:
        import yaml  # type: ignore[import-untyped]
    except ImportError:
        raise HoneError(
            f"{path} is YAML, and PyYAML is not installed: submit it with `hone submit`, or write it as "
                        "JSON") from None
    return yaml.safe_load(text)
