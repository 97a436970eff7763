"""Values are what people type: twelve kinds of values by nine ways into a sweep. Each way takes the
same kinds, the ledger holds the same value, and the program gets it."""
import csv
import io
import json
import math
import subprocess
import sys
import uuid

import pytest

from commands import hone, ok
from conftest import ROOT, program

REFUSED = "refused"
LARGE = 2**53 + 1
SPACE = {
    "x": {"type": "float", "min": 0, "max": 2},
    "n": {"type": "int", "min": 1, "max": 9},
    "c": {"values": [1, 2.5, "a"]},
    "b": {"type": "bool"},
    "d": {"type": "float", "min": 0.2, "max": 0.9, "step": 0.1},
    "w": {"values": ["one", "two"]},
    "m": {"type": "float", "min": -2, "max": 2},
    "k": {"values": [1, LARGE]},
}
KINDS = {  # the parameter, the value as JSON would have it, and what is stored
    "an int for a float": ("x", "1", 1.0),
    "3.0 for an int": ("n", "3.0", 3),
    "1.0 for the choice 1": ("c", "1.0", 1),
    "a truth value": ("b", "true", True),
    "0.3 of tenths": ("d", "0.3", 0.3),
    "0.3 as binary arithmetic has it": ("d", "0.30000000000000004", 0.3),
    "a text": ("w", '"two"', "two"),
    "NaN": ("x", "NaN", REFUSED),
    "1e400": ("x", "1e400", REFUSED),
    "a negative number": ("m", "-0.5", -0.5),
    "2^53 + 1": ("k", str(LARGE), LARGE),
    "null": ("x", "null", REFUSED),
}


def asked_spec(parameters, trials=1, **more):
    return {"name": "values", "objective": {"metric": "value", "goal": "maximize"},
            "trainer": {"name": "ask"}, "parameters": parameters,
            "search": {"method": "random", "trials": trials}, "terminator": {"rule": "none"},
            **more}


def asked(server, sweep):
    return server.post(f"/v1/sweeps/{sweep}/ask", {"asker": str(uuid.uuid4())})


def value_of(server, sweep, name, trial=0):
    """What the program of that trial gets; what `hone ls trials` shows is the same."""
    given = [asked(server, sweep) for _ in range(trial + 1)][trial]
    stored = server.get(f"/v1/trials/{given['trial']}")["params"]
    assert stored == given["params"] and isinstance(stored[name], type(given["params"][name]))
    return given["params"][name]


def only_domain(name, word):
    """A parameter whose only value (d: whose last one) is the word."""
    domain = SPACE[name]
    if "values" in domain:
        return f'{{"values": [{word}]}}'
    if domain["type"] == "bool":
        return f'{{"value": {word}}}'
    if "step" in domain:
        return f'{{"type": "float", "min": 0.2, "max": {word}, "step": 0.1}}'
    return f'{{"type": "{domain["type"]}", "min": {word}, "max": {word}}}'


def submitted(server, tmp_path, name, text, *words):
    (tmp_path / "sweep.yaml").write_text(text)
    trials = 2 if "step" in SPACE[name] else 1
    done = hone("submit", str(tmp_path / "sweep.yaml"), "-q", *words, server=server)
    if done.returncode:
        assert done.returncode == 2, done.stderr
        return REFUSED
    return value_of(server, done.stdout.strip(), name, trials - 1)


def sweep_text(name, parameter):
    trials = 2 if "step" in SPACE[name] else 1
    spec = asked_spec({}, trials, search={"method": "grid", "trials": trials, "points": 1}
                      if trials == 1 else {"method": "grid", "trials": trials})
    del spec["parameters"]
    return json.dumps(spec)[:-1] + f', "parameters": {{"{name}": {parameter}}}}}'


def by_sweep_file(server, tmp_path, name, word):
    word = {"NaN": ".nan"}.get(word, word)  # as YAML writes it
    return submitted(server, tmp_path, name, sweep_text(name, only_domain(name, word)))


def by_set(server, tmp_path, name, word):
    domain = only_domain(name, word)
    return submitted(server, tmp_path, name, sweep_text(name, '{"type": "bool"}'),
                     "--set", f"parameters.{name}={domain.replace('NaN', '.nan')}")


def enqueued(server, name, enqueue):
    """`enqueue` returns whether the server of a new sweep took the set."""
    sweep = server.submit(asked_spec(SPACE))
    return value_of(server, sweep, name) if enqueue(sweep) else REFUSED


def took(done):
    assert done.returncode in (0, 2), done.stderr
    return done.returncode == 0


def by_params(server, tmp_path, name, word):
    return enqueued(server, name, lambda sweep: took(hone(
        "enqueue", sweep, "--params", f"{name}={word.strip(chr(34))}", server=server)))


def by_sets_file(server, tmp_path, name, word):
    (tmp_path / "sets.json").write_text(f'[{{"{name}": {word}}}]')
    return enqueued(server, name, lambda sweep: took(hone(
        "enqueue", sweep, "--file", str(tmp_path / "sets.json"), server=server)))


def by_http(server, tmp_path, name, word):
    def enqueue(sweep):
        answer = server.ask("POST", f"/v1/sweeps/{sweep}/enqueue",
                            f'{{"request_id": "{sweep}", "params": {{"{name}": {word}}}}}')
        assert answer.status in (200, 201, 400), answer
        return answer.status != 400
    return enqueued(server, name, enqueue)


PYTHON = """
import json, sys
import hone
value = {"NaN": float("nan"), "1e400": float("1e400")}.get(sys.argv[4])
value = json.loads(sys.argv[4]) if value is None else value
try:
    hone.Client(sys.argv[1]).enqueue(sys.argv[2], {sys.argv[3]: value})
except (hone.HoneError, ValueError) as error:
    sys.exit(2)
"""


def by_python(server, tmp_path, name, word):
    url = f"http://127.0.0.1:{server.port}"
    return enqueued(server, name, lambda sweep: took(subprocess.run(
        [sys.executable, "-c", PYTHON, url, sweep, name, word], capture_output=True, text=True,
        env={"PYTHONPATH": str(ROOT / "sdk" / "python"), "PATH": "/usr/bin:/bin"}, timeout=60)))


def by_picker(server, tmp_path, name, word):
    """The client of C++: `hone ask --program` decodes a line and enqueues it."""
    rest = {one: domain.get("values", [True])[0] if "min" not in domain else domain["min"]
            for one, domain in SPACE.items() if one != name}
    line = f'{{"params": {{"{name}": {word}, {json.dumps(rest)[1:-1]}}}}}'
    (tmp_path / "pick.py").write_text(f"input()\nprint({line!r}, flush=True)\ninput()\n")
    sweep = server.submit(asked_spec(SPACE, search={"method": "external", "trials": 1}))
    picker = subprocess.Popen(
        [program("hone"), "picker", sweep, "--server", f"http://127.0.0.1:{server.port}", "--",
         sys.executable, str(tmp_path / "pick.py")],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        if picker.stdout.readline():  # the set that it enqueued
            return value_of(server, sweep, name)
        picker.communicate(timeout=60)
        assert picker.returncode == 2 or picker.returncode == 1
        return REFUSED
    finally:
        picker.kill()
        picker.communicate()


def optuna_line(op, **fields):
    return json.dumps({"op_code": op, "worker_id": "w", **fields})


def by_import(server, tmp_path, name, word):
    """A study of Optuna: its journal has numbers, and the index of a category."""
    domain = dict(SPACE[name])
    choices = domain.get("values", [False, True] if domain.get("type") == "bool" else None)
    if choices is not None:
        value = json.loads(word)
        distribution = {"name": "CategoricalDistribution", "attributes": {"choices": choices}}
        word = str(next(i for i, one in enumerate(choices) if one == value))
    else:
        kind = "Int" if domain["type"] == "int" else "Float"
        step = domain.get("step", 1 if kind == "Int" else None)
        distribution = {"name": f"{kind}Distribution", "attributes": {
            "low": domain["min"], "high": domain["max"], "step": step, "log": False}}
    at = "2026-11-21T10:00:0{}.000000+00:00"
    lines = [optuna_line(0, study_name="s", directions=[2]),
             optuna_line(4, study_id=0, datetime_start=at.format(0)),
             optuna_line(5, trial_id=0, param_name=name, param_value_internal=0,
                         distribution=json.dumps(distribution)).replace(
                             '"param_value_internal": 0', f'"param_value_internal": {word}'),
             optuna_line(6, trial_id=0, state=1, values=[1.0], datetime_complete=at.format(1))]
    (tmp_path / "study.log").write_text("\n".join(lines) + "\n")
    done = hone("import", "optuna", str(tmp_path / "study.log"), server=server)
    if not took(done):
        return REFUSED
    trial = server.get(f"/v1/sweeps/{done.stdout.strip()}/trials")["items"][0]
    return trial["params"].get(name, REFUSED)


def by_warm_start(server, tmp_path, name, word):
    """From a sweep whose parameter is of the given kind: the new sweep uses its trial, or no sweep
    can hold the value."""
    value = {"NaN": math.nan, "1e400": math.inf}.get(word)
    value = json.loads(word) if value is None else value
    if value is None or isinstance(value, float) and not math.isfinite(value):
        return REFUSED
    sweep = server.submit(asked_spec({name: {"values": [value]}}))
    trial = asked(server, sweep)["trial"]
    server.post(f"/v1/trials/{trial}/tell", {"value": 1})
    text = json.dumps(asked_spec({name: SPACE[name]}, trials=3, search={
        "method": "tpe", "trials": 3, "warm_start": [sweep]}))
    (tmp_path / "later.yaml").write_text(text)
    done = hone("submit", str(tmp_path / "later.yaml"), server=server)
    assert f"learned from 1 of 1 trial of {sweep}" in done.stderr, done.stderr
    return KINDS_BY_WORD[name, word]


KINDS_BY_WORD = {(name, word): stored for name, word, stored in KINDS.values()}
WAYS = [by_sweep_file, by_set, by_params, by_sets_file, by_http, by_python, by_picker, by_import,
        by_warm_start]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_every_kind_of_value_is_taken_alike(shared_server, tmp_path, way):
    for kind, (name, word, stored) in KINDS.items():
        got = way(shared_server, tmp_path, name, word)
        assert got == stored, f"{kind} {way.__name__}: {got!r}"
        if "values" not in SPACE[name]:  # a choice is passed as the sweep file writes it
            assert type(got) is type(stored), f"{kind} {way.__name__}: {got!r}"


def test_a_refusal_names_the_domain_and_the_nearest_member(shared_server):
    sweep = shared_server.submit(asked_spec(SPACE))
    for words, said in (("d=0.34", "0.34 is not in [0.2, 0.9] in steps of 0.1; the nearest value "
                                   "is 0.3"),
                        ("n=3.5", "3.5 is not in the whole numbers of [1, 9]"),
                        ("m=3", "3 is not in [-2, 2]; the nearest value is 2")):
        done = hone("enqueue", sweep, "--params", words, server=shared_server)
        assert done.returncode == 2 and said in done.stderr, done.stderr


def test_a_condition_on_0_3_never_held(shared_server):
    parameters = {"d": {"type": "float", "min": 0, "max": 1, "step": 0.1}}
    for name, when in (("y", "d == 0.3"), ("z", "d in [0.6, 0.7]"), ("u", "d <= 0.3")):
        parameters[name] = {"type": "float", "min": 0, "max": 1, "when": when}
    sweep = shared_server.submit(asked_spec(
        parameters, search={"method": "grid", "trials": 11, "points": 1}))
    active = {}
    for _ in range(11):
        params = asked(shared_server, sweep)["params"]
        active[params["d"]] = sorted(params.keys() - {"d"})
    assert active == {0.0: ["u"], 0.1: ["u"], 0.2: ["u"], 0.3: ["u", "y"], 0.4: [], 0.5: [],
                      0.6: ["z"], 0.7: ["z"], 0.8: [], 0.9: [], 1.0: []}
    for where, count in (("params.d = 0.3", 1), ("params.d <= 0.3", 4), ("params.d < 0.3", 3),
                         ("params.d != 0.3", 10), ("params.d in (0.6, 0.7)", 2)):
        found = ok("find", f"trial where sweep = {sweep} and {where}", "--format", "jsonl",
                   server=shared_server)
        assert len(found.splitlines()) == count, (where, found)


def test_find_saw_no_0_3_among_values_of_earlier_versions(shared_server):
    sweep = shared_server.submit(asked_spec({"d": {"values": [0.30000000000000004]}}))
    asked(shared_server, sweep)
    for where in ("params.d = 0.3", "params.d >= 0.3", "params.d <= 0.3"):
        assert ok("find", f"trial where sweep = {sweep} and {where}", "--format", "jsonl",
                  server=shared_server), where


def test_parameters_named_as_columns_replaced_them_in_csv(shared_server):
    sweep = shared_server.submit(asked_spec({
        "value": {"type": "float", "min": 0, "max": 1}, "state": {"values": ["on", "off"]},
        "seeds": {"type": "int", "min": 1, "max": 4}, "id": {"type": "int", "min": 1, "max": 4},
        "trial": {"value": 7}, "rate": {"value": 0.5}}))
    given = asked(shared_server, sweep)
    shared_server.post(f"/v1/trials/{given['trial']}/tell", {"value": 42})
    for command in (("trials", sweep), ("best", sweep), ("export", sweep), ("runs", sweep)):
        rows = list(csv.reader(io.StringIO(ok(*command, "--format", "csv", server=shared_server))))
        assert len(set(rows[0])) == len(rows[0]), rows[0]
        row = dict(zip(*rows))
        assert row.get("value", "42") in ("42", "42.0") and row.get("rate", "0.5") == "0.5", row
        if "params.value" in row:
            assert row["params.value"] == json.dumps(given["params"]["value"])


def test_dashes_were_minus_signs_in_conditions(shared_server):
    parameters = {
        "batch-size": {"type": "int", "min": 1, "max": 9},
        "optimizer.lr": {"type": "float", "min": 0.1, "max": 0.9, "when": "batch-size > 4"},
        "extra": {"type": "int", "min": 1, "max": 2, "when": "`batch-size` <= 4"}}
    sweep = shared_server.submit(asked_spec(parameters, trials=8))
    for _ in range(8):
        params = asked(shared_server, sweep)["params"]
        assert ("optimizer.lr" in params) == (params["batch-size"] > 4)
        assert ("extra" in params) == (params["batch-size"] <= 4)


def test_plan_remarks_what_is_probably_not_meant(shared_server, tmp_path):
    spec = asked_spec({"on": {"type": "float", "min": 0, "max": 1, "step": 1},
                       "flag": {"values": [True, "true"]}}, trials=10)
    (tmp_path / "sweep.yaml").write_text(json.dumps(spec))
    plan = json.loads(ok("plan", str(tmp_path / "sweep.yaml"), "--format", "json",
                         server=shared_server))["plan"]
    assert plan["remarks"][0] == ("the values true and \"true\" of 'flag' are one word for a "
                                  "program: write one of them otherwise")
    assert plan["remarks"][1].startswith("10 trials of 4 parameter sets: sets are trained several")
    done = hone("submit", str(tmp_path / "sweep.yaml"), server=shared_server)
    assert all(remark in done.stderr for remark in plan["remarks"]), done.stderr


def test_a_warm_start_of_which_no_trial_fits_is_refused(shared_server, tmp_path):
    source = shared_server.submit(asked_spec({"x": {"type": "float", "min": 0, "max": 1}}, 2))
    for _ in range(2):
        trial = asked(shared_server, source)["trial"]
        shared_server.post(f"/v1/trials/{trial}/tell", {"value": 1})
    search = {"method": "tpe", "trials": 3, "warm_start": [source]}
    wide = asked_spec({"x": {"type": "float", "min": 0, "max": 5}}, search=search)
    (tmp_path / "sweep.yaml").write_text(json.dumps(wide))
    plan = json.loads(ok("plan", str(tmp_path / "sweep.yaml"), "--format", "json",
                         server=shared_server))["plan"]
    said = f"2 of 2 trials with a value of {source} lie in the space"
    assert plan["remarks"] == [f"warm start: {said}"]
    sweep = ok("submit", str(tmp_path / "sweep.yaml"), "-q", server=shared_server).strip()
    assert f"from 2 of 2 trials of {source}" in ok("show", sweep, server=shared_server)
    assert shared_server.get(f"/v1/sweeps/{sweep}")["learned"] == [
        {"sweep": source, "used": 2, "trials": 2}]
    more = hone("edit", source, "--trials", "4", server=shared_server)
    assert said in more.stderr, more.stderr
    for space, why in (({"x": {"type": "float", "min": 2, "max": 5}}, "is not in [2, 5]"),
                       ({"x": {"type": "float", "min": 0, "max": 5}, "y": {"type": "bool"}},
                        "'y' has no value")):
        (tmp_path / "sweep.yaml").write_text(json.dumps(asked_spec(space, search=search)))
        done = hone("submit", str(tmp_path / "sweep.yaml"), server=shared_server)
        assert done.returncode == 2 and why in done.stderr, done.stderr
        assert f"0 of 2 trials of {source} lie in this space" in done.stderr
    other = {**wide, "objective": {"metric": "loss", "goal": "minimize"}}
    (tmp_path / "sweep.yaml").write_text(json.dumps(other))
    done = hone("submit", str(tmp_path / "sweep.yaml"), server=shared_server)
    assert "(maximize 'value') than this sweep (minimize 'loss')" in done.stderr, done.stderr


def test_best_ranked_a_trial_whose_second_objective_diverged_without_a_mark(shared_server):
    spec = asked_spec({"x": {"type": "float", "min": 0, "max": 1}}, trials=2)
    del spec["objective"]
    spec["objectives"] = [{"metric": "score", "goal": "maximize"},
                          {"metric": "loss", "goal": "minimize"}]
    sweep = shared_server.submit(spec)
    trials = [asked(shared_server, sweep)["trial"] for _ in range(2)]
    shared_server.post(f"/v1/trials/{trials[0]}/tell", {"value": 9, "further": ["diverged"]})
    shared_server.post(f"/v1/trials/{trials[1]}/tell", {"value": 5, "further": [0.5]})
    items = shared_server.get(f"/v1/sweeps/{sweep}/best")["items"]
    assert [item["further"] for item in items] == [{"loss": "diverged"}, {"loss": 0.5}]
    done = hone("best", sweep, server=shared_server)
    assert f"loss of {trials[0]} diverged, and hone best {sweep} --pareto" in done.stderr
    assert "diverged" in done.stdout.splitlines()[1], done.stdout
