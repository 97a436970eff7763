"""`hone db rm`: a sweep, its files and nothing else leave a data folder; what rests on it is shown first."""
import json

import pytest

from commands import hone, ok
from conftest import Server, sweep_spec
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
