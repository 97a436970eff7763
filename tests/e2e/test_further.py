"""The further objectives of a sweep wherever metrics and values are shown. Most commands did not
know a second objective, which was stored in another place than the metrics."""
import csv
import io
import json
import re
import sqlite3

import pytest

from commands import hone, ok
from conftest import ROOT, sweep_spec
from python_client import hone as sdk

PHASES = 3
# The third one is called as a column of every table.
GOALS = {"ret": "maximize", "cost": "minimize", "state": "minimize"}
SPEC = sweep_spec(objective=None, search={"method": "random", "trials": 4},
                  objectives=[{"metric": name, "goal": goal} for name, goal in GOALS.items()],
                  budget={"unit": "epochs", "per_run": PHASES, "phases": PHASES},
                  terminator={"rule": "none"})
COLUMN = {"cost": "cost", "state": "further.state"}


def value(trial, phase, metric):
    number = int(trial.split("_")[1])
    return {"ret": 10.5 * number + phase, "cost": 100.25 - number * number + phase / 8,
            "state": 1e-7 * number + phase}[metric]


class Trained:
    """A sweep with reports of three objectives: {(trial, phase): {metric: value}}."""

    def __init__(self, server):
        self.server = server
        self.sweep = server.submit(SPEC)
        self.values = {}
        worker = server.join()
        while grant := server.acquire(worker):
            trial = trial_of(grant["attempt"])
            for phase in range(PHASES):
                self.values[trial, phase] = {name: value(trial, phase, name) for name in GOALS}
                first, *further = self.values[trial, phase].values()
                server.post(f"/v1/leases/{grant['lease']}/reports",
                            {"phase": phase, "step": phase + 1, "value": first,
                             "further": further})


    def last(self, metric):
        return {trial: values[metric] for (trial, phase), values in self.values.items()
                if phase == PHASES - 1}

    def table(self, *words):
        return list(csv.DictReader(io.StringIO(ok(*words, "--format", "csv",
                                                  server=self.server))))


@pytest.fixture(scope="module")
def trained(shared_server):
    return Trained(shared_server)


def trial_of(text):
    return text.split(".")[0].replace("rn_", "tr_")


# The door, and the column with the id of the trial or run of a row: rows of trials and runs.
ROWS = {"trials": (("trials", "{sweep}"), "id"), "runs": (("runs", "{sweep}"), "id"),
        "best": (("best", "{sweep}"), "trial"),
        "find_trials": (("find", "trial where sweep = {sweep}"), "id"),
        "find_runs": (("find", "run where sweep = {sweep}"), "id")}


@pytest.mark.parametrize("metric", COLUMN)
@pytest.mark.parametrize("door", ROWS)
def test_rows_have_a_column_for_each_objective(trained, door, metric):
    words, key = ROWS[door]
    words = [word.format(sweep=trained.sweep) for word in words]
    rows = trained.table(*words)
    assert {trial_of(row[key]): float(row[COLUMN[metric]]) for row in rows} == trained.last(metric)
    chosen = trained.table(*words, "--columns", f"{key},{COLUMN[metric]}")
    assert {trial_of(row[key]): float(row[COLUMN[metric]]) for row in chosen} == \
        trained.last(metric)
    listed = json.loads(ok(*words, "--format", "json", server=trained.server))
    assert all(row["further"][metric] == trained.last(metric)[trial_of(row["id"])]
               for row in listed)
    assert metric in ok(*words, server=trained.server, COLUMNS="200")


# Rows of reports. Phases count from 1 but in the replies of the API.
REPORTS = {"export": (("export", "{sweep}"), 1),
           "export_metrics": (("export", "{sweep}", "--metrics"), 1),
           "find_reports": (("find", "report where sweep = {sweep}", "-n", "99"), 0)}


@pytest.mark.parametrize("metric", COLUMN)
@pytest.mark.parametrize("door", REPORTS)
def test_reports_have_a_column_for_each_objective(trained, door, metric):
    words, first = REPORTS[door]
    words = [word.format(sweep=trained.sweep) for word in words]
    wanted = {key: values[metric] for key, values in trained.values.items()}
    column = COLUMN[metric] if first or metric == "cost" else metric
    assert {(trial_of(row["run"]), int(row["phase"]) - 1): float(row[column])
            for row in trained.table(*words)} == wanted
    lines = ok(*words, "--format", "jsonl", server=trained.server).splitlines()
    assert {(trial_of(row["run"]), row["phase"] - first): row["further"][metric]
            for row in map(json.loads, lines)} == wanted


@pytest.mark.parametrize("metric", COLUMN)
def test_a_curve_is_drawn_of_each_objective(trained, metric):
    wanted = [values[metric] for (trial, _), values in trained.values.items() if trial == "tr_2"]
    rows = trained.table("curve", "rn_2.0", "--metric", metric)
    assert [float(row["value"]) for row in rows] == wanted
    assert [int(row["step"]) for row in rows] == [1, 2, 3]
    both = trained.table("curve", "rn_2.0")
    assert [float(row["cost"]) for row in both] == [values["cost"] for (trial, _), values
                                                    in trained.values.items() if trial == "tr_2"]
    assert metric in ok("curve", trained.sweep, "--metric", metric, server=trained.server)


@pytest.mark.parametrize("metric", GOALS)
@pytest.mark.parametrize("kind", ["trial", "run", "attempt", "report"])
def test_filters_compare_each_objective(trained, kind, metric):
    values = {key: one[metric] for key, one in trained.values.items()}
    if kind != "report":
        values = {(trial, PHASES - 1): last for trial, last in trained.last(metric).items()}
    for bar in sorted(set(values.values())):
        found = json.loads(ok("find", f"{kind} where metric.{metric} >= {bar!r} and sweep = "
                              f"{trained.sweep}", "-n", "99", "--format", "json",
                              server=trained.server))
        ids = sorted(trial_of((row.get("run") or row["id"]).split("#")[0]) for row in found)
        assert ids == sorted(trial for (trial, _), one in values.items() if one >= bar)


@pytest.mark.parametrize("metric", GOALS)
def test_trials_are_sorted_by_each_objective(trained, metric):
    last = trained.last(metric)
    rows = trained.table("trials", trained.sweep, "--sort", metric)
    assert [row["id"] for row in rows] == sorted(last, key=last.get,
                                                 reverse=GOALS[metric] == "maximize")


def test_an_unknown_key_names_the_objectives(trained):
    refused = hone("trials", trained.sweep, "--sort", "cots", server=trained.server)
    assert refused.returncode == 2, refused
    assert "(did you mean 'cost'?); there are number, value, ret, cost, state" in refused.stderr


@pytest.mark.parametrize("metric", COLUMN)
def test_metrics_of_a_run_list_each_objective(trained, metric):
    names = trained.server.get("/v1/runs/rn_1.0/metrics?fields=names")["items"]
    assert {"name": metric, "points": PHASES, "step": PHASES} in names
    found = trained.table("find", f"metric where name = {metric} and sweep = {trained.sweep}")
    assert {trial_of(row["run"]): float(row["value"]) for row in found} == trained.last(metric)


@pytest.mark.parametrize("metric", COLUMN)
def test_rows_of_python_have_a_column_for_each_objective(trained, metric):
    with sdk.Client(f"http://127.0.0.1:{trained.server.port}") as client:
        sweep = sdk.Sweep.open(trained.sweep, client)
        assert {row["id"]: row[COLUMN[metric]] for row in sweep.trials()} == trained.last(metric)
        column = COLUMN[metric] if metric == "cost" else metric
        assert {(row["trial"], row["phase"] - 1): row[column] for row in sweep.reports()} == \
            {key: values[metric] for key, values in trained.values.items()}
        frame = sweep.frame()
        assert COLUMN[metric] in (frame[0] if isinstance(frame, list) else frame.columns)


def test_a_study_for_optuna_has_every_objective(trained, tmp_path):
    ok("export", trained.sweep, "--optuna", tmp_path / "study.db", server=trained.server)
    with sqlite3.connect(tmp_path / "study.db") as study:
        assert study.execute("SELECT objective, direction FROM study_directions"
                             " ORDER BY objective").fetchall() == \
            list(enumerate(goal.upper() for goal in GOALS.values()))
        for objective, metric in enumerate(GOALS):
            values = study.execute("SELECT value FROM trial_values WHERE objective = ?"
                                   " ORDER BY trial_id", (objective,)).fetchall()
            assert [one for one, in values] == list(trained.last(metric).values())


def take_back(ledger, step):
    """Drops what a step of the schema added: the newest first, so that no index misses its column. A
    view that the step replaces becomes one that it can replace again."""
    views = re.findall(r"DROP VIEW (\w+)", step)
    for name in views:
        ledger.execute(f"DROP VIEW {name}")
    added = re.findall(r"CREATE (?:UNIQUE )?(INDEX|TABLE) (\w+)|"
                       r"ALTER TABLE (\w+) ADD COLUMN (\w+)", step)
    for kind, name, table, column in reversed(added):
        ledger.execute(f"DROP {kind} {name}" if kind else
                       f"ALTER TABLE {table} DROP COLUMN {column}")
    for name in views:
        ledger.execute(f"CREATE VIEW {name} AS SELECT 1")


def test_a_data_folder_of_an_older_hone_gets_the_points(server):
    """The step of the schema that writes them is taken back, as an older hone left the folder."""
    trained = Trained(server)
    server.stop()
    with sqlite3.connect(server.folder / "hone.db") as ledger:
        newest, = ledger.execute("SELECT max(version) FROM migration WHERE name ="
                                 " '0042_further_metrics'").fetchone()
        for table in ("metric_point", "metric_last"):
            ledger.execute(f"DELETE FROM {table}")
        later = ledger.execute("SELECT name FROM migration WHERE version > ? ORDER BY version DESC",
                               (newest,)).fetchall()
        for name, in later:
            take_back(ledger, (ROOT / "db" / "migrations" / f"{name}.sql").read_text())
        ledger.execute("DELETE FROM migration WHERE version >= ?", (newest,))
        ledger.execute(f"PRAGMA user_version = {newest - 1}")
    server.start()
    rows = trained.table("find", f"trial where metric.cost > 0 and sweep = {trained.sweep}")
    assert len(rows) == 4
