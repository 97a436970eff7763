"""`hone import optuna`: storages and journals with all their trials."""
import json
import pathlib
import sqlite3
import subprocess
import time

import pytest

from commands import hone, ok, write_spec
from conftest import sweep_spec
from test_python_libraries import SUITES, python_with

FLOAT = ('{"name": "FloatDistribution", "attributes": '
         '{"step": null, "low": 0.0, "high": 1.0, "log": false}}')
KIND = '{"name": "CategoricalDistribution", "attributes": {"choices": ["a", null, true]}}'


def line(op, **fields):
    return json.dumps({"op_code": op, "worker_id": "w", **fields})


def journal():
    """Two studies; the first has every state, a NaN, a second value for a step and an attribute."""
    lines = [line(0, study_name="first", directions=[1]),
             line(0, study_name="other", directions=[2])]
    at = "2026-11-21T10:00:0{}.000000+00:00"
    for number, (x, state, value) in enumerate([(0.5, 1, 2.5), (0.25, 2, None), (0.75, 3, None),
                                                (0.125, 1, 1.5), (1.0, 0, None)]):
        lines.append(line(4, study_id=0, datetime_start=at.format(number)))
        lines.append(line(5, trial_id=number, param_name="x", param_value_internal=x,
                          distribution=FLOAT))
        if number != 2:
            lines.append(line(5, trial_id=number, param_name="kind/of",
                              param_value_internal=number % 3, distribution=KIND))
        lines.append(line(7, trial_id=number, step=3, intermediate_value=9.0))
        lines.append(line(7, trial_id=number, step=3, intermediate_value=x * 10))
        lines.append(line(7, trial_id=number, step=1, intermediate_value=float("nan")))
        if state != 0:
            lines.append(line(6, trial_id=number, state=state,
                              values=None if value is None else [value],
                              datetime_complete=at.format(number + 4)))
    lines.append(line(8, trial_id=0, user_attr={"note": "say \"NaN\" \\ twice"}))
    return "\n".join(lines) + "\n"


def test_a_journal_brings_every_trial_with_its_state(server, tmp_path):
    file = tmp_path / "study.log"
    file.write_text(journal())
    done = hone("import", "optuna", file, "--study", "first", server=server)
    assert done.returncode == 0, done.stderr
    sweep = done.stdout.strip()
    trials = server.get(f"/v1/sweeps/{sweep}/trials?sort=number")["items"]
    assert [trial["state"] for trial in trials] == \
        ["completed", "stopped", "failed", "completed", "canceled"]
    # The curve of every trial is the phases of its run, and a complete one ends with its value.
    assert [trial["value"] for trial in trials] == [2.5, 2.5, 7.5, 1.5, 10]
    assert [trial["phase"] for trial in trials] == [2, 1, 1, 2, 1]
    assert [trial["params"] for trial in trials] == [
        {"x": 0.5, "kind_of": "a"}, {"x": 0.25, "kind_of": None}, {"x": 0.75},
        {"x": 0.125, "kind_of": "a"}, {"x": 1.0, "kind_of": None}]
    best = server.get(f"/v1/sweeps/{sweep}/best")["items"][0]
    assert (best["value"], best["params"]["x"]) == (1.5, 0.125)
    metrics = server.get("/v1/runs/rn_1.0/metrics?name=intermediate_value")["items"]
    assert [(point["step"], point["value"]) for point in metrics] == [(3, 5.0)]
    for what in ("1 running trials are canceled",
                 "5 intermediate values are not finite", "1 attributes of trials",
                 "was called 'kind/of'"):
        assert what in done.stderr, done.stderr
    # The same file again is the same sweep; its trials warm a new one.
    assert ok("import", "optuna", file, "--study", "first", server=server).strip() == sweep
    path = write_spec(tmp_path, command=None, trainer={"name": "ask"},
                      search={"method": "tpe", "trials": 3, "warm_start": [sweep]},
                      parameters={"x": {"type": "float", "min": 0, "max": 1}},
                      objective={"metric": "value", "goal": "minimize"})
    ok("submit", path, server=server)


def test_a_running_study_became_a_completed_sweep(server, tmp_path):
    file = tmp_path / "study.log"
    file.write_text(journal())
    done = hone("import", "optuna", file, "--study", "first", server=server)
    assert "the study had not ended: its sweep is a canceled one" in done.stderr
    assert server.get(f"/v1/sweeps/{done.stdout.strip()}")["state"] == "canceled"


def conditional_study(trials=120, curves=True):
    """A program that asks for `clip` with ppo alone and for `tau` with sac alone; trials that are
    poor after two of four epochs are pruned."""
    lines = [line(0, study_name="rl", directions=[2])]
    at = "2026-11-21T10:{:02}:{:02}.000000+00:00"
    algos = json.dumps({"name": "CategoricalDistribution",
                        "attributes": {"choices": ["ppo", "sac"]}})
    for number in range(trials):
        unit = (number * 0.618034) % 1
        algo = number % 2
        quality = 100 * (1 - abs(unit - 0.3)) + 50 * algo
        start = at.format(number // 60, number % 60)
        lines.append(line(4, study_id=0, datetime_start=start))
        for name, value, kind in (("algo", algo, algos), ("lr", unit, FLOAT),
                                  ("tau" if algo else "clip", 1 - unit, FLOAT)):
            lines.append(line(5, trial_id=number, param_name=name, param_value_internal=value,
                              distribution=kind))
        pruned = quality < 120
        for epoch in range(2 if pruned else 4) if curves else ():
            lines.append(line(7, trial_id=number, step=10 * (epoch + 1),
                              intermediate_value=quality * (epoch + 1) / 4))
        lines.append(line(6, trial_id=number, state=2 if pruned else 1,
                          values=None if pruned else [quality], datetime_complete=start))
    return "\n".join(lines) + "\n"


def test_conditions_of_a_study_are_inferred_so_that_searches_learn_from_it(server, tmp_path):
    """All trials of a study with conditional parameters were outside the space, in silence."""
    file = tmp_path / "study.log"
    file.write_text(conditional_study())
    done = hone("import", "optuna", file, server=server)
    assert done.returncode == 0, done.stderr
    assert "120 of 120 trials lie in the space" in done.stderr
    assert 'clip: inferred from the trials: when: algo == "ppo"' in done.stderr
    sweep = done.stdout.strip()
    spec = server.get(f"/v1/sweeps/{sweep}")["spec"]
    assert spec["parameters"]["tau"]["when"] == 'algo == "sac"'
    assert (spec["budget"]["per_run"], spec["budget"]["phases"]) == (40, 4)
    pruned = server.get(f"/v1/sweeps/{sweep}/trials?sort=number")["items"][0]
    assert (pruned["state"], pruned["phase"]) == ("stopped", 2) and pruned["value"] > 0
    assert "algo" in ok("importance", sweep, server=server)
    path = write_spec(tmp_path, command=None, trainer={"name": "ask"},
                      search={"method": "tpe", "trials": 3, "warm_start": [sweep]},
                      parameters=spec["parameters"], budget=spec["budget"],
                      objective={"metric": "value", "goal": "maximize"})
    new = ok("submit", path, server=server).strip()
    assert "120 of 120 trials" in ok("show", new, server=server)


def test_a_trial_that_was_pruned_without_a_report_teaches_nothing(server, tmp_path):
    """It counted as a failure, although samplers prune near the optimum too."""
    file = tmp_path / "study.log"
    file.write_text(conditional_study(80, curves=False))
    sweep = ok("import", "optuna", file, server=server).strip()
    trials = server.get(f"/v1/sweeps/{sweep}/trials?sort=number")["items"]
    assert {trial["reason"] for trial in trials if trial["state"] == "stopped"} == {"user_stop"}
    complete = sum(trial["state"] == "completed" for trial in trials)
    spec = server.get(f"/v1/sweeps/{sweep}")["spec"]
    path = write_spec(tmp_path, command=None, trainer={"name": "ask"},
                      search={"method": "tpe", "trials": 3, "warm_start": [sweep]},
                      parameters=spec["parameters"], budget=None,
                      objective={"metric": "value", "goal": "maximize"})
    new = ok("submit", path, server=server).strip()
    assert f"{complete} of {complete} trials" in ok("show", new, server=server)


def test_several_studies_need_a_name_and_damage_is_named(server, tmp_path):
    file = tmp_path / "study.log"
    file.write_text(journal())
    for words, said in (([], "choose one with --study: 'first', 'other'"),
                        (["--study", "none"], "has no study 'none'"),
                        (["--study", "other"], "no trial of the study has parameters")):
        refused = hone("import", "optuna", file, *words, server=server)
        assert refused.returncode == 2 and said in refused.stderr, refused.stderr
    whole = journal().splitlines()
    file.write_text("\n".join([*whole, '{"op_code": 7, "tri']))  # cut off, as after a crash
    ok("import", "optuna", file, "--study", "first", server=server)
    file.write_text("\n".join([whole[0], "{]", whole[2]]))
    refused = hone("import", "optuna", file, server=server)
    assert refused.returncode == 2 and "study.log: line 2:" in refused.stderr
    file.write_text(line(0, study_name="s", directions=[1]) + "\n" + line(6, trial_id=7, state=1))
    refused = hone("import", "optuna", file, server=server)
    assert "line 2: changes a trial that is not there" in refused.stderr


def test_a_sweep_that_was_exported_comes_back(server, tmp_path):
    """Through a storage as Optuna would write it: values, parameters and the order."""
    sweep = server.submit(sweep_spec(command=None, trainer={"name": "ask"}, budget=None))
    for number in range(4):
        asked = server.post(f"/v1/sweeps/{sweep}/ask", {"asker": "me"})
        server.post(f"/v1/trials/{asked['trial']}/tell", {"value": number / 7})
    file = tmp_path / "study.db"
    ok("export", sweep, "--optuna", file, server=server)
    back = ok("import", "optuna", file, server=server).strip()

    def rows(name):
        return [(trial["params"], trial["value"]) for trial in
                server.get(f"/v1/sweeps/{name}/trials?sort=number")["items"]]

    assert rows(back) == rows(sweep)
    row = server.get(f"/v1/sweeps/{back}")
    assert row["state"] == "completed" and row["objective"]["goal"] == "maximize"


def test_a_foreign_database_is_refused(server, tmp_path):
    file = tmp_path / "other.db"
    with sqlite3.connect(file) as db:
        db.execute("CREATE TABLE studies (study_id INTEGER, study_name TEXT)")
        db.execute("INSERT INTO studies VALUES (1, 'x')")
    refused = hone("import", "optuna", file, server=server)
    assert refused.returncode == 2 and "is no storage of Optuna" in refused.stderr
    file.write_bytes(b"SQLite format 3\0" + bytes(5000))
    refused = hone("import", "optuna", file, server=server)
    assert refused.returncode == 2 and "other.db" in refused.stderr


@pytest.fixture
def storage(server, tmp_path):
    """The storage of a study with four trials."""
    sweep = server.submit(sweep_spec(command=None, trainer={"name": "ask"}, budget=None))
    for number in range(4):
        asked = server.post(f"/v1/sweeps/{sweep}/ask", {"asker": "me"})
        server.post(f"/v1/trials/{asked['trial']}/tell", {"value": number / 7})
    file = tmp_path / "study.db"
    ok("export", sweep, "--optuna", file, server=server)
    return file


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT"
STRANGE_TABLES = [
    ("studies", f"CREATE VIEW studies AS {ENDLESS} i AS study_id, 'x' AS study_name FROM n"),
    ("trial_params", f"CREATE VIEW trial_params AS {ENDLESS} i AS param_id, 1 AS trial_id, "
                     "'x' AS param_name, 1.0 AS param_value, '{}' AS distribution_json FROM n"),
    ("studies", "CREATE TABLE studies (study_id INTEGER, "
                "study_name TEXT AS (hex(zeroblob(400000000 + study_id))))"),
]


@pytest.mark.parametrize("name, made", STRANGE_TABLES)
def test_a_storage_of_a_stranger_was_read_without_an_end(server, storage, name, made):
    with sqlite3.connect(storage) as db:
        db.execute(f"ALTER TABLE {name} RENAME TO before")
        db.execute(made)
        if "VIEW" not in made:
            db.execute(f"INSERT INTO {name} (study_id) VALUES (1)")
    refused = hone("import", "optuna", storage, server=server, timeout=20)
    assert refused.returncode == 2 and f"no plain table {name}" in refused.stderr, refused


@pytest.mark.parametrize("distribution", [
    "7", "[]", "{}", '{"name": "FloatDistribution"}', '{"name": 7, "attributes": {}}',
    '{"name": "FloatDistribution", "attributes": 7}',
    '{"name": "FloatDistribution", "attributes": {"low": 0}}',
    '{"name": "FloatDistribution", "attributes": {"low": 0, "high": "x"}}',
    '{"name": "CategoricalDistribution", "attributes": {"choices": {"a": 1}}}',
    '{"name": "CategoricalDistribution", "attributes": {"choices": 7}}'])
@pytest.mark.parametrize("where", ["param_id = 1", "param_id > 2", "1"])
def test_a_distribution_without_its_members_was_read_beyond_its_end(server, storage, distribution,
                                                                    where):
    with sqlite3.connect(storage) as db:
        db.execute(f"UPDATE trial_params SET distribution_json = ? WHERE {where}", (distribution,))
    read = hone("import", "optuna", storage, server=server)
    assert read.returncode in (0, 2) and "json.exception" not in read.stderr, read


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), 1e300, -1e300, "x", b"\0", None])
def test_a_category_without_a_place_was_converted(server, tmp_path, value):
    file = tmp_path / "study.log"
    file.write_text(journal())
    ok("import", "optuna", file, "--study", "first", server=server)
    lines = [json.loads(text) for text in file.read_text().splitlines()]
    for one in lines:
        if one.get("param_name") == "kind/of":
            one["param_value_internal"] = value if not isinstance(value, bytes) else "b"
    file.write_text("\n".join(map(json.dumps, lines)))
    read = hone("import", "optuna", file, "--study", "first", server=server)
    assert read.returncode in (0, 2) and "json.exception" not in read.stderr, read


@pytest.mark.parametrize("kind", ["storage", "journal"])
def test_ten_thousand_trials_of_optuna_itself(server, tmp_path, kind):
    python = python_with("optuna", "sqlalchemy")
    file = tmp_path / f"study.{kind}"
    done = subprocess.run([python, SUITES / "optuna_write.py", kind, file, "10000"],
                          capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stderr
    theirs = json.loads(done.stdout)
    began = time.monotonic()
    sweep = ok("import", "optuna", file, server=server, timeout=120).strip()
    print(f"{kind}: {time.monotonic() - began:.1f} s for 10,000 trials")
    best = server.get(f"/v1/sweeps/{sweep}/best?limit=1")["items"][0]
    assert best["value"] == theirs["best_value"]
    assert best["number"] == theirs["best_number"]
    assert best["params"] == theirs["best_params"]
    states = server.get(f"/v1/sweeps/{sweep}")["runs"]
    assert {name: states[name] for name in ("completed", "stopped", "failed")} == theirs["states"]
    assert pathlib.Path(file).stat().st_size > 1_000_000
