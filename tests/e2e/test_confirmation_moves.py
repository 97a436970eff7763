"""A confirmation keeps its link when it moves to another server with the sweep that it confirms."""
import copy
import json
import random

import pytest

from commands import hone, ok
from conftest import Server, problem, sweep_spec
from test_leaderboard import Trainers, winners

SPEC = {"search": {"method": "random", "trials": 6}, "replicates": {"seeds": 2}, "seed": 11}


@pytest.fixture
def elsewhere(tmp_path):
    other = Server(tmp_path / "elsewhere").start()
    yield other
    other.stop()


@pytest.fixture
def confirmed(server):
    """(the sweep, its confirmation, the trainers)"""
    trainers = Trainers(server, random.Random(5), failures=0)
    sweep = server.submit(sweep_spec(**SPEC))
    trainers.train(sweep)
    made = ok("confirm", sweep, "--start", "--top", "3", "--seeds", "4", server=server).strip()
    trainers.train(made)
    return sweep, made, trainers


def moved(server, elsewhere, tmp_path, *sweeps):
    """Exports and imports by the commands; the sweeps' ids there."""
    ids = []
    for sweep in sweeps:
        file = tmp_path / f"{sweep}.json"
        file.write_text(ok("export", sweep, "--format", "json", server=server))
        ids.append(ok("import", "hone", file, server=elsewhere).strip())
    return ids


def runs_of(server, sweep):
    runs = server.get(f"/v1/sweeps/{sweep}/runs?limit=100")["items"]
    return [(run["seed"], run["value"]) for run in runs]


def test_the_confirmation_ranks_the_imported_sweep(server, elsewhere, confirmed, tmp_path):
    """`hone lineage` named no confirmation there, and `hone confirm` started thirty runs."""
    sweep, made, _ = confirmed
    # Other ids there than here.
    Trainers(elsewhere, random.Random(1), failures=0).train(elsewhere.submit(sweep_spec(**SPEC)))
    there, confirmation = moved(server, elsewhere, tmp_path, sweep, made)
    assert (there, confirmation) == ("sw_2", "sw_3")
    assert elsewhere.get(f"/v1/sweeps/{confirmation}")["confirms"] == there
    edges = json.loads(ok("lineage", confirmation, "--up", "--format", "json",
                          server=elsewhere))["edges"]
    assert {"from": confirmation, "relation": "confirms", "to": there}.items() <= next(
        edge for edge in edges if edge["relation"] == "confirms").items()
    before, after = (one.get(f"/v1/sweeps/{of}/confirm")
                     for one, of in ((server, sweep), (elsewhere, there)))
    for item in (*before["items"], *after["items"]):
        for name in ("trial", "of", "model"):
            item.pop(name)
    assert before["items"] == after["items"]
    # Each server names an event that its ledger has.
    for one, answer in ((server, before), (elsewhere, after)):
        number, _, link = answer["ledger"].partition(":")
        newest = one.get(f"/v1/events?after={int(number) - 1}&limit=1")["items"][0]
        assert newest["seq"] == int(number) and len(link) == 64, answer["ledger"]
    assert before["ledger"] != after["ledger"]
    assert runs_of(server, made) == runs_of(elsewhere, confirmation)
    every = winners(elsewhere, there)
    assert len(set(every.values())) == 1 and every["best"][2] is not None, every
    assert "no differences" in ok("replay", there, server=elsewhere)
    assert "no differences" in ok("replay", confirmation, server=elsewhere)


def test_exports_there_are_those_of_here_byte_for_byte(server, elsewhere, confirmed, tmp_path):
    sweep, made, _ = confirmed
    there = moved(server, elsewhere, tmp_path, sweep, made)
    for here, one in zip((sweep, made), there):
        assert (tmp_path / f"{here}.json").read_text() == \
            ok("export", one, "--format", "json", server=elsewhere)
    elsewhere.kill()
    elsewhere.start()
    assert elsewhere.get(f"/v1/sweeps/{there[1]}")["confirms"] == there[0]
    ok("db", "check", "--data", elsewhere.folder, server=elsewhere)


def test_further_seeds_of_an_imported_confirmation_are_new_ones(server, elsewhere, confirmed,
                                                                tmp_path):
    sweep, made, _ = confirmed
    there, confirmation = moved(server, elsewhere, tmp_path, sweep, made)
    further = ok("confirm", there, "--start", "--top", "1", "--seeds", "3", server=elsewhere)
    Trainers(elsewhere, random.Random(2), failures=0).train(further.strip())
    seeds = {seed for seed, _ in runs_of(elsewhere, confirmation)}
    assert seeds.isdisjoint(seed for seed, _ in runs_of(elsewhere, further.strip()))
    report = elsewhere.get(f"/v1/sweeps/{there}/confirm")
    assert report["confirmations"] == [confirmation, further.strip()]
    assert max(item["seeds"] for item in report["items"]) == 7


def test_a_confirmation_that_cannot_be_linked_is_refused_with_the_reason(server, elsewhere,
                                                                         confirmed, tmp_path):
    sweep, made, trainers = confirmed
    document = server.get(f"/v1/sweeps/{made}/export")
    body = {"request_id": "alone", "export": document}
    problem(elsewhere.ask("POST", "/v1/imports", body), 404, "not_found",
            words=[f"it confirms {sweep}", "import that one first"])
    alone = copy.deepcopy(document)
    del alone["confirms"]
    kept = elsewhere.post("/v1/imports", {"request_id": "own", "export": alone}, 201)["sweep"]
    assert elsewhere.get(f"/v1/sweeps/{kept}")["confirms"] is None
    # On its own server its seeds would count twice.
    problem(server.ask("POST", "/v1/imports", body), 409, "conflict",
            words=[f"{made} confirms {sweep} with the same seeds"])
    moved(server, elsewhere, tmp_path, sweep)
    for change, words in (({"trial": "tr_9", "of": "tr_1"}, ["no trial tr_9"]),
                          ({"trial": "tr_1", "of": "tr_99"}, ["tr_99"]),
                          ({"trial": "tr_1", "of": "tr_6"}, ["other parameters"])):
        broken = copy.deepcopy(document)
        broken["confirms"]["trials"] = [change]
        if change["of"] == document["confirms"]["trials"][0]["of"]:
            continue
        problem(elsewhere.ask("POST", "/v1/imports", {"request_id": "b", "export": broken}), 400,
                "invalid", words=words)


def test_a_changed_ledger_does_not_fit_its_exports_and_confirmations(server, confirmed, tmp_path):
    sweep, made, _ = confirmed
    file = tmp_path / "kept.json"
    file.write_text(ok("export", made, "--format", "json", server=server))
    link = json.loads(file.read_text())["ledger"]
    text = hone("confirm", sweep, server=server).stderr
    assert link in text.splitlines(), text
    server.stop()
    for kept in (str(file), link):
        rows = json.loads(ok("db", "check", "--data", server.folder, "--link", kept,
                             "--format", "json", server=server))
        assert {row["what"]: row["health"] for row in rows}["kept link"] == "ok"
    number, digits = link.split(":")
    forged = f"{number}:{'0' if digits[0] != '0' else '1'}{digits[1:]}"
    checked = hone("db", "check", "--data", server.folder, "--link", forged, server=server)
    assert checked.returncode == 1 and "has another link" in checked.stdout
    file.write_text("{}")
    refused = hone("db", "check", "--data", server.folder, "--link", str(file), server=server)
    assert refused.returncode == 2 and "names no event of a ledger" in refused.stderr
