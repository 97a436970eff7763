"""Commands as trainers, with real processes.

Every style, folder and collector of docs/commands.md, kept files, and programs that misbehave.
"""
import json
import pathlib
import sys

import pytest

from commands import hone, ok
from conftest import sweep_spec
from playing import playing
from test_worker import Worker, wait_for


@pytest.fixture
def play(server, tmp_path):
    """Runs one program as the only trial of a sweep, under a command with `changes`; its run when
    it has ended."""
    work = tmp_path / "work"
    with playing(server, tmp_path, "--workdir", str(work)) as play_sweep:
        def play_one(program, *arguments, phases=1, objective=None, retries=0, **changes):
            work.mkdir(exist_ok=True)
            (work / "program.py").write_text(program)
            command = {"run": [sys.executable, str(work / "program.py"), *arguments], **changes}
            return play_sweep(sweep_spec(
                command=command, objective={"metric": objective or "score"},
                parameters={"lr": {"type": "fixed", "value": 0.5},
                            "net.depth": {"type": "fixed", "value": 3}},
                search={"method": "random", "trials": 1},
                budget={"unit": "steps", "per_run": 100 * phases, "phases": phases},
                limits={"max_retries": retries}))

        yield play_one


def values(server, run):
    return [(point["step"], point["value"])
            for point in server.get(f"/v1/runs/{run['id']}/curve")["items"]]


CHECK = "import json, os, sys\nassert {} , (sys.argv, dict(os.environ), os.getcwd())\n" \
        "print('@hone ' + json.dumps({{'report': {{'step': 100, 'value': 1}}}}))\n"


@pytest.mark.parametrize("style, condition", [
    ("flags", "sys.argv[1:] == ['--lr', '0.5', '--net.depth', '3']"),
    ("flags=", "sys.argv[1:] == ['--lr=0.5', '--net.depth=3']"),
    ("key=value", "sys.argv[1:] == ['lr=0.5', 'net.depth=3']"),
    ("json", "json.load(open(sys.argv[1])) == {'lr': 0.5, 'net.depth': 3}"),
    ("env",
     "os.environ['HONE_PARAM_LR'] + os.environ['HONE_PARAM_NET_DEPTH'] == '0.53' and len(sys.argv) == 1"),
    ("none", "len(sys.argv) == 1 and json.load(open(os.environ['HONE_PARAMS_FILE']))['lr'] == 0.5"),
])
def test_parameters_are_handed_over_in_every_style(play, style, condition):
    run = play(CHECK.format(condition), params=style)
    assert run["state"] == "completed", run["log_tail"]


def test_words_and_variables_name_parameters_and_what_hone_knows(play):
    condition = (
        "sys.argv[1:] == ['0.5', '7'] and os.environ['DEPTH'] == 'd3' and os.getcwd() == os.environ['HERE']"
                 " and os.environ['HERE'].startswith(os.environ['HONE_FOLDER'])")
    run = play(CHECK.format(condition), "${lr}", "7", params="flags", folder="fresh",
               env={"DEPTH": "d${net.depth}", "HERE": "${hone.folder}"})
    assert run["state"] == "completed", run["log_tail"]


RESUMING = """
import json, os, signal, sys
path, first = os.path.join(sys.argv[1], "model"), 0
if len(sys.argv) > 2:
    first = int(open(sys.argv[2]).read())
for step in range(first + 100, 301, 100):
    open(path, "w").write(str(step))
    print("@hone", json.dumps({"checkpoint": {"path": path, "step": step}}))
    print("@hone", json.dumps({"report": {"step": step, "value": first}}), flush=True)
    if step == 100:
        os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_checkpoint_in_a_word_was_named_where_it_no_longer_lay(play, server):
    """A program that got ${hone.resume} as an argument found no file there."""
    run = play(RESUMING, "${hone.checkpoints}", "${hone.resume?}", phases=3, retries=1)
    assert run["state"] == "completed", run["log_tail"]
    assert values(server, run) == [(100, 0), (200, 100), (300, 100)]


def test_a_copy_of_the_working_folder_is_a_runs_own(play, tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "data.txt").write_text("1")
    run = play(CHECK.format("open('data.txt').read() == '1' and open('data.txt', 'w').write('2')"),
               folder="copy")
    assert run["state"] == "completed", run["log_tail"]
    assert (tmp_path / "work" / "data.txt").read_text() == "1"


def test_what_prepares_it_runs_first_and_must_succeed(play):
    prepared = play(CHECK.format("open('made').read() == 'yes'"), folder="fresh",
                    prepare=[sys.executable, "-c", "open('made', 'w').write('yes')"])
    assert prepared["state"] == "completed", prepared["log_tail"]
    failed = play(CHECK.format("False"), folder="fresh", prepare=[sys.executable, "-c",
                                                                  "import sys; sys.exit('no disk')"])
    assert (failed["state"], failed["reason"], failed["failure"]) == ("failed", "cannot_start",
                                                                      "user_error"), failed
    assert "its preparing command exited with status 1" in failed["detail"]
    assert "no disk" in failed["log_tail"]
    missing = play(CHECK.format("False"), prepare=["no-such-program"])
    assert (missing["state"], missing["reason"]) == ("failed", "cannot_start"), missing


ROWS = r'''
import sys, time
with open("results.txt", "w") as file:
    for i in range(1, 21):
        file.write("{}, {}, {}\n".format("2016-11-01 10:00:00", i, 10))
        file.flush()
'''


def test_a_growing_file_is_collected_with_counted_steps(play, server):
    run = play(ROWS, phases=2, folder="fresh",
               collect={"file": "results.txt", "columns": ["time", "score", "length"],
                        "step": {"sum": "length"},
                        "metrics": ["length"], "window": 10})
    assert run["state"] == "completed", run
    assert values(server, run) == [(100, 5.5), (200, 15.5)]
    points = server.get(f"/v1/runs/{run['id']}/metrics?name=length&limit=100")["items"]
    assert len(points) == 20 and points[-1] == {**points[-1], "name": "length", "step": 200,
                                                "value": 10}


@pytest.mark.parametrize("text, collect", [
    ('for i in (50, 100): print("step", i, "score:", i / 10)',
     {"format": "regex", "pattern": r"step (?<step>\d+) score: (?<score>[0-9.]+)", "step": "step"}),
    ('for i in (50, 100): print(json.dumps({"step": i, "eval": {"score": i / 10}}))',
     {"format": "jsonl", "objective": "eval.score", "step": "step"}),
    ('print("step,score")\nfor i in (50, 100): print(f"{i},{i / 10}")',
     {"format": "csv", "step": "step"}),
    ('print("step\\tscore")\nfor i in (50, 100): print(f"{i}\\t{i / 10}")',
     {"format": "csv", "step": "step"}),
])
def test_output_is_collected_in_every_format(play, server, text, collect):
    run = play("import json\nprint('loading ...')\n" + text, collect={"stdout": True, **collect})
    assert run["state"] == "completed", run
    assert values(server, run) == [(100, 10)]


def test_what_is_no_row_is_passed_over_and_told_in_the_log(play, server):
    run = play("import os, sys\n"
               "with open('r.csv', 'wb') as file:\n"
               "    file.write(b'step,score\\n\\xff\\xfe,\\x00\\n' + bytes(range(256)) * 4000 + b'\\n')\n"
               "    file.write(b'1,2,3\\n' * 100000 + b'50,nan\\n100,7\\n')\nsys.exit(3)", phases=2,
               folder="fresh",
               collect={"file": "r.csv", "step": "step"})
    assert run["state"] == "failed" or run["reason"] == "exit_code", run
    assert "this line was skipped" in run["log_tail"]


def test_a_million_rows_are_collected(play, server):
    run = play(
        "with open('r.csv', 'w') as file:\n    file.write('score\\n' + '1\\n' * 1_000_000)\n",
        folder="fresh",
               collect={"file": "r.csv"})
    assert run["state"] == "completed", run


def test_files_are_kept_shown_and_fetched(play, server, tmp_path):
    run = play(
        "import os\nos.makedirs('plots/deep')\nopen('plots/deep/loss.png', 'wb').write(b'picture')\n"
               "open('report.txt', 'w').write('fine')\nopen('scratch.tmp', 'w').write('x')\n"
               "os.symlink('/etc/passwd', 'plots/secret')\n"
               "print('@hone {\"report\": {\"step\": 100, \"value\": 1}}')",
               folder="fresh", artifacts=["*.txt", "plots"])
    # The run has ended with its last report; its program may be a moment longer about its files.
    wait_for(lambda: len(server.get(f"/v1/runs/{run['id']}/artifacts")["items"]) == 2)
    files = server.get(f"/v1/runs/{run['id']}/artifacts")["items"]
    kept = {file["name"]: file["bytes"] for file in files}
    assert kept == {"plots/deep/loss.png": 7, "report.txt": 4}
    shown = ok("show", run["id"], server=server)
    assert "plots/deep/loss.png" in shown and "report.txt" in shown
    ok("fetch", run["id"], server=server, cwd=tmp_path)
    assert (tmp_path / run["id"] / "plots/deep/loss.png").read_bytes() == b"picture"
    assert ok("fetch", run["id"], "report.txt", "-o", "-", server=server) == "fine"
    ok("fetch", run["id"], "report.txt", "-o", "named.txt", server=server, cwd=tmp_path)
    assert (tmp_path / "named.txt").read_text() == "fine"
    refused = hone("fetch", run["id"], "other.txt", server=server)
    assert refused.returncode == 3 and "kept no file other.txt" in refused.stderr
    several = hone("fetch", run["id"], "-o", "-", server=server, cwd=tmp_path)
    assert several.returncode == 2 and "name the FILE" in several.stderr, several.stderr
    assert not (tmp_path / "-").exists()
    wait_for(lambda: "1 file of its artifacts not kept" in hone("logs", run["id"],
                                                                server=server).stdout)


def test_the_command_that_is_shown_is_the_one_that_ran(play, server):
    """Words that the first attempt leaves out were shown, and no part of its seed."""
    run = play("import json, sys\n"
               "words = {'name': 'words', 'step': 1, 'value': len(sys.argv)}\n"
               "print('@hone ' + json.dumps({'metric': words}))\n"
               "print('@hone ' + json.dumps({'report': {'step': 100, 'value': 1}}))\n",
               "--seed=${hone.seed}", "${hone.resume?}", "--from=${hone.resume?}", params="none")
    shown = json.loads(ok("show", run["id"], "--format", "json", server=server))
    words = server.get(f"/v1/runs/{run['id']}/metrics?name=words")["items"][0]["value"]
    assert len(shown["command"]) == words + 1, shown["command"]
    assert not any("resume" in word for word in shown["command"])
    assert shown["command"][-1] == f"--seed={shown['seed_passed']}"
    assert shown["seed_passed"] == shown["seed"] % 2**31 != shown["seed"]
    text = ok("show", run["id"], server=server)
    assert f"passed as {shown['seed_passed']}" in " ".join(text.split()), text


def test_a_program_that_fills_its_folder_is_ended(play, server):
    run = play(
        "import time\nfor i in range(10_000):\n    open(f'junk{i}', 'wb').write(b'x' * 1_000_000)\n"
               "    if i > 40: time.sleep(0.05)\n", folder="fresh", disk="30MiB")
    assert (run["state"], run["reason"], run["failure"]) == ("failed", "disk_limit",
                                                             "user_error"), run
    assert "command.disk" in run["detail"]


@pytest.mark.parametrize("program", [
    "open('big', 'wb').write(b'x' * 50_000_000)",  # Python ignores SIGXFSZ
    "import signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_DFL)\nopen('big', 'wb').write(b'x' * 50_000_000)",
], ids=["told by the write", "told by a signal"])
def test_one_file_cannot_outgrow_the_bound(play, server, program):
    run = play(program, folder="fresh", disk="10MiB")
    assert (run["state"], run["reason"], run["failure"]) == ("failed", "disk_limit",
                                                             "user_error"), run
    assert "command.disk" in run["detail"]


@pytest.mark.parametrize("changes, at, words", [
    ({"command": "python3 train.py | tee log"}, "/spec/command", "shell"),
    ({"command": ["train", "--lr", "${learning_rate}"]}, "/spec/command/2", "names no parameter"),
    ({"command": {"run": ["train", "${l}"]}}, "/spec/command/run/1", "did you mean 'lr'"),
    ({"command": {"run": "train", "env": {"HONE_SOCKET": "x"}}}, "/spec/command/env/HONE_SOCKET",
     "hone's own"),
    ({"command": {"run": "train", "collect": {"file": "/tmp/x"}}}, "/spec/command/collect/file",
     "relative"),
    ({"command": {"run": "train", "collect": {"stdout": True, "format": "regex",
                                              "pattern": "(a)\\1"}}},
     "/spec/command/collect/pattern", "referred back"),
])
def test_a_command_that_cannot_work_is_refused_at_submit(server, changes, at, words):
    answer = server.ask("POST", "/v1/sweeps", {"request_id": "r", "spec": sweep_spec(**changes)})
    assert answer.status == 400, answer
    assert answer.json["at"] == at and words in answer.json["detail"], answer.json


def test_the_place_is_that_of_the_users_file(server, tmp_path):
    path = pathlib.Path(tmp_path) / "sweep.json"
    path.write_text(json.dumps(sweep_spec(command=["train", "${rate}"])))
    result = hone("submit", str(path), server=server)
    assert result.returncode == 2, result.stderr
    assert "/command/1: ${rate} names no parameter" in result.stderr


def test_a_long_file_left_at_the_end_takes_little_memory(server, tmp_path):
    """It was read in one go when the program had ended, and all its rows were in memory at once."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "program.py").write_text(
        "row = '1,0.' + '1' * 58 + '\\n'\nwith open('r.csv', 'w') as file:\n    file.write('score,loss\\n')\n"
        "    for _ in range(500): file.write(row * 1500)\n    file.write('7,8\\n')\n")
    worker = Worker(server, tmp_path / "worker", "--workdir", str(tmp_path / "work"))
    worker.ready()
    sweep = server.submit(sweep_spec(
        command={"run": [sys.executable, str(tmp_path / "work" / "program.py")], "folder": "fresh",
                 "collect": {"file": "r.csv", "metrics": ["loss"], "value": "last"}},
        objective={"metric": "score"}, parameters={"lr": {"type": "fixed", "value": 0.5}},
        search={"method": "random", "trials": 1}, budget={"unit": "rows", "per_run": 750_001,
                                                          "phases": 1}))
    wait_for(lambda: server.get(f"/v1/sweeps/{sweep}")["state"] not in ("running", "stopping"),
             seconds=90)
    run = server.get("/v1/runs/rn_1.0")
    assert (run["state"], run["value"]) == ("completed", 7), run
    status = pathlib.Path(f"/proc/{worker.process.pid}/status").read_text()
    peak_kib = int(next(line for line in status.splitlines()
                        if line.startswith("VmHWM")).split()[1])
    assert peak_kib < 64 * 1024, "750,000 rows were read"
    assert worker.stop() == 0, worker.log_text()
