"""Exports of earlier versions: what they allowed and today's bounds do not is named with its place and the bound; what
harms nothing is imported."""
import copy
import json

import pytest

from commands import hone, ok
from conftest import Server, sweep_spec
from trained import done, train  # noqa: F401 (done is a fixture)


@pytest.fixture
def document(server, done):  # noqa: F811
    return server.get(f"/v1/sweeps/{done}/export")


@pytest.fixture
def elsewhere(tmp_path):
    other = Server(tmp_path / "elsewhere").start()
    yield other
    other.stop()


def imported(elsewhere, tmp_path, document):
    file = tmp_path / "older.json"
    file.write_text(json.dumps(document))
    return hone("import", "hone", file, server=elsewhere)


FLOAT = {"type": "float", "min": 0, "max": 1}
BEYOND = [  # a change of the specification, and words of the refusal
    ({"name": "run\u202egnp.exe"}, ["body/spec/name"]),
    ({"constraints": ["lr < " + "+".join(["1"] * 20_000)]}, ["body/spec/constraints"]),
    ({"parameters": {"lr": {**FLOAT, "max": 1e10, "step": 1e-9}}},
     ["body/spec/parameters/lr/step", "2^53", "this hone does not accept", "Change it"]),
    ({"search": {"method": "cmaes", "trials": 1_000_000},
      "parameters": {name: FLOAT for name in ("lr", *(f"p{i}" for i in range(200)))}},
     ["body/spec/search", "Change it"]),
    ({"replicates": {"seeds": 100_000}}, ["body/spec/replicates/seeds", "1000"]),
]


@pytest.mark.parametrize("change, words", BEYOND)
def test_what_is_beyond_a_bound_is_named_with_its_place(elsewhere, document, tmp_path, change,
                                                        words):
    older = copy.deepcopy(document)
    older["events"][0]["body"]["spec"].update(change)
    refused = imported(elsewhere, tmp_path, older)
    assert refused.returncode == 2, refused
    for word in ("/export/events/0", *words):
        assert word in refused.stderr, refused.stderr
    assert elsewhere.get("/v1/sweeps")["items"] == []


def test_what_earlier_versions_did_not_write_is_not_needed(elsewhere, document, tmp_path):
    older = copy.deepcopy(document)
    del older["ledger"]
    for event in older["events"]:
        event["body"].pop("rules", None)
        event["body"].pop("seed_applied", None)
        event["body"].pop("resumable", None)
    sweep = imported(elsewhere, tmp_path, older)
    assert sweep.returncode == 0, sweep.stderr
    made = sweep.stdout.strip()
    assert "no differences" in ok("replay", made, server=elsewhere)
    again = json.loads(ok("export", made, "--format", "json", server=elsewhere))
    assert again["events"] == older["events"] and "ledger" not in again


def test_the_path_of_an_earlier_request_harms_nothing(elsewhere, document, tmp_path):
    """Such ids are refused in requests today, since the server makes them itself."""
    older = copy.deepcopy(document)
    older["events"][0]["body"]["request_id"] = "ask/by hand"
    assert imported(elsewhere, tmp_path, older).returncode == 0
    asked = elsewhere.submit(sweep_spec(trainer={"name": "ask"}, command=None))
    assert elsewhere.post(f"/v1/sweeps/{asked}/ask", {"asker": "by hand"})["trial"]
