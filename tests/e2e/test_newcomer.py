"""The first day of a researcher who tunes an ordinary script: what used to mislead or to cost a sweep."""
import csv
import json
import os
import pty
import re
import shlex
import signal
import subprocess
import sys

import pytest

from commands import Up, hone, ok, write_spec, written_on
from conftest import program, sweep_spec
from test_worker import Worker, wait_for
from trained import train

SCRIPT = """
import argparse, os
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
parser.add_argument("--seed", type=int, default=0)
given = parser.parse_args()
with open(os.path.join(os.environ["HOME_OF_TEST"], "trained"), "a") as trained:
    for epoch in range(1, 11):
        print("epoch", epoch, "score", given.lr * epoch, flush=True)
        trained.write("x")
        trained.flush()
"""
SAVING = """
import json, os
run = json.load(open(os.environ["HONE_RUN_FILE"]))
lr = run["params"]["lr"]
for phase in range(run["next_phase"], run["budget"]["phases"]):
    path = os.path.join(os.environ["HONE_CHECKPOINT_DIR"], f"{phase}.txt")
    open(path, "w").write(f"{lr} {phase}")
    step = 10 * (phase + 1)
    print("@hone " + json.dumps({"checkpoint": {"path": path, "step": step, "phase": phase}}))
    print("@hone " + json.dumps({"report": {"step": step, "value": lr * step, "phase": phase}}),
          flush=True)
"""
COLLECT = {"stdout": True, "format": "regex", "pattern": "epoch .* score (?<score>[-+.e0-9]+)"}


class Day:
    """A server with a worker, and sweeps of the script in its folder."""

    def __init__(self, folder, up):
        self.folder, self.up, self.sweeps = folder, up, 0

    def file(self, **changes):
        spec = {"name": "script", "seed": 3, "objective": {"metric": "score", "goal": "maximize"},
                "command": {"run": ["python3", "script.py"], "params": "flags",
                            "collect": COLLECT},
                "parameters": {"lr": {"type": "float", "min": 0.1, "max": 1}},
                "search": {"method": "random", "trials": 12},
                "budget": {"unit": "epochs", "per_run": 10, "phases": 10}}
        spec.update(changes)
        path = self.folder / "sweep.json"
        path.write_text(json.dumps(spec))
        return path

    def watch(self, **changes):
        """Submits a sweep and waits for its end; the answer of `hone`, with the sweep's id."""
        self.sweeps += 1
        done = hone("submit", str(self.file(**changes)), "--watch", server=self.up)
        done.sweep = done.stdout.split()[0]
        return done

    def show(self, sweep):
        return json.loads(ok("show", sweep, "--format", "json", server=self.up))


@pytest.fixture(scope="module")
def day(tmp_path_factory):
    folder = tmp_path_factory.mktemp("day")
    (folder / "script.py").write_text(SCRIPT)
    (folder / "saving.py").write_text(SAVING)
    os.environ["HOME_OF_TEST"] = str(folder)
    up = Up(folder / "data", "--slots", "2", cwd=folder)
    yield Day(folder, up)
    up.stop()


def test_an_ordinary_script_trains_each_phase_once_under_the_default_rule(day):
    """86 phases were shown, and 176 trained: paused runs started over."""
    (day.folder / "trained").write_text("")
    done = day.watch(search={"method": "random", "trials": 20})
    assert done.returncode == 0, done.stderr
    sweep = day.show(done.sweep)
    trained = len((day.folder / "trained").read_text())
    assert sweep["phases"]["repeated"] == 0 and sweep["runs"]["stopped"] > 0
    # A process may print on while its stop is on the way.
    attempts = json.loads(ok("runs", done.sweep, "--format", "json", server=day.up))
    assert {run["attempts"] for run in attempts} == {1}
    assert trained <= 200 and sweep["runs"]["completed"] > 0
    verdicts = json.loads(ok("explain", "rn_1.0", "--recompute", "--format", "json",
                             server=day.up))["verdicts"]
    assert all(one["verdict"] == one["recomputed"] != "pause" for one in verdicts)
    assert "no differences" in ok("replay", done.sweep, server=day.up)


def test_the_plan_tells_how_a_script_without_checkpoints_is_judged(day):
    text = " ".join(ok("plan", str(day.file()), server=day.up).split())
    assert "saves none is not paused: it is judged by hypertrick" in text


def test_the_plan_is_near_what_a_script_without_checkpoints_trains(day):
    """34 phases were planned by the closed form of a rule that pauses, and 108 were trained."""
    changes = {"search": {"method": "random", "trials": 16}, "name": "planned"}
    # Of another unit: no sweep has measured the program.
    changes["budget"] = {"unit": "rounds", "per_run": 10, "phases": 10}
    file = str(day.file(**changes))
    plan = json.loads(ok("plan", file, "--format", "json", server=day.up))["plan"]
    expected = plan["without_checkpoints"]["phases_expected"]
    low, high = plan["without_checkpoints"]["phases_range"]
    text = " ".join(ok("plan", file, server=day.up).split())
    assert f"{expected} phases" in text and "if it saves none" in text
    trained = []
    for seed in range(1, 7):
        done = day.watch(**changes, seed=seed)
        assert done.returncode == 0, done.stderr
        trained.append(day.show(done.sweep)["phases"]["done"])
    assert max(trained) <= plan["phases_at_most"]
    # 90 % of such sweeps are expected within the range.
    assert sum(low <= phases <= high for phases in trained) >= 5, (trained, low, high)
    assert abs(sum(trained) / len(trained) / expected - 1) < 0.25, (trained, expected)
    # Now it is measured: one figure is left.
    assert json.loads(ok("plan", file, "--format", "json",
                         server=day.up))["plan"]["without_checkpoints"] is None


@pytest.mark.parametrize("seeds", [1, 3])
def test_the_winner_of_a_small_sweep_is_trained_to_the_end(day, seeds):
    """All runs were stopped; the winner had 4 of 8 phases."""
    done = day.watch(command=["python3", "saving.py"], search={"method": "random", "trials": 6},
                     replicates={"seeds": seeds},
                     budget={"unit": "epochs", "per_run": 80, "phases": 8})
    assert done.returncode == 0, done.stderr
    best = json.loads(ok("best", done.sweep, "--format", "json", server=day.up))[0]
    runs = [run for run in json.loads(ok("runs", done.sweep, "--format", "json", server=day.up))
            if run["trial"] == best["id"]]
    assert {run["state"] for run in runs} == {"completed"} and len(runs) == seeds
    for run in runs:
        assert "winner trains to the end" in ok("explain", run["id"], server=day.up) or \
            run["attempts"] > 1
    assert "no differences" in ok("replay", done.sweep, server=day.up)


def test_a_sweep_whose_trials_all_fail_ends_early_and_names_the_error(day):
    """40 of 40 failed runs were "completed 100 %", exit status 0; a typo was tried 30 times."""
    done = day.watch(command=["python3", "scirpt.py"], search={"method": "random", "trials": 30})
    assert done.returncode == 10
    sweep = day.show(done.sweep)
    assert sweep["state"] == "failed" and sweep["reason"] == "failure_limit"
    assert sweep["trials"]["proposed"] < 10 and "scirpt.py" in sweep["detail"]
    assert "No such file" in done.stderr and f"hone edit {done.sweep} --trials 30" in done.stderr
    assert "scirpt.py" in " ".join(ok("show", done.sweep, server=day.up).split())


def test_max_failed_bounds_the_failures(day):
    done = day.watch(command=["python3", "-c", "raise SystemExit(3)"], limits={"max_failed": 1})
    assert done.returncode == 10 and day.show(done.sweep)["reason"] == "failure_limit"
    refused = hone("plan", str(day.file(limits={"max_failed": 1.5})), server=day.up)
    assert refused.returncode == 2 and "/limits/max_failed" in refused.stderr


def test_an_ended_sweep_is_continued_with_more_trials(day):
    done = day.watch(search={"method": "tpe", "trials": 4}, terminator={"rule": "none"})
    assert hone("edit", done.sweep, "--trials", "4", server=day.up).returncode == 4
    assert hone("edit", done.sweep, "--concurrency", "1", server=day.up).returncode == 4
    more = hone("edit", done.sweep, "--trials", "7", server=day.up)
    assert more.returncode == 0 and "3 more trials" in more.stderr
    assert hone("watch", done.sweep, server=day.up).returncode == 0
    sweep = day.show(done.sweep)
    assert sweep["state"] == "completed" and sweep["runs"]["completed"] == 7
    assert "no differences" in ok("replay", done.sweep, server=day.up)
    exported = ok("export", done.sweep, "--format", "json", server=day.up)
    file = day.folder / "moved.json"
    file.write_text(exported)
    other = Up(day.folder / "other", "--slots", "1", cwd=day.folder)
    try:
        moved = ok("import", "hone", str(file), server=other).split()[0]
        assert ok("export", moved, "--format", "json", server=other) == exported
    finally:
        other.stop()


def test_a_pattern_that_matches_nothing_is_named_with_its_lines(day):
    collect = {**COLLECT, "pattern": "Score=(?<score>[.0-9]+)"}
    done = day.watch(command={"run": ["python3", "script.py"], "params": "flags",
                              "collect": collect}, search={"method": "random", "trials": 1})
    run = json.loads(ok("runs", done.sweep, "--format", "json", server=day.up))[0]
    assert "0 of the 10 lines of its standard output matched the pattern" in run["detail"]


@pytest.mark.parametrize("changes,words", [
    ({"artifacts": ["*.png"]}, "write it under command"),
    ({"command": ["python3", "script.py", "--seed", "${seed}"]}, "did you mean '${hone.seed}'?"),
    ({"replicates": {"seeds": {"min": 1}}}, "/replicates/seeds/max: is missing"),
])
def test_a_misplaced_setting_is_refused_with_its_place(day, changes, words):
    refused = hone("plan", str(day.file(**changes)), server=day.up)
    assert refused.returncode == 2 and words in refused.stderr


def test_a_path_through_a_number_names_it(day):
    file = str(day.file(replicates={"seeds": 3}))
    refused = hone("plan", file, "--set", "replicates.seeds.min=1", server=day.up)
    assert refused.returncode == 2
    assert "replicates.seeds.min: replicates.seeds is 3, which has no fields" in refused.stderr


def test_a_pattern_that_matches_nothing_is_what_the_screen_names(day):
    """The last line of the log was shown, which told nothing about the pattern."""
    command = {"run": ["python3", "script.py"], "params": "flags",
               "collect": {**COLLECT, "pattern": "no such line (?<score>[0-9]+)"}}
    done = day.watch(command=command, search={"method": "random", "trials": 2})
    assert done.returncode == 10
    words = "0 of the 10 lines of its standard output matched the pattern of command.collect"
    assert words in done.stderr


def test_help_leads_to_a_first_file():
    assert "hone init" in hone("--help").stdout


def on_terminal(day, answer, *words):
    """Runs `hone` with a terminal as stdin and stderr; what it wrote there, and its status."""
    controller, terminal = pty.openpty()
    environment = {**os.environ, "HONE_SERVER": f"http://127.0.0.1:{day.up.port}"}
    process = subprocess.Popen([program("hone"), *words], stdin=terminal, stderr=terminal,
                               stdout=subprocess.PIPE, env=environment)
    os.close(terminal)
    os.write(controller, answer)
    out, _ = process.communicate(timeout=60)
    text = written_on(controller)
    return process.returncode, out.decode(), text.decode()


def test_a_confirmation_asks_on_a_terminal_before_it_spends(day):
    """`hone confirm` started 30 trainings by accident."""
    sweep = day.watch(search={"method": "random", "trials": 3}).sweep
    start = ("confirm", sweep, "--start", "--top", "2", "--seeds", "3")
    status, out, text = on_terminal(day, b"n\n", *start)
    assert status == 0 and out == "" and "nothing was started" in text
    assert re.search(r"train 3 new seeds of the first 2 trials: 6 runs, about .*\? \[y/N\]", text)
    assert hone("confirm", sweep, server=day.up).returncode == 3
    status, out, text = on_terminal(day, b"y\n", *start, "--watch")
    assert status == 0 and "[y/N]" in text and "completed" in out
    # A script is not asked; further seeds are trained once and shown together with the first.
    assert hone(*start, "--watch", server=day.up).returncode == 0
    rows = json.loads(ok("confirm", sweep, "--format", "json", server=day.up))["items"]
    assert {row["seeds"] for row in rows} == {6}
    made = [one["id"] for one in json.loads(ok("ls", "--format", "json", server=day.up))
            if one["confirms"] == sweep]
    seeds = {run["seed"] for one in made
             for run in json.loads(ok("runs", one, "--format", "json", server=day.up))}
    assert len(made) == 2 and len(seeds) == 6


def test_a_repeated_import_gave_one_id_without_a_word(server, tmp_path):
    sweep = server.submit(sweep_spec())
    server.post(f"/v1/sweeps/{sweep}/steer", {"verb": "kill"})
    file = tmp_path / "sweep.json"
    file.write_text(ok("export", sweep, "--format", "json", server=server))
    first, again = (hone("import", "hone", str(file), server=server) for _ in range(2))
    assert first.stdout == again.stdout != ""
    assert "imported before" not in first.stderr
    assert f"imported before: {again.stdout.strip()} is that sweep" in again.stderr


def test_a_program_in_place_of_a_sweep_file_held_more_than_one_document(tmp_path):
    (tmp_path / "train.py").write_text("x = 1\n---\ny = 2\n")
    for command in ("submit", "plan"):
        refused = hone(command, "train.py", cwd=tmp_path, HONE_SERVER="http://127.0.0.1:1")
        assert refused.returncode == 2 and "hone init train.py" in refused.stderr, refused.stderr


def test_a_plan_names_the_seed_and_counts_one_phase(tmp_path):
    file = write_spec(tmp_path, seed=None, budget={"unit": "steps", "per_run": 10, "phases": 1})
    plan = ok("plan", str(file), HONE_SERVER="http://127.0.0.1:1")
    assert re.search(r"^seed +0, the default: every submission", plan, re.M), plan
    assert "1 phase a run" in plan and "1 phases" not in plan


def test_many_parameters_cut_the_answer(server):
    names = [f"parameter_{i}" for i in range(12)]
    sweep = server.submit(sweep_spec(parameters={name: {"type": "float", "min": 0, "max": 1}
                                                 for name in names},
                                     search={"method": "random", "trials": 1}))
    train(server, server.join(), 1)
    shown = hone("best", sweep, server=server, COLUMNS="80")
    assert all(f"{name}=" in shown.stderr for name in names), shown.stderr
    assert all(len(line) <= 80 for line in shown.stdout.splitlines())
    few = hone("best", server.submit(sweep_spec()), server=server)
    assert "lr=" not in few.stderr


def test_shares_of_a_confirmation_were_percentages_in_csv(server):
    sweep = server.submit(sweep_spec(confirm={"top": 2, "seeds": 4}))
    worker = server.join()
    value = 0
    while train(server, worker, value):
        value += 1
    table = ok("confirm", sweep, "--format", "csv", server=server)
    [header, *rows] = csv.reader(table.splitlines())
    for name in ("near best", "chance best"):
        assert all(0 <= float(row[header.index(name)]) <= 1 for row in rows), rows
    assert " %" in ok("confirm", sweep, server=server, COLUMNS="200")


PRINTING = """
import json, sys
open("ran.json", "w").write(json.dumps(sys.argv))
print("score 1")
"""


@pytest.mark.parametrize("params, words", [
    ("flags", ["--lr", "{lr}", "--name", "it's \u00fc b"]), ("none", [])])
def test_no_screen_had_the_command_line_that_ran(day, tmp_path, params, words):
    script = tmp_path / "printing.py"
    script.write_text(PRINTING)
    run = ["python3", str(script), "--seed=${hone.seed}", "--depth", "${depth}", "${hone.attempt}",
           *(["${lr}", "${name}"] if params == "none" else [])]
    path = write_spec(tmp_path, command={
        "run": run, "params": params, "cwd": str(tmp_path), "python": sys.executable,
        "collect": {**COLLECT, "pattern": "score (?<score>[0-9]+)"}},
        parameters={"lr": {"type": "float", "min": 1e-5, "max": 1e-2},
                    "depth": {"type": "int", "min": 1, "max": 8},
                    "name": {"type": "fixed", "value": "it's \u00fc b"}},
        search={"method": "random", "trials": 1}, objective={"metric": "score"},
        budget={"unit": "epochs", "per_run": 1, "phases": 1})
    sweep = ok("submit", str(path), "--watch", server=day.up).splitlines()[0].split()[0]
    [trial] = json.loads(ok("trials", sweep, "--format", "json", server=day.up))
    name = "rn_" + trial["id"][3:] + ".0"
    shown = json.loads(ok("show", name, "--format", "json", server=day.up))["command"]
    assert shown[1:] == json.loads((tmp_path / "ran.json").read_text())
    assert shown[0] == sys.executable
    text = ok("show", name, server=day.up)
    line = text.split("\ncommand\n")[1].splitlines()[0]
    assert shlex.split(line) == shown
    first = json.loads(ok("show", name + "#1", "--format", "json", server=day.up))
    assert first["command"] == shown


def test_folders_of_the_worker_keep_their_names_in_the_command_line(day, tmp_path):
    path = write_spec(tmp_path, command={"run": ["true", "${hone.folder}/x", "${lr}"]},
                      parameters={"lr": {"type": "fixed", "value": 0.00165}},
                      search={"method": "random", "trials": 1})
    sweep = ok("submit", str(path), server=day.up).split()[0]
    hone("watch", sweep, server=day.up)  # its run fails: it reports nothing
    [trial] = json.loads(ok("trials", sweep, "--format", "json", server=day.up))
    run = "rn_" + trial["id"][3:] + ".0"
    shown = json.loads(ok("show", run, "--format", "json", server=day.up))
    assert shown["command"] == ["true", "${hone.folder}/x", "0.00165"]


def test_the_log_of_a_busy_worker_was_blamed_on_its_age(server, tmp_path):
    """The worker is stopped, as under heavy load, when its log is asked for."""
    worker = Worker(server, tmp_path / "worker", slots=1)
    worker.ready()
    path = write_spec(tmp_path, command={"run": [sys.executable, "-c", "import time\n"
                                                 "print('started', flush=True)\n"
                                                 "time.sleep(600)"]},
                      search={"method": "random", "trials": 1})
    ok("submit", str(path), server=server)
    wait_for(lambda: server.get("/v1/sweeps/sw_1")["runs"]["running"] == 1 or
             server.get("/v1/sweeps/sw_1")["runs"]["leased"] == 1)
    os.kill(worker.process.pid, signal.SIGSTOP)
    said = hone("logs", "rn_1.0", server=server, timeout=120).stderr
    os.kill(worker.process.pid, signal.SIGCONT)
    assert "waiting for wk_1 to send the log of rn_1.0#1" in said and "older" not in said
    assert "it is busy, or gone" in said or "its worker was lost" in said, said
    ok("stop", "sw_1", "--now", server=server)
    worker.stop()
