"""`hone db rm`: a sweep, its files and nothing else leave a data folder; what rests on it is shown first."""
import hashlib
import json
import re

import pytest

from commands import hone, ok
from conftest import ROOT, Server, sweep_spec
from trained import done, train  # noqa: F401


def rm(server, *words, **more):
    return hone("db", "rm", *words, "--data", str(server.folder), **more)


def files_of(folder):
    """Without those that a reader of the database makes."""
    return {path.relative_to(folder) for path in folder.rglob("*")
            if path.is_file() and not path.name.startswith("hone.db-")}


def healths(folder):
    rows = json.loads(ok("db", "check", "--data", str(folder), "--format", "json"))
    return {row["what"]: row["health"] for row in rows}


def play(server, **changes):
    """A sweep that trained to its end, with a checkpoint and a log of each run."""
    sweep = server.submit(sweep_spec(**changes))
    worker = server.join()
    while train(server, worker, 10, models=True, metrics=True):
        pass
    return sweep


def test_a_sweep_leaves_with_its_files_and_no_other(server, tmp_path):
    kept, gone = play(server), play(server, name="second")
    before = {path: server.get(path) for path in (f"/v1/sweeps/{kept}/trials",
                                                  f"/v1/sweeps/{kept}/runs",
                                                  f"/v1/models?sweep={kept}")}
    blobs = {model["sha256"]: model["sweep"] for sweep in (kept, gone)
             for model in server.get(f"/v1/models?sweep={sweep}")["items"]}
    assert set(blobs.values()) == {kept, gone}
    running = rm(server, gone, "--yes")
    assert running.returncode == 4, "while a server runs"
    assert server.stop() == 0
    unanswered = rm(server, gone)
    assert unanswered.returncode == 2 and "--yes" in unanswered.stderr
    assert f"{gone} (second): 4 trials" in unanswered.stderr
    told = rm(server, gone, "--yes")
    assert told.returncode == 0, told.stderr
    for digest, sweep in blobs.items():
        exists = (server.folder / "blobs" / digest[:2] / digest[2:]).exists()
        assert exists == (sweep == kept), (digest, sweep)
    assert set(healths(server.folder).values()) == {"ok"}
    server.start()
    assert [row["id"] for row in server.get("/v1/sweeps?all=true")["items"]] == [kept]
    assert {path: server.get(path) for path in before} == before
    assert server.ask("GET", f"/v1/sweeps/{gone}").status == 404
    # The ledger continues: the next sweep trains to its end.
    play(server, name="third")
    assert set(healths(server.folder).values()) == {"ok"}


def depend(server, first):
    """A confirmation, a sweep that learned, a fork, and a fork of that."""
    confirmation = server.post(f"/v1/sweeps/{first}/confirm",
                               {"request_id": "c", "top": 1, "seeds": 2})["sweep"]
    worker = server.join()
    while train(server, worker, 1):
        pass
    learned = play(server, name="learned", search={"method": "tpe", "trials": 2,
                                                   "warm_start": [first]})
    forks = [first]
    for _ in range(2):
        forks.append(ok("fork", forks[-1], "-q", server=server).split()[0])
    while train(server, worker, 1):
        pass
    return confirmation, learned, *forks[1:]


def test_what_depends_on_a_sweep_is_shown_before_anything_goes(server):
    first = play(server)
    others = depend(server, first)
    assert server.stop() == 0
    before = files_of(server.folder)
    refused = rm(server, first, "--yes")
    assert refused.returncode == 4 and "4 other sweeps" in refused.stderr
    for other, how in zip(others, ("confirms it: " + first, "learned from it",
                                  "is a fork of it: " + first, "is a fork of it: " + others[2])):
        assert f"{other} {how}" in refused.stderr, refused.stderr
    assert files_of(server.folder) == before
    told = rm(server, first, *others, "--yes", "--format", "json")
    assert told.returncode == 0, told.stderr
    assert json.loads(told.stdout)["removed"] > 0
    assert set(healths(server.folder).values()) == {"ok"}
    server.start()
    assert server.get("/v1/sweeps?all=true")["items"] == []


@pytest.mark.parametrize("words, status, says", [
    (["sw_9"], 3, "there is no sweep sw_9"),
    (["tr_1"], 2, "no id of a sweep"),
    ([], 2, "no sweep given"),
    (["sw_1"], 4, "has not ended"),
])
def test_what_cannot_be_removed_is_refused(server, words, status, says):
    server.submit(sweep_spec())
    assert server.stop() == 0
    refused = rm(server, *words, "--yes")
    assert refused.returncode == status and says in refused.stderr, refused.stderr
    server.start()
    assert len(server.get("/v1/sweeps")["items"]) == 1


def test_a_backup_of_the_database_stays_beside_it(server, tmp_path):
    gone = play(server)
    assert server.stop() == 0
    copy = json.loads(rm(server, gone, "--yes", "--format", "json").stdout)["backup"]
    folder = tmp_path / "restored"
    folder.mkdir()
    (folder / "hone.db").write_bytes(open(copy, "rb").read())
    restored = Server(folder).start()
    assert [row["id"] for row in restored.get("/v1/sweeps")["items"]] == [gone]
    assert restored.stop() == 0
    server.start()


def routes():
    """Method and path of every route of the server that names an object in its path."""
    table = (ROOT / "server" / "api" / "router.cpp").read_text()
    return re.findall(r'Route\{(get|post), "(/v1/[^"]*\{[^"]*)"', table)


# What the removed sweep had, by its name in a path.
GONE = {"sweep": "sw_1", "trial": "tr_1", "run": "rn_1.0", "model": "md_1", "lease": None,
        "evaluation": "ev_1", "id": "tr_1"}
BLOB = hashlib.sha256(b"x").hexdigest()
# A body that the server would accept of a sweep that is there.
BODIES = {"steer": {"verb": "stop"}, "ask": {"asker": "me"}, "tell": {"value": 1},
          "enqueue": {"request_id": "en", "params": {}},
          "confirm": {"request_id": "co", "top": 1, "seeds": 2},
          "archive": {"archived": True}, "pin": {"pinned": True},
          "edit": {"request_id": "ed", "trials": 9},
          "evaluations": {"request_id": "another", "metric": "return", "values": [1.0, 2.0]},
          "reports": {"phase": 0, "step": 250, "value": 1},
          "models": {"sha256": BLOB, "bytes": 1, "step": 250, "phase": 0},
          "artifacts": {"name": "a.txt", "sha256": BLOB, "bytes": 1},
          "metrics": {"points": [{"name": "loss", "step": 1, "value": 1.0}]},
          "code": {"workflow": {}},
          "end": {"reason": "budget_reached", "exit_code": 0, "detail": "", "log_tail": ""}}


def refused_of_removed(server, lease):
    """Every route, and what names an object in its body: route -> (status, code)."""
    server.ask("PUT", f"/v1/blobs/{BLOB}", b"x")
    found = {}
    for method, path in routes():
        name = re.search(r"\{(\w+)\}", path)[1]
        if name not in GONE:
            continue
        asked = path.replace("{" + name + "}", lease if name == "lease" else GONE[name])
        body = BODIES[path.rsplit("/", 1)[1]] if method == "post" else None
        found[f"{method} {path}"] = server.ask(method.upper(), asked, body)
    for gone in ("sw_1", "tr_1", "rn_1.0", "rn_1.0#1", "md_1"):
        found["note " + gone] = server.ask("POST", "/v1/notes", {
            "request_id": "note " + gone, "on": gone, "text": "x"})
        found["tag " + gone] = server.ask("POST", "/v1/tags", {"on": gone, "add": ["x"]})
    spec = sweep_spec(search={"method": "tpe", "trials": 2, "warm_start": ["sw_1"]})
    found["warm start"] = server.ask("POST", "/v1/sweeps", {"request_id": "warm", "spec": spec})
    found["fork"] = server.ask("POST", "/v1/sweeps", {
        "request_id": "fork", "spec": sweep_spec(), "forked_from": "sw_1"})
    return found


def test_a_removed_sweep_was_an_internal_error_to_every_command(server):
    gone = server.submit(sweep_spec())
    worker = server.join()
    grants = []
    while grant := train(server, worker, 10, models=True, metrics=True):
        grants.append(grant)
    measured = {"request_id": "ev", "metric": "return", "values": [1.0, 2.0]}
    assert server.ask("POST", "/v1/models/md_1/evaluations", measured).status in (200, 201)
    kept = play(server, name="second")
    assert server.stop() == 0
    assert rm(server, gone, "--yes").returncode == 0
    for _ in range(2):
        server.start()
        for route, answer in refused_of_removed(server, grants[0]["lease"]).items():
            lost = "{lease}" in route
            expected = (409, "stale_lease") if lost else (404, "not_found")
            if route in ("post /v1/leases/{lease}/end", "get /v1/about/{id}"):
                expected = (200, None)  # ended already; no tags and no notes
            assert (answer.status, answer.json.get("code")) == expected, (route, answer)
        assert server.ask("POST", f"/v1/sweeps/{kept}/archive", {"archived": True}).status == 200
        assert "cannot be used" not in server.log_text()
        assert server.stop() == 0
    server.start()


def test_the_snapshot_is_used_again_after_a_sweep_was_removed(server):
    """The server replayed the whole ledger at every start from then on."""
    gone, kept = play(server), play(server, name="second")
    for number in range(120):  # a ledger that is worth a snapshot: more than 1 MiB
        server.post("/v1/notes", {"request_id": str(number), "on": kept, "text": "x" * 10_000})
    assert server.stop() == 0
    assert rm(server, gone, "--yes").returncode == 0
    for _ in range(2):
        server.start()
        assert server.get(f"/v1/sweeps/{kept}")["state"] == "completed"
        assert server.stop() == 0
        assert healths(server.folder) == {**healths(server.folder), "snapshot": "ok"}
    assert server.log_text().count("continued from the snapshot") == 1, server.log_text()
    assert "replayed the whole ledger" not in server.log_text()
    server.start()
