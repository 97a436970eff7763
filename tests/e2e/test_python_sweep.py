"""hone.Sweep: a Python function for every trial, ask and tell, results, notebooks."""
import importlib
import importlib.util
import os
import re
import signal
import subprocess
import sys

import pytest

from conftest import BIN, ROOT, program
from python_client import client, data, hone  # noqa: F401

SPACE = {"x": hone.Float(-2, 2), "k": [1, 2, 3], "width": 64}


def runs_of(sweep):
    return [run for trial in sweep.client.trials(sweep.id)
            for run in sweep.client.runs(trial["id"])]


def test_every_call_has_a_process_and_its_reports_arrive(client, tmp_path):
    sweep = hone.Sweep(SPACE, "score", trials=6, phases=3, terminator="none", client=client)

    def train(run):  # a closure: nothing is imported again
        with open(tmp_path / "pids", "a") as file:
            file.write(f"{os.getpid()}\n")
        assert hone.current() is run and run.params["width"] == 64
        for phase in run.phases():
            run.metric("loss", phase.end, step=phase.end)
            run.report(phase, phase.end - run.params["x"] ** 2)

    best = sweep.run(train, workers=3)
    pids = (tmp_path / "pids").read_text().split()
    assert len(set(pids)) == 6 and str(os.getpid()) not in pids
    assert sweep.state == "completed"
    rows = sweep.trials()
    assert [row["state"] for row in rows] == ["completed"] * 6
    assert best["id"] == max(rows, key=lambda row: row["value"])["id"]
    assert len(sweep.reports()) == 18
    front = sweep.best_by_cost()
    assert front[-1]["value"] == best["value"] and all(row["seconds"] > 0 for row in rows)
    assert [row["seconds"] for row in front] == sorted(row["seconds"] for row in front)
    assert sweep.best_by_cost(within=0) == []
    assert [point["value"] for point in client.metrics(best["run"], name="loss")] == [1, 2, 3]


def test_a_returned_value_is_the_report_of_the_only_phase(client):
    sweep = hone.Sweep({"x": hone.Int(1, 9)}, "loss", goal="minimize", trials=5, client=client)
    assert sweep.run(lambda run: (run.params["x"] - 3) ** 2, workers=2)["value"] == \
        min(row["value"] for row in sweep.trials())


def test_a_returned_tuple_holds_all_objectives(client):
    sweep = hone.Sweep({"x": hone.Float(0, 1)}, [{"metric": "a", "goal": "maximize"},
                                                 {"metric": "b", "goal": "minimize"}],
                       trials=3, client=client)
    sweep.run(lambda run: (run.params["x"], 1 - run.params["x"]))
    for item in client.get(f"/v1/sweeps/{sweep.id}/pareto")["items"]:
        assert item["values"]["a"] + item["values"]["b"] == pytest.approx(1)


def fail(how):
    if how == "raise":
        raise ValueError("no good")
    if how == "infeasible":
        raise hone.Infeasible("too wide")
    if how == "memory":
        raise MemoryError
    if how == "silent":
        return None
    if how == "early":
        return 1.0  # after none of two phases
    os.kill(os.getpid(), getattr(signal, how))


@pytest.mark.parametrize("how, failure, attempts, detail", [
    ("raise", "user_error", 1, "ValueError: no good"),
    ("infeasible", "infeasible", 1, "too wide"),
    ("silent", "user_error", 1, "the function returned"),
    ("early", "user_error", 1, "reported 0 of 2 phases"),
    ("memory", "oom", 2, "MemoryError"),
    ("SIGSEGV", "crash", 2, "SIGSEGV"),
    ("SIGBUS", "infra", 2, "SIGBUS"),
])
def test_a_failure_has_its_class(client, how, failure, attempts, detail):
    sweep = hone.Sweep({"x": [1]}, trials=1, phases=2, terminator="none", client=client,
                       limits={"max_retries": 1})
    assert sweep.run(lambda run: fail(how)) is None
    run, = runs_of(sweep)
    assert (run["failure"], run["attempts"]) == (failure, attempts), run
    assert detail.replace("reported 0", "value after 0") in run["detail"], run
    assert sweep.state == "failed"


def test_a_crashed_run_continues_from_its_checkpoint(client, tmp_path):
    sweep = hone.Sweep({"x": [1]}, trials=1, phases=4, terminator="none", client=client)

    def train(run):
        steps = int(open(run.resume.path).read()) if run.resume else 0
        for phase in run.phases():
            steps += phase.end - phase.start
            file = os.path.join(run.folder, "model")
            with open(file, "w") as out:
                out.write(str(steps))
            run.checkpoint(file, phase)
            run.report(phase, steps)
            if run.attempt == 1 and phase.number == 1:
                os.abort()

    assert sweep.run(train)["value"] == 4
    run, = runs_of(sweep)
    assert run["attempts"] == 2 and run["state"] == "completed"
    assert [row["value"] for row in sweep.reports()] == [1, 2, 3, 4]


def test_without_a_checkpoint_a_crashed_run_begins_again(client):
    """The function must not report phases of a model that it has not trained."""
    sweep = hone.Sweep({"x": hone.Float(0, 1)}, trials=1, phases=4, terminator="none",
                       client=client)

    def train(run):
        trained = 0
        for phase in run.phases():
            trained += 1
            run.report(phase, run.params["x"] + trained)
            if run.attempt == 1 and phase.number == 1:
                os.abort()

    sweep.run(train)
    trial, = sweep.trials()
    assert [row["value"] for row in sweep.reports()] == pytest.approx(
        [trial["params.x"] + trained for trained in (1, 2, 3, 4)])
    assert [run["attempts"] for run in runs_of(sweep)] == [2]


def test_a_run_without_a_checkpoint_is_not_paused(client):
    sweep = hone.Sweep({"x": hone.Float(0, 1)}, trials=8, phases=4, terminator="asha",
                       client=client)

    def train(run):
        for phase in run.phases():
            run.report(phase, run.params["x"] + phase.number)

    sweep.run(train)
    assert any(row["phase"] == 3 for row in sweep.reports())
    assert {run["attempts"] for run in runs_of(sweep)} == {1}


PROGRAM = """
import os, signal, sys, time
import hone
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
def train(run):
    os.write(1, f"{os.getpid()} {run.id}\\n".encode())  # one write: two runs print at once
    if sys.argv[2] == "sleep":
        time.sleep(600)
    return 1.0
client = hone.Client(sys.argv[1])
sweep = hone.Sweep.open(sys.argv[3], client=client)
sweep.run(train, workers=2)
"""


def start_program(client, sweep, how):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "sdk" / "python")}
    return subprocess.Popen([sys.executable, "-c", PROGRAM, client.url, how, sweep.id],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=environment)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_program_leaves_no_process_and_the_next_continues(client, number):
    sweep = hone.Sweep({"x": hone.Float(0, 1)}, trials=2, client=client)
    interrupted = start_program(client, hone.Sweep.open(sweep.id, client=client), "sleep")
    first = [interrupted.stdout.readline().split() for _ in range(2)]
    interrupted.send_signal(number)
    # The pipe is at its end when every process that holds it is gone.
    left, errors = interrupted.communicate(timeout=60)
    assert left == ""
    if number == signal.SIGINT:
        assert "KeyboardInterrupt" in errors and "was not given back" not in errors
        assert {run["state"] for run in runs_of(sweep)} == {"queued"}
    again = start_program(client, sweep, "return")
    second, errors = again.communicate(timeout=60)
    assert again.returncode == 0, errors
    assert sorted(line.split()[1] for line in second.splitlines()) == \
        sorted(run for _, run in first)
    assert sweep.state == "completed"


def test_a_canceled_sweep_ends_its_processes(client):
    sweep = hone.Sweep({"x": [1]}, trials=1, phases=2, terminator="none", client=client)

    def train(run):
        run.report(0, 1.0)
        hone.Client(client.url).cancel(sweep.id)
        run.report(1, 2.0)
        os.abort()  # not reached: the report ends the process

    sweep.run(train)
    assert sweep.state == "canceled"
    assert len(sweep.reports()) == 1


def test_ask_and_tell_with_pruning(client):
    sweep = hone.Sweep({"x": hone.Float(0, 1)}, trials=12, phases=4, client=client,
                       terminator={"rule": "hypertrick", "eviction_rate": 0.5})
    phases = []
    for run in sweep.asks():
        told = 0
        while sweep.tell(run, run.params["x"]).goes_on:
            told += 1
        phases.append(told + 1)
    assert len(phases) == 12 and min(phases) < 4 and max(phases) == 4
    assert sweep.state == "completed"


def test_an_asked_trial_fails_or_must_be_told(client):
    sweep = hone.Sweep({"x": hone.Float(0, 1)}, trials=3, client=client)
    asks = sweep.asks()
    sweep.fail(next(asks), "no such device")
    sweep.fail(next(asks), infeasible=True)
    next(asks)
    with pytest.raises(hone.HoneError, match="has no result yet"):
        next(asks)
    assert [run["failure"] for run in runs_of(sweep)] == ["user_error", "infeasible", "none"]


def test_a_function_of_a_module_can_be_spawned(client, tmp_path, monkeypatch):
    (tmp_path / "spawned_module.py").write_text("def train(run):\n    return run.params['x']\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    sweep = hone.Sweep({"x": hone.Int(1, 5)}, trials=2, client=client)
    module = importlib.import_module("spawned_module")
    assert sweep.run(module.train, workers=2, start="spawn")["value"] >= 1


def test_rows_become_a_parquet_file_where_pyarrow_is_installed(client, tmp_path, capsys):
    from hone import parquet
    mixed = [{"value": 1.5, "n": 3, "kind": "a", "on": True},
             {"value": "diverged", "n": None, "kind": 4, "on": None, "list": [1, 2]}]
    assert parquet.column([1.5, "diverged"])[0] == 1.5
    assert parquet.column(["a", 4, None, [1]]) == ["a", "4", None, "[1]"]
    sweep = hone.Sweep({"x": hone.Float(0, 1)}, trials=3, client=client)
    sweep.run(lambda run: run.params["x"], workers=1)
    if importlib.util.find_spec("pyarrow") is None:
        with pytest.raises(hone.HoneError, match="pip install pyarrow"):
            parquet.write(mixed, str(tmp_path / "rows.parquet"))
        return
    from pyarrow.parquet import read_table
    parquet.write(mixed, str(tmp_path / "mixed.parquet"))
    table = read_table(tmp_path / "mixed.parquet").to_pydict()
    assert table["n"] == [3, None] and table["kind"] == ["a", "4"] and table["value"][0] == 1.5
    assert table["value"][1] != table["value"][1] and table["list"] == [None, "[1, 2]"]
    sweep.parquet(str(tmp_path / "trials.parquet"))
    rows = read_table(tmp_path / "trials.parquet").to_pydict()
    assert len(rows["id"]) == 3 and max(rows["value"]) == max(rows["params.x"])


def test_rows_become_a_data_frame_where_pandas_is_installed(client):
    sweep = hone.Sweep(SPACE, trials=2, client=client)
    sweep.run(lambda run: run.params["x"])
    table = sweep.frame()
    try:
        import pandas
    except ImportError:
        assert table == sweep.trials()
    else:
        assert isinstance(table, pandas.DataFrame)
        assert list(table["params.x"]) == [row["params.x"] for row in sweep.trials()]
    with pytest.raises(hone.HoneError, match="not of 'runs'"):
        sweep.frame("runs")


def test_a_notebook_shows_every_text_escaped(client):
    sweep = hone.Sweep({"x": hone.Float(0, 1), "kind": ["<script>alert(1)</script>"]}, trials=2,
                       name="<b>&", client=client)
    assert sweep._repr_html_().startswith("&lt;hone.Sweep")
    sweep.run(lambda run: run.params["x"])
    page = sweep._repr_html_()
    assert "<script>" not in page and "&lt;script&gt;" in page
    dots = re.findall(r'<circle[^>]* r="3"', page)  # of trials; that of the legend is larger
    assert "&lt;b&gt;&amp;" in page and len(dots) == 2 and "best so far" in page


def test_wrong_uses_are_refused_before_anything_runs(client):
    sweep = hone.Sweep({"x": [1]}, trials=1, client=client)
    with pytest.raises(hone.HoneError, match="at least 1"):
        sweep.run(lambda run: 1, workers=0)
    with pytest.raises(hone.Problem, match="no search method"):
        hone.Sweep({"x": [1]}, search="randon", client=client).run(lambda run: 1)
    with pytest.raises(hone.Problem) as caught:
        hone.Sweep.open("sw_99", client=client)
    assert caught.value.code == "not_found"


def test_a_script_brings_its_own_server(tmp_path):
    """Two programs in a row on one data folder; the server ends with its program."""
    program("hone-server")
    script = ("import hone\nsweep = hone.Sweep({'x': hone.Float(0, 1)}, trials=2)\n"
              "sweep.run(lambda run: run.params['x'])\n"
              "print(sweep.id, len(list(sweep.client.sweeps())), sweep.client.url)\n")
    environment = {key: value for key, value in os.environ.items() if key != "HONE_SERVER"}
    environment.update(PYTHONPATH=str(ROOT / "sdk" / "python"), HONE_BIN=str(BIN),
                       HONE_DATA=str(tmp_path / "data"))
    script = script.replace("trials=2)", f"trials=2, data={str(tmp_path / 'data')!r})")
    for count in (1, 2):
        done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True,
                              text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        name, sweeps, url = done.stdout.split()
        assert (name, int(sweeps)) == (f"sw_{count}", count)
        with pytest.raises(hone.Unavailable):
            hone.Client(url, patience_s=0).version()
