"""hone reproduce: the same bits again from the recorded code, or the first difference.

HONE_REPRODUCE_RUNS is the number of runs of each trainer that are reproduced.
"""
import json
import os
import sys

import pytest

from commands import hone, ok
from conftest import sweep_spec
from repositories import commit, git
from test_code import ended, work  # noqa: F401 (work is a fixture)
from test_worker import Worker

# Every trainer of hone in a form that repeats bit for bit: at least two runs of each.
TRAINERS = [
    ("ga3c", {"deterministic": "yes"}, "frames", 4000, 3),
    ("ga3c", {"deterministic": "yes", "env": "Acrobot-v1", "layers": 2}, "frames", 4000, 2),
    ("a3c", {}, "frames", 4000, 2),
    ("a2c", {}, "frames", 4000, 2),
    ("ppo", {}, "frames", 4000, 3),
    ("impala", {"deterministic": "yes"}, "frames", 4000, 2),
    ("dqn", {}, "frames", 2000, 2),
    ("apex", {"deterministic": "yes"}, "frames", 2000, 2),
    ("gorila", {"deterministic": "yes"}, "frames", 2000, 2),
    ("sac", {}, "frames", 2000, 2),
    ("cem", {}, "episodes", 64, 2),
    ("reinforce", {}, "episodes", 64, 2),
    ("placement", {"graph": "inception-v3", "devices": 2, "agent": "ce"}, "placements", 64, 2),
    ("placement", {"graph": "rnnlm", "devices": 2, "agent": "seq2seq", "controllers": 2,
                   "threads": 2, "hidden": 8, "memory_weight": 0.5}, "placements", 64, 2),
    ("harmony", {"samples": 30, "reward_epochs": 2, "hidden": 8, "validation": 2}, "jobs", 160, 2),
]

OBJECTIVES = {"placement": {"metric": "step_ms", "goal": "minimize"},
              "harmony": {"metric": "of_load_balancing", "goal": "minimize"}}


@pytest.fixture
def start(server, tmp_path):
    """Starts the worker of the test."""
    workers = []

    def begin(*words, slots=2):
        workers.append(Worker(server, tmp_path / f"worker{len(workers)}", *words, slots=slots))
        workers[-1].ready()
    yield begin
    for worker in workers:
        assert worker.stop() == 0, worker.log_text()


def reproduce(server, run, *words, cwd=None):
    done = hone("reproduce", run, "--yes", "--format", "json", *words, server=server, cwd=cwd,
                timeout=120)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


@pytest.mark.parametrize("name, settings, unit, budget, trials", TRAINERS,
                         ids=lambda value: value if isinstance(value, str) else "")
def test_runs_of_hones_trainers_repeat_bit_for_bit(server, start, name, settings, unit, budget,
                                                   trials):
    start()
    trials = int(os.environ.get("HONE_REPRODUCE_RUNS", trials))
    metric = OBJECTIVES.get(name, {"metric": "return"})
    ended(server, server.submit(sweep_spec(
        command=None, trainer={"name": name, **settings}, objective=metric,
        parameters={"learning_rate": {"type": "float", "min": 1e-4, "max": 1e-2, "scale": "log"}},
        search={"method": "random", "trials": trials},
        budget={"unit": unit, "per_run": budget, "phases": 4}, checkpoints={"keep": "all"})),
        seconds=60 + 30 * trials)
    for trial in range(1, trials + 1):
        status, outcome = reproduce(server, f"rn_{trial}.0")
        assert status == 0 and outcome["same"] and outcome["difference"] is None, outcome
        assert outcome["reports"] == 4 and outcome["models"] == 4 and not outcome["notes"], outcome


def test_every_trainer_is_among_them():
    listed = ok("train", "--help").split("Subcommands:")[1].splitlines()
    trainers = {line.split()[0] for line in listed if line.startswith("  ") and line[2] != " "}
    assert trainers == {name for name, *_ in TRAINERS} and len(trainers) >= 12


def test_a_run_that_was_paused_and_promoted_repeats(server, start):
    start(slots=1)
    ended(server, server.submit(sweep_spec(
        command=None, trainer={"name": "a2c"},
        parameters={"learning_rate": {"type": "float", "min": 1e-4, "max": 1e-2, "scale": "log"}},
        search={"method": "random", "trials": 6}, terminator={"rule": "asha", "eta": 2},
        budget={"unit": "frames", "per_run": 4000, "phases": 4}, checkpoints={"keep": "all"})))
    runs = [f"rn_{trial}.0" for trial in range(1, 7)]
    several = [run for run in runs if server.get(f"/v1/runs/{run}")["attempts"] > 1]
    assert several, "asha promoted no run"
    status, outcome = reproduce(server, several[0])
    assert status == 0 and outcome["same"], outcome


PROGRAM = """import json, pathlib, sys, value
factor = float(pathlib.Path(sys.argv[1]).read_text())
for phase in range(3):
    print('@hone ' + json.dumps({'report': {'step': 10 * (phase + 1),
                                            'value': value.VALUE + phase * factor}}))
"""


def play(server, work, factor):
    ended(server, server.submit(sweep_spec(
        command=[sys.executable, "-B", "train.py", str(factor)],
        parameters={"lr": {"type": "fixed", "value": 0.5}},
        search={"method": "random", "trials": 1},
        budget={"unit": "steps", "per_run": 30, "phases": 3})))


def test_a_program_runs_from_its_own_commit_and_changes(server, start, work, tmp_path):
    (work / "train.py").write_text(PROGRAM)
    first = commit(work, 1)
    (work / "value.py").write_text("VALUE = 7\n")  # not committed
    factor = tmp_path / "factor"
    factor.write_text("1")
    start("--workdir", str(work))
    play(server, work, factor)
    commit(work, 2)
    status, outcome = reproduce(server, "rn_1.0", cwd=work)
    assert status == 0 and outcome["same"] and outcome["reports"] == 3, outcome
    facts = server.get(f"/v1/workflows/{outcome['code'][0]}")
    assert facts["git_commit"] == first and facts["patch_sha256"]
    assert git(work, "worktree", "list").count("\n") == 0, "the worktree is gone"
    assert (work / "value.py").read_text() == "VALUE = 2\n"


def test_the_first_difference_of_a_changed_program_is_named(server, start, work, tmp_path):
    (work / "train.py").write_text(PROGRAM)
    commit(work, 1)
    factor = tmp_path / "factor"
    factor.write_text("1")
    start("--workdir", str(work))
    play(server, work, factor)
    factor.write_text("1.5")  # what no commit names
    status, outcome = reproduce(server, "rn_1.0", cwd=work)
    assert status == 1 and not outcome["same"]
    assert outcome["difference"] == {"what": "report of phase 2, value", "recorded": 2,
                                     "again": 2.5}
    text = hone("reproduce", "rn_1.0", "--yes", server=server, cwd=work)
    assert text.returncode == 1
    assert "first in the report of phase 2, value\n  recorded 2.0\n  again    2.5" in text.stdout


def test_a_commit_that_is_not_here_is_named(server, start, work, tmp_path):
    (work / "train.py").write_text(PROGRAM)
    first = commit(work, 1)
    factor = tmp_path / "factor"
    factor.write_text("1")
    start("--workdir", str(work))
    play(server, work, factor)
    other = tmp_path / "other"
    other.mkdir()
    none = hone("reproduce", "rn_1.0", "--yes", server=server, cwd=other)
    assert none.returncode == 3 and "is not in a git repository" in none.stderr, none.stderr
    git(other, "init", "-q")
    wrong = hone("reproduce", "rn_1.0", "--yes", server=server, cwd=other)
    assert wrong.returncode == 3 and first in wrong.stderr and "--repository" in wrong.stderr
    assert hone("reproduce", "rn_1.0", "--yes", "--repository", str(work), server=server,
                cwd=other).returncode == 0
