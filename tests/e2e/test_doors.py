"""One set of rules behind every door: what may be submitted is what an edit may lead to and what
an imported document may state. Each field that can be edited is tried with extreme values at each
door; then the server is restarted and everything is read."""
import copy
import json
import pathlib
import sqlite3
import uuid

import pytest

from commands import hone
from conftest import ROOT, sweep_spec

SCHEMAS = pathlib.Path(ROOT) / "schemas" / "v1"
BUDGET = {"unit": "frames", "per_run": 10, "phases": 1}
NUMBERS = [-2**63, -2**53, -1e308, -1, -1e-300, 0, 1e-300, 0.5, 1, 1.5,
           2, 999, 1000, 1001, 4096, 2**31 - 1, 2**31, 2**53 - 1, 2**53, 1e308]
# Parameters that can be widened, each valid as it is.
DOMAINS = {
    "float": {"type": "float", "min": 0.25, "max": 0.5},
    "float, log": {"type": "float", "min": 0.25, "max": 0.5, "scale": "log"},
    "float, logit": {"type": "float", "min": 0.25, "max": 0.5, "scale": "logit"},
    "float, step": {"type": "float", "min": 0.25, "max": 0.5, "step": 0.125},
    "float, prior": {"type": "float", "min": 0.25, "max": 0.5, "prior": 0.3},
    "int": {"type": "int", "min": 3, "max": 5},
    "int, log": {"type": "int", "min": 3, "max": 5, "scale": "log"},
    "int, step": {"type": "int", "min": 3, "max": 9, "step": 2},
    "choice": {"type": "choice", "values": ["a", 1, 2.5]},
    "choice, weights": {"type": "choice", "values": ["a", "b"], "weights": [1, 2]},
}
VALUES = [["a"], [1], [1.0], [True], ["new"], ["new", "new"], [3, 3.0],
          [-2**63], [1e308], [""], ["\x1b"], ["x" * 5000], list(range(10, 1100))]
# Fields of an edit besides the widenings, with the place of each in a sweep file.
COUNTS = {
    "trials": (
        "search", "trials"), "concurrency": (
            "limits", "concurrency"), "share": (
                "share",), "slots.min": (
                    "slots", "min"), "slots.max": (
                        "slots", "max")}


# Texts that a field may take for a name, a path, a pattern, a size, a digest or a word.
TEXTS = ["", "x", "${x}", "${y}", "/tmp", "../x", "a/b", "a\0b", "\x1b[2J", "(?<loss>.*)", "(",
         "64KiB", "1GiB", "f" * 64, "x" * 1001, "snapshot"]


def described(schema):
    """What a description refers to; a field that may be left out may be null."""
    if "$ref" in schema:
        file, _, name = schema["$ref"].rpartition("#/$defs/")
        return described(json.loads((SCHEMAS / (file or "common.json")).read_text())["$defs"][name])
    return schema


def tries(schema):
    """Values of the kinds that the description names, at and past its bounds, and one of each other."""
    schema = described(schema)
    tried = [None, True, 1.5, "x", [], {}] + list(schema.get("enum", [])) + (
        [schema["const"]] if "const" in schema else [])
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if "string" in kinds:
        tried += TEXTS
    if "integer" in kinds or "number" in kinds:
        tried += [number for number in NUMBERS if number == int(number)]
        tried += [schema[bound] + by for bound in ("minimum", "maximum") if bound in schema
                  for by in (-1, 0, 1)]
    if "array" in kinds:
        tried += [[one] for one in tries(schema["items"])]
        tried += [["x"] * schema.get("maxItems", 2), ["x"] * (schema.get("maxItems", 2) + 1)]
    if "object" in kinds:
        named = schema.get("properties", {})
        tried += [{name: one} for name, field in named.items() for one in tries(field)]
        if isinstance(values := schema.get("additionalProperties"), dict):
            tried += [{name: one} for name in ("x", "HONE_X", "a=b", "", "a\0b")
                      for one in tries(values)]
    for one in schema.get("anyOf", []):
        tried += tries(one)
    return list({json.dumps(one): one for one in tried}.values())


def put(document, path, value):
    for name in path[:-1]:
        document = document.setdefault(name, {})
    document[path[-1]] = value
    return document


def spec_of(domain, **changes):
    return sweep_spec(parameters={"x": domain}, command=["true"], budget=BUDGET,
                      search={"method": "random", "trials": 1}, **changes)


def submit(server, spec):
    return server.ask("POST",
                      "/v1/sweeps",
                      {"request_id": str(uuid.uuid4()),
                       "spec": spec,
                       "workflow": {"command": ["hone",
                                                "submit"],
                                    "cwd": "/",
                                    "host": "h",
                                    "user": "u"}})


def edit(server, sweep, change):
    return server.ask("POST", f"/v1/sweeps/{sweep}/edit",
                      {"request_id": str(uuid.uuid4()), **change})


def export_of(server, spec):
    """The document of an ended sweep."""
    sweep = submit(server, spec).json["sweep"]
    server.post(f"/v1/sweeps/{sweep}/steer", {"verb": "cancel"})
    answer = server.ask("GET", f"/v1/sweeps/{sweep}/export")
    assert answer.status == 200, answer
    return answer.json


def load(server, document):
    return server.ask("POST", "/v1/imports", {"request_id": str(uuid.uuid4()), "export": document})


def with_edit(document, change):
    """The document with an edit after the submission."""
    document = copy.deepcopy(document)
    submitted = document["events"][0]
    body = {"sweep": submitted["body"]["sweep"], "request_id": "edit", **change}
    document["events"].insert(1, {"at_us": submitted["at_us"],
                              "kind": "sweep_edited", "body": body})
    return document


def use(server, sweep):
    """Reads the sweep everywhere, and lets it propose once."""
    for route in ("", "/best", "/trials", "/importance", "/columns", "/curves", "/export"):
        answer = server.ask("GET", f"/v1/sweeps/{sweep}{route}")
        assert answer.status < 500, (route, answer)
    answer = server.ask("POST", f"/v1/sweeps/{sweep}/ask", {"asker": "ada"})
    assert answer.status < 500, answer
    if answer.status == 200 and answer.json.get("trial"):
        assert None not in answer.json["params"].values(), answer


def restarted(server):
    server.stop()
    server.start()
    listed = server.get("/v1/sweeps?limit=1000")["items"]
    assert all(one["state"] != "quarantined" for one in listed)
    return [one["id"] for one in listed]


def test_the_fields_that_are_tried_are_those_of_an_edit():
    described = set(json.loads((SCHEMAS / "edit.json").read_text())["properties"])
    tried = {"request_id", "widen", "by", "command"} | {name.split(".")[0] for name in COUNTS}
    assert described == tried


@pytest.mark.parametrize("kind", DOMAINS)
def test_a_domain_is_allowed_by_every_door_or_by_none(server, kind):
    domain = DOMAINS[kind]
    changes = [{"values": values} for values in VALUES] if "values" in domain else \
        [{bound: value} for bound in ("min", "max") for value in NUMBERS]
    document = export_of(server, spec_of(domain))
    for change in changes:
        widened = copy.deepcopy(domain)
        if "values" in change:
            widened["values"] += change["values"]
            if "weights" in widened:
                widened["weights"] += [widened["weights"][-1]] * len(change["values"])
        else:
            widened.update(change)
            (bound, value), = change.items()
            if value > domain["min"] if bound == "min" else value < domain["max"]:
                continue  # not wider
            if bound == "min" and "step" in domain:
                continue  # no edit moves the bound from which steps count
        edited = submit(server, spec_of(domain)).json["sweep"]
        answers = {
            "submit": submit(server, spec_of(widened)),
            "edit": edit(server, edited, {"widen": [{"name": "x", **change}]}),
            "import": load(server, with_edit(document, {"widened": [{"name": "x", **change}]})),
            "import of the spec": load(server, with_edit(export_with(document, widened), {"trials": 2})),
        }
        allowed = {door: answer.status < 300 for door, answer in answers.items()}
        assert len(set(allowed.values())) == 1, (kind, change, answers)
        assert all(answer.status in (200, 201, 400)
                   for answer in answers.values()), (kind, change, answers)
        if allowed["edit"]:
            use(server, edited)
    for sweep in restarted(server):
        use(server, sweep)
    server.stop()


def export_with(document, domain):
    document = copy.deepcopy(document)
    document["events"][0]["body"]["spec"]["parameters"]["x"] = domain
    return document


@pytest.mark.parametrize("field", COUNTS)
def test_a_count_is_allowed_by_every_door_or_by_none(server, field):
    document = export_of(server, spec_of(DOMAINS["float"]))
    for value in NUMBERS:
        if field == "concurrency" and value == 0:
            continue  # an edit to 0 takes the limit away
        change = {}
        put(change, tuple(field.split(".")), value)
        spec = spec_of(DOMAINS["float"])
        put(spec, COUNTS[field], value)
        edited = submit(server, spec_of(DOMAINS["float"])).json["sweep"]
        answers = {"submit": submit(server, spec), "edit": edit(server, edited, change),
                   "import": load(server, with_edit(document, change))}
        allowed = {door: answer.status < 300 for door, answer in answers.items()}
        assert len(set(allowed.values())) == 1, (field, value, answers)
        assert all(answer.status in (200, 201, 400)
                   for answer in answers.values()), (field, value, answers)
        if allowed["edit"]:
            use(server, edited)
    for sweep in restarted(server):
        use(server, sweep)
    server.stop()


METRIC = spec_of(DOMAINS["float"])["objective"]["metric"]
COMMAND = described({"$ref": "common.json#/$defs/long_command"})["properties"]


@pytest.mark.parametrize("field", COMMAND)
def test_a_command_is_allowed_by_every_door_or_by_none(server, field):
    document = export_of(server, spec_of(DOMAINS["float"]))
    edited = submit(server, spec_of(DOMAINS["float"])).json["sweep"]
    for value in tries(COMMAND[field]):
        command = {"run": ["true", "${x}"], field: value}
        if field == "collect" and isinstance(value, dict):  # an edit was recorded with its columns
            value.setdefault("objective", METRIC)
        spec = spec_of(DOMAINS["float"]) | {"command": command}
        answers = {"submit": submit(server, spec),
                   "edit": edit(server, edited, {"command": command}),
                   "import": load(server, with_edit(document, {"command": command}))}
        allowed = {door: answer.status < 300 for door, answer in answers.items()}
        assert len(set(allowed.values())) == 1, (field, value, answers)
        assert all(answer.status in (200, 201, 400)
                   for answer in answers.values()), (field, value, answers)
    use(server, edited)
    for sweep in restarted(server):
        use(server, sweep)
    server.stop()


def test_an_imported_edit_states_the_columns_of_its_command(server):
    """Without them the worker of a continued sweep read the columns of no objective."""
    document = export_of(server, spec_of(DOMAINS["float"]))
    collect = {"stdout": True, "objective": METRIC}
    command = {"run": ["true"], "collect": collect}
    assert load(server, with_edit(document, {"command": command})).status in (200, 201)
    del collect["objective"]
    answer = load(server, with_edit(document, {"command": command}))
    assert answer.status == 400 and "columns" in answer.json["detail"], answer


# A command in place of these left runs with steps that the sweep no longer had.
@pytest.mark.parametrize("trainer", [
    {"command": None, "trainer": {"name": "ask"}, "budget": None},
    {"command": None, "steps": [{"name": "a", "command": ["true"], "phases": 1},
                                {"name": "b", "command": ["true"]}],
     "budget": {**BUDGET, "phases": 2}}])
def test_a_command_takes_the_place_of_a_command_alone(server, trainer):
    spec = {name: value for name, value in (spec_of(DOMAINS["float"]) | trainer).items()
            if value is not None}
    document = export_of(server, spec)
    edited = submit(server, spec).json["sweep"]
    answers = [edit(server, edited, {"command": ["true"]}),
               load(server, with_edit(document, {"command": {"run": ["true"]}}))]
    assert [answer.status for answer in answers] == [409, 400], answers


def break_trial(folder, sweep):
    """A proposal without its number."""
    with sqlite3.connect(folder / "hone.db") as db:
        db.execute("DROP TRIGGER event_kept")
        seq, body = db.execute(
            "SELECT seq, body FROM event WHERE kind = 'trial_proposed' AND sweep = ?"
            " ORDER BY seq LIMIT 1", (sweep,)).fetchone()
        body = json.loads(body)
        del body["number"]
        db.execute("UPDATE event SET body = ? WHERE seq = ?",
                   (json.dumps(body, separators=(",", ":")), seq))
        # The links of a folder that an earlier hone wrote fit its events.
        db.execute("UPDATE event SET link = NULL")
        db.commit()
    return seq


def folder_of_an_earlier_hone(server):
    """Two sweeps with trials; the first one has an event that cannot be read."""
    sweeps = [
        submit(
            server,
            spec_of(
                DOMAINS["float"],
                name=name) | {
                "search": {
                    "method": "random",
                    "trials": 3}}) .json["sweep"] for name in (
                        "broken",
            "sound")]
    for sweep in sweeps:
        for value in (0.5, 0.75):
            trial = server.post(f"/v1/sweeps/{sweep}/ask", {"asker": "ada"})
            server.post(f"/v1/trials/{trial['trial']}/tell", {"value": value})
    server.stop()
    for name in ("book.snapshot", "ledger.mark"):
        (server.folder / name).unlink(missing_ok=True)
    break_trial(server.folder, int(sweeps[0][3:]))
    return sweeps


def test_a_sweep_that_cannot_be_read_is_quarantined_and_the_others_are_served(server):
    broken, sound = folder_of_an_earlier_hone(server)
    server.start()
    assert f"{broken} is quarantined" in server.log_text()
    states = {one["id"]: one["state"] for one in server.get("/v1/sweeps")["items"]}
    assert states == {broken: "quarantined", sound: "running"}
    shown = server.get(f"/v1/sweeps/{broken}")
    assert "cannot be read" in shown["detail"], shown
    answer = server.ask("POST", f"/v1/sweeps/{broken}/ask", {"asker": "ada"})
    assert answer.status == 409 and "hone db repair" in answer.json["detail"], answer
    trial = server.post(f"/v1/sweeps/{sound}/ask", {"asker": "ada"})
    server.post(f"/v1/trials/{trial['trial']}/tell", {"value": 1})
    assert server.get(f"/v1/sweeps/{sound}")["state"] == "completed"
    third = submit(server, spec_of(DOMAINS["float"])).json["sweep"]
    assert third == "sw_3"
    checked = hone("db", "check", "--data", str(server.folder))
    assert checked.returncode != 0 and "hone db repair" in checked.stdout, checked
    assert "quarantined" in hone("ls", server=server).stdout
    shown = hone("show", broken, server=server)
    assert "quarantined" in shown.stdout and "cannot be read" in shown.stdout, shown
    backup = hone("db", "backup", str(server.folder.parent / "copy"), "--data", str(server.folder))
    assert backup.returncode == 0 and f"warning: {broken}" in backup.stdout, backup


def test_a_repaired_folder_has_all_but_what_cannot_be_read(server):
    broken, sound = folder_of_an_earlier_hone(server)
    before = sound_rows(server.folder, sound)
    repaired = hone("db", "repair", "--data", str(server.folder), "--format", "json")
    assert repaired.returncode == 0, repaired
    report = json.loads(repaired.stdout)
    assert [one["sweep"] for one in report["sweeps"]] == [broken], report
    assert pathlib.Path(report["backup"]).exists()
    assert sound_rows(server.folder, sound) == before
    server.start()
    assert "quarantined" not in server.log_text()
    states = {one["id"]: one["state"] for one in server.get("/v1/sweeps")["items"]}
    assert states == {broken: "running", sound: "running"}
    for sweep in (broken, sound):
        trial = server.post(f"/v1/sweeps/{sweep}/ask", {"asker": "ada"})
        server.post(f"/v1/trials/{trial['trial']}/tell", {"value": 1})
        use(server, sweep)
    server.stop()
    checked = hone("db", "check", "--data", str(server.folder))
    assert checked.returncode == 0, checked
    again = hone("db", "repair", "--data", str(server.folder))
    assert "nothing to repair" in again.stdout, again
    server.start()


def sound_rows(folder, sweep):
    with sqlite3.connect(folder / "hone.db") as db:
        return db.execute(
            "SELECT at, kind, body FROM event WHERE sweep = ? ORDER BY seq", (int(sweep[3:]),)).fetchall()
