"""What a new user stumbled on in the first hour; each test is named after it."""
import json
import re

import pytest

from commands import Up, hone, ok, write_spec

SCRIPT = """
import argparse
flags = argparse.ArgumentParser()
flags.add_argument("--lr", type=float, default=0.1)
flags.add_argument("--seed", type=int, default=0)
args = flags.parse_args()
if not 0 <= args.seed < 2**31:      # as numpy.random.seed refuses 2**32, and a C int overflows
    raise ValueError("Seed must be between 0 and 2**32 - 1")
print("score", args.lr, "seed", args.seed, flush=True)
"""


def test_a_script_that_seeds_numpy_failed_in_every_run(tmp_path):
    """${hone.seed} was as large as 2**53."""
    (tmp_path / "train.py").write_text(SCRIPT)
    ok("init", "train.py", cwd=tmp_path)
    up = Up(tmp_path / "data", cwd=tmp_path)
    try:
        ok("submit", "sweep.yaml", "--set", "search.trials=6", "--watch", "-q", server=up,
           cwd=tmp_path)
        runs = json.loads(ok("runs", "--format", "json", server=up))
        assert [run["state"] for run in runs] == ["completed"] * 6, runs
        seeds = set()
        for run in runs:
            shown = json.loads(ok("show", run["id"], "--format", "json", server=up))
            printed = re.search(r"seed (\d+)", ok("logs", run["id"], server=up))[1]
            assert f"--seed={printed}" in shown["command"]
            assert int(printed) == shown["seed"] % 2**31
            seeds.add(printed)
        assert len(seeds) == 6
        # A command that an edit brings has them, too.
        sweep = runs[0]["sweep"]
        ok("edit", sweep, "--trials", "7", "--command",
           json.dumps({"run": ["python3", "train.py", "--lr=${lr}", "--seed", "${hone.seed}"],
                       "collect": {"stdout": True, "format": "regex",
                                   "pattern": "score (?<score>[-+.eE0-9]+)"}}),
           server=up, cwd=tmp_path)
        ok("watch", sweep, server=up)
        assert json.loads(ok("runs", sweep, "--format", "json", server=up))[-1]["state"] \
            == "completed"
    finally:
        up.stop()


@pytest.mark.parametrize("refusal", [
    ("--listen", "127.0.0.1:99999"), ("--listen", "0.0.0.0:0"), ("--listen", "127.0.0.1:{taken}"),
    ("--slots", "many"), ("--gpus", "all"), ("--workdir", "/nowhere"),
    ("--tls-cert", "/nowhere.crt", "--tls-key", "/nowhere.key")], ids=lambda words: words[-1][:16])
def test_a_refused_up_left_files_behind(server, tmp_path, refusal):
    folder = tmp_path / "empty"
    folder.mkdir()
    words = [word.format(taken=server.port) for word in refusal]
    if "--listen" not in words:
        words += ["--listen", "127.0.0.1:0"]
    refused = hone("up", "--data", str(folder / "data"), *words)
    assert refused.returncode != 0 and refused.stderr
    assert list(folder.iterdir()) == []


def test_a_refused_up_keeps_the_data_of_earlier_ones(server, tmp_path):
    data = tmp_path / "earlier"
    assert Up(data, "--workers", "0").stop()[0] == 0
    before = {path.relative_to(data) for path in data.rglob("*")}
    refused = hone("up", "--data", str(data), "--listen", f"127.0.0.1:{server.port}")
    assert refused.returncode == 1
    assert before <= {path.relative_to(data) for path in data.rglob("*")}


def test_a_tab_was_an_illegal_map_value(tmp_path):
    (tmp_path / "tab.yaml").write_text("objective: {metric: x}\ncommand:\n\trun: true\n")
    refused = hone("plan", "tab.yaml", cwd=tmp_path)
    assert refused.returncode == 2
    assert "tab.yaml:3:1: a tab indents this line" in refused.stderr
    (tmp_path / "text.yaml").write_text("a: |\n  x\n  \ty\nb: 1\nc: 2\nd: [1\ne: }\n")
    assert "a tab" not in hone("plan", "text.yaml", cwd=tmp_path).stderr, "not the mistake"


@pytest.mark.parametrize("word", ["status", "list", "delete", "rm", "pareto", "results", "run",
                                  "agent", "plot", "studies"])
def test_verbs_of_other_tools_had_no_suggestion(word):
    refused = hone(word, "sw_1")
    assert refused.returncode == 2
    here = re.search(r"did you mean '(.*)'\?", refused.stderr)[1]
    name, *rest = here.split()
    assert all(one in ok(name, "--help") for one in rest)


def test_resume_of_an_ended_sweep_did_not_lead_to_edit(server, tmp_path):
    sweep = ok("submit", str(write_spec(tmp_path, command=None, trainer={"name": "ask"})), "-q",
               server=server).strip()
    ok("stop", sweep, server=server)
    refused = hone("resume", sweep, server=server)
    assert refused.returncode == 4 and "hone edit --trials" in refused.stderr


def test_a_narrower_range_was_refused_without_the_way_to_one(server, tmp_path):
    spec = write_spec(tmp_path, command=None, trainer={"name": "ask"},
                      search={"method": "random", "trials": 9},
                      parameters={"x": {"type": "float", "min": 0, "max": 1}})
    sweep = ok("submit", str(spec), "-q", server=server).strip()
    refused = hone("edit", sweep, "--widen", "x=0.2:0.5", server=server)
    assert refused.returncode == 2 and "warm_start: [ID]" in refused.stderr


def test_an_asking_program_had_the_pid_0(server, tmp_path):
    spec = write_spec(tmp_path, command=None, trainer={"name": "ask"})
    ok("submit", str(spec), "-q", server=server)
    ok("ask", "--as", "me", server=server)
    head, row = ok("workers", server=server).splitlines()
    place = head.index("pid")
    assert "asks" in row and row[place:place + 3].strip() == "", (head, row)
    assert json.loads(ok("workers", "--format", "json", server=server))[0]["pid"] == 0
