"""The `hone` command against a real server: its output, stdout or stderr, and its exit status."""
import csv
import hashlib
import io
import json
import re
import subprocess

import pytest

from commands import hone, ok, write_spec
from conftest import ROOT, program, sweep_spec

# Every command and every form of one, but those of other programs.
COMMANDS = [name for name in re.findall(r'^    \{"([a-z -]+)",\s',
                                        (ROOT / "sdk/cli/app/command_table.cpp").read_text(), re.M)
            if name not in ("server", "worker", "train", "bench")]


def finish(server, evict_last=False):
    """A sweep of four trials with two phases, run to its end by the test's worker; two of its
    runs save a model."""
    rule = {"rule": "hypertrick", "eviction_rate": 0.5} if evict_last else {"rule": "none"}
    sweep = server.submit(sweep_spec(terminator=rule, budget={"unit": "frames", "per_run": 1000,
                                                              "phases": 2},
                                     checkpoints={"keep": "all"}))
    worker = server.join()
    for number in range(4):
        grant = server.acquire(worker)
        for phase in range(2):
            if number % 2 == 0:
                save_model(server, grant, phase, f"{number}.{phase}".encode())
            verdict = server.report(grant, phase, 10.0 * number + phase)
            if verdict["verdict"] != "continue":
                server.end(grant, "evicted" if verdict["reason"] == "evicted" else "budget_reached")
                break
    return sweep


def save_model(server, grant, phase, data):
    digest = hashlib.sha256(data).hexdigest()
    assert server.ask("PUT", f"/v1/blobs/{digest}", data).status in (200, 201)
    server.post(f"/v1/leases/{grant['lease']}/models",
                {"sha256": digest, "bytes": len(data), "step": 500 * (phase + 1), "phase": phase})


@pytest.fixture(scope="module")
def done(shared_server):
    """A finished sweep on a server that the tests of this file only read."""
    return finish(shared_server)


# ---- help and wrong command lines

@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_examples(command):
    text = ok(*command.split(), "--help")
    assert text == ok("help", *command.split())
    assert text.startswith(f"hone {command}: ")
    assert "Examples\n" in text


def test_overview_is_short_and_names_every_command():
    text, everything = ok("--help"), ok("help", "--all")
    assert len(text.splitlines()) <= 50
    for command in COMMANDS:
        assert re.search(rf"(^ | ){command.split()[0]}( |$)", text, re.M), command
        assert re.search(rf"^  {command} ", everything, re.M), command


def test_unknown_command_is_usage_error_with_suggestion():
    result = hone("sbmit", "x.yaml")
    assert result.returncode == 2
    assert "did you mean 'submit'?" in result.stderr
    assert result.stdout == ""


def test_unknown_option_is_usage_error_with_suggestion():
    result = hone("ls", "--fromat", "json")
    assert result.returncode == 2
    assert "did you mean '--format'?" in result.stderr


def test_unreachable_server_is_exit_6():
    result = hone("ls", "--server", "http://127.0.0.1:1")
    assert result.returncode == 6
    assert "http://127.0.0.1:1" in result.stderr and "hone up" in result.stderr


def test_starts_without_torch():
    """Loading libtorch takes half a second: hone, hone-server and hone-worker must not load it."""
    for name in ("hone", "hone-server", "hone-worker"):
        needed = subprocess.run(["ldd", program(name)], capture_output=True, text=True,
                                check=True).stdout
        assert "libc.so" in needed and "torch" not in needed, name


# ---- bad sweep files: the place, the pointer and the sentence, and nothing else

BAD_FILES = {
    "unknown key": ("serch: {method: random, trials: 4}",
                    r"sweep.yaml:\d+:\d+: /serch: .*did you mean 'search'"),
    "min over max": ("parameters: {lr: {type: float, min: 1.0, max: 0.1}}",
                     r"sweep.yaml:\d+:\d+: /parameters/lr/m.*: "),
    "log of zero": ("parameters: {lr: {type: float, min: 0, max: 0.1, scale: log}}",
                    r"sweep.yaml:\d+:\d+: /parameters/lr/(min|scale): .*log"),
    "no such trainer": ("trainer: {name: gac3}", r"sweep.yaml:\d+:\d+: /trainer/name: .*ga3c"),
    "no such method": ("search: {method: tpee, trials: 4}",
                       r"sweep.yaml:\d+:\d+: /search/method: "),
    "no such rule": ("terminator: {rule: hypertrik}",
                     r"sweep.yaml:\d+:\d+: /terminator/rule: .*hypertrick"),
    "broken yaml": ("search: {method: random", r"sweep.yaml:\d+:\d+: "),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_sweep_file(shared_server, tmp_path, name):
    line, expected = BAD_FILES[name]
    key = line.split(":")[0]
    spec = sweep_spec(**{key: None})
    if key == "trainer":
        spec.pop("command")
    text = "\n".join(f"{k}: {json.dumps(v)}" for k, v in spec.items()) + "\n" + line + "\n"
    (tmp_path / "sweep.yaml").write_text(text)
    result = hone("submit", "sweep.yaml", server=shared_server, cwd=tmp_path)
    assert result.returncode == 2, result.stderr
    assert result.stdout == ""
    assert re.search(expected, result.stderr), result.stderr
    assert len(result.stderr.splitlines()) == 1, result.stderr


def test_bad_assignment_is_named(shared_server, tmp_path):
    file = write_spec(tmp_path)
    result = hone("submit", str(file), "--set", "search.trials=-4", server=shared_server)
    assert result.returncode == 2
    assert "--set search.trials=-4" in result.stderr and "/search/trials" in result.stderr


def test_missing_file_is_usage_error(shared_server):
    result = hone("submit", "/nowhere/sweep.yaml", server=shared_server)
    assert result.returncode == 2
    assert "/nowhere/sweep.yaml" in result.stderr


# ---- submit

def test_submit_prints_the_id_alone_on_stdout(server, tmp_path):
    file = write_spec(tmp_path)
    result = hone("submit", str(file), server=server)
    assert result.returncode == 0, result.stderr
    assert result.stdout == "sw_1\n"
    assert "hone watch sw_1" in result.stderr
    quiet = hone("submit", str(file), "-q", "--set", "search.trials=7", server=server)
    assert (quiet.stdout, quiet.stderr) == ("sw_2\n", "")
    assert server.get("/v1/sweeps/sw_2")["trials"]["total"] == 7


def test_submit_records_the_workflow(server, tmp_path):
    tmp_path = tmp_path / "repository"  # next to the server's files
    tmp_path.mkdir()
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org"]
    subprocess.run([*git, "init", "-q", "-b", "topic"], cwd=tmp_path, check=True)
    file = write_spec(tmp_path)
    (tmp_path / "train.py").write_text("pass\n")
    subprocess.run([*git, "add", "."], cwd=tmp_path, check=True)
    subprocess.run([*git, "commit", "-q", "-m", "x"], cwd=tmp_path, check=True)
    commit = subprocess.run([*git, "rev-parse", "HEAD"], cwd=tmp_path, check=True,
                            capture_output=True, text=True)
    ok("submit", str(file), "-q", server=server, cwd=tmp_path)
    clean = server.get("/v1/workflows/" + server.get("/v1/sweeps/sw_1")["workflow"])
    assert clean["git_commit"] == commit.stdout.strip()
    assert clean["git_branch"] == "topic"
    assert clean["patch_sha256"] == ""
    assert clean["command"][1:] == ["submit", str(file), "-q"]
    assert clean["cwd"] == str(tmp_path)
    (tmp_path / "train.py").write_text("changed\n")
    ok("submit", str(file), "-q", server=server, cwd=tmp_path)
    dirty = server.get("/v1/workflows/" + server.get("/v1/sweeps/sw_2")["workflow"])
    patch = subprocess.run(["git", "diff", "HEAD"], cwd=tmp_path, check=True,
                           capture_output=True).stdout
    assert dirty["patch_sha256"] == hashlib.sha256(patch).hexdigest()


def test_submit_works_without_git(server, tmp_path):
    file = write_spec(tmp_path)
    ok("submit", str(file), server=server, cwd=tmp_path, PATH="/nonexistent")
    assert server.get("/v1/workflows/wf_1")["git_commit"] == ""


# ---- looking at a finished sweep

def test_ls(shared_server, done):
    text = ok("ls", server=shared_server)
    assert re.search(rf"^{done} +small +completed +100%", text, re.M), text
    items = json.loads(ok("ls", "--format", "json", server=shared_server))
    assert [item["id"] for item in items] == [done]
    assert items == shared_server.get("/v1/sweeps")["items"]  # a contract: what the server says
    assert ok("ls", "--format", "value", server=shared_server) == f"{done}\n"
    assert ok("ls", "--format", "value", "--columns", "id,state,best", server=shared_server) == \
        f"{done}\tcompleted\t31.0\n"


def test_empty_list_says_how_to_fill_it(server):
    result = hone("ls", server=server)
    assert (result.returncode, result.stdout) == (0, "")
    assert "hone submit" in result.stderr
    assert json.loads(ok("ls", "--format", "json", server=server)) == []
    assert "hone worker" in hone("workers", server=server).stderr


def test_unknown_column_is_named_with_those_there_are(shared_server, done):
    result = hone("ls", "--columns", "stat", server=shared_server)
    assert result.returncode == 2
    assert "did you mean 'state'?" in result.stderr


def test_trials_as_table_csv_and_jsonl(shared_server, done):
    table = ok("trials", done, server=shared_server)
    assert "lr" in table.splitlines()[0] and "depth" in table.splitlines()[0]
    rows = list(csv.DictReader(io.StringIO(ok("trials", done, "--format", "csv",
                                              server=shared_server))))
    assert len(rows) == 4
    assert float(rows[0]["lr"]) > 0 and rows[3]["value"] == "31.0"
    lines = ok("trials", done, "--format", "jsonl", server=shared_server).splitlines()
    assert [json.loads(line)["number"] for line in lines] == [0, 1, 2, 3]


def test_tables_fit_eighty_columns_off_a_terminal(shared_server, done):
    for words in (["ls"], ["trials", done], ["runs", done], ["best", done], ["models", done],
                  ["workers"],
                  ["show", done], ["events", done]):
        if words[0] != "events":
            for line in ok(*words, server=shared_server).splitlines():
                assert len(line) <= 80, (words, line)
        assert "\x1b" not in ok(*words, server=shared_server)


def test_best_ranks_and_any_id_of_the_sweep_does(shared_server, done):
    values = ok("best", done, "--format", "value", "--columns", "value", server=shared_server)
    assert values.split() == ["31.0", "21.0", "11.0", "1.0"]
    first = ok("best", done, "-n", "1", "--format", "value", "--columns", "run",
               server=shared_server).strip()
    assert ok("best", first, server=shared_server) == ok("best", done, server=shared_server)
    assert ok("best", server=shared_server) == ok("best", done, server=shared_server)  # the newest


@pytest.mark.parametrize("id_", ["sw_1", "tr_1", "rn_1.0", "rn_1.0#1", "md_1", "wf_1", "wk_1"])
def test_show_any_id(shared_server, done, id_):
    assert ok("show", id_, server=shared_server).startswith(id_)
    assert json.loads(ok("show", id_, "--format", "json", server=shared_server))["id"] == id_


def test_show_one_value(shared_server, done):
    assert ok("show", done, "--format", "value", "--columns", "state,best.value",
              server=shared_server) == \
        "completed\t31.0\n"


def test_ids_that_do_not_exist_or_are_none(shared_server, done):
    assert hone("show", "sw_99", server=shared_server).returncode == 3
    assert hone("show", "rn_1.0#9", server=shared_server).returncode == 3
    result = hone("show", "7", server=shared_server)
    assert result.returncode == 2 and "sw_7" in result.stderr
    result = hone("explain", done, server=shared_server)
    assert result.returncode == 2 and "trial or a run" in result.stderr


def test_curve(shared_server, done):
    text = ok("curve", "rn_2.0", server=shared_server, LC_ALL="C")
    assert "11" in text and "*" in text and "verdict" in text
    rows = list(csv.DictReader(io.StringIO(ok("curve", "rn_2.0", "--format", "csv",
                                              server=shared_server))))
    assert [row["value"] for row in rows] == ["10.0", "11.0"]
    bands = list(csv.DictReader(io.StringIO(ok("curve", "tr_2", "--format", "csv",
                                               server=shared_server))))
    assert [(row["n"], row["mean"]) for row in bands] == [("1", "10.0"), ("1", "11.0")]
    assert "└" in ok("curve", "rn_2.0", server=shared_server, LC_ALL="C.UTF-8")


def test_export_tells_every_report(shared_server, done):
    rows = list(csv.DictReader(io.StringIO(ok("export", done, "--format", "csv",
                                              server=shared_server))))
    assert [(row["run"], row["phase"], row["value"]) for row in rows[:3]] == \
        [("rn_1.0", "1", "0.0"), ("rn_1.0", "2", "1.0"), ("rn_2.0", "1", "10.0")]
    assert len(rows) == 8 and all(row["lr"] for row in rows)
    items = [json.loads(line) for line in ok("export", "rn_3.0", "--format", "jsonl",
                                             server=shared_server).splitlines()]
    assert len(items) == 8 and items[-1]["value"] == 31.0 and items[-1]["params"]["lr"] == float(
        rows[-1]["lr"])


def test_export_makes_a_curve_table(shared_server, done, tmp_path):
    text = ok("export", done, "--format", "curves", server=shared_server)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert list(rows[0])[-5:] == ["seed", "v1", "v2", "s1", "s2"]
    assert [(row["v1"], row["v2"]) for row in rows] == [("0", "1"), ("10", "11"), ("20", "21"),
                                                        ("30", "31")]
    assert all(0 < float(row["s1"]) < float(row["s2"]) for row in rows)
    trials = json.loads(ok("trials", done, "--format", "json", server=shared_server))
    assert [float(row["lr"]) for row in rows] == [trial["params"]["lr"] for trial in trials]
    written = ok("export", done, "--format", "curves", "--out", "made.csv", server=shared_server,
                 cwd=tmp_path)
    assert written == "made.csv\nmade.json\n" and (tmp_path / "made.csv").read_text() == text
    card = json.loads((tmp_path / "made.json").read_text())
    spec = json.loads(ok("show", done, "--format", "json", server=shared_server))["spec"]
    assert card["parameters"] == spec["parameters"] and card["goal"] == "maximize"
    assert card["checkpoints"] == 2
    again = hone("export", done, "--format", "curves", "--out", "made.csv", server=shared_server,
                 cwd=tmp_path)
    assert again.returncode == 4 and "--force" in again.stderr


def test_export_leaves_unfinished_runs_out_of_a_curve_table_and_says_so(server):
    sweep = server.submit(sweep_spec(terminator={"rule": "none"},
                                     budget={"unit": "frames", "per_run": 1000, "phases": 2}))
    worker = server.join()
    whole, half = server.acquire(worker), server.acquire(worker)
    for phase in range(2):
        server.report(whole, phase, 1.0)
    server.report(half, 0, 5.0)
    result = hone("export", sweep, "--format", "curves", server=server)
    assert result.returncode == 0 and "left out" in result.stderr
    assert "1 running (of 2 runs)" in result.stderr
    assert [row["v2"] for row in csv.DictReader(io.StringIO(result.stdout))] == ["1"]
    empty = server.submit(sweep_spec(name="second"))
    result = hone("export", empty, "--format", "curves", server=server)
    assert result.returncode == 4 and "no run that reached its end" in result.stderr
    result = hone("runs", sweep, "--format", "curves", server=server)
    assert result.returncode == 2 and "unknown format" in result.stderr


def test_explain(server):
    finish(server, evict_last=True)
    for line in ok("trials", "--format", "jsonl", server=server).splitlines():
        result = hone("explain", json.loads(line)["id"], server=server)
        assert result.returncode == 0 and result.stderr == "", result.stderr
        assert "verdict" in result.stdout
    explained = json.loads(ok("explain", "rn_1.0", "--format", "json", server=server))
    assert all(v["recomputed"] == v["verdict"] for v in explained["verdicts"])


def test_lineage(shared_server, done):
    up = ok("lineage", "md_1", server=shared_server)
    assert up.splitlines()[0].startswith("md_1")
    for word in ("saved by rn_1.0", "run of tr_1", f"proposed by {done}", "submitted as wf_1"):
        assert word in up, up
    down = ok("lineage", done, "--down", "--depth", "1", server=shared_server)
    assert down.count("proposed tr_") == 4 and "rn_1.0" not in down
    assert ok("lineage", "md_1", "--dot", server=shared_server).startswith("digraph")
    assert json.loads(ok("lineage", "md_1", "--format", "json",
                         server=shared_server))["root"] == "md_1"
    assert "led to" in ok("lineage", "rn_1.0", "--both", server=shared_server)
    assert "rn_1.0#1" in ok("lineage", "rn_1.0#1", server=shared_server)


def test_models_and_fetch(shared_server, done, tmp_path):
    ids = ok("models", done, "--format", "value", server=shared_server).split()
    assert len(ids) == 4
    assert ok("models", "rn_1.0", "--format", "value", server=shared_server).split() == ids[:2]
    assert ok("fetch", ids[0], server=shared_server, cwd=tmp_path) == f"{ids[0]}.pt\n"
    assert (tmp_path / f"{ids[0]}.pt").read_bytes() == b"0.0"
    again = hone("fetch", ids[0], server=shared_server, cwd=tmp_path)
    assert again.returncode == 4 and "--force" in again.stderr
    assert ok("fetch", ids[1], "-o", "-", server=shared_server) == "0.1"


def test_events(shared_server, done):
    kinds = [json.loads(line)["kind"] for line in ok("events", done, "--format", "jsonl",
                                                     server=shared_server).splitlines()]
    assert kinds[0] == "sweep_submitted" and kinds[-1] == "sweep_ended"
    assert kinds == [json.loads(line)["kind"] for line in
                     ok("events", done, "--follow", "--format", "jsonl",
                        server=shared_server).splitlines()]


def test_doctor(shared_server):
    result = hone("doctor", server=shared_server)
    assert re.search(r"^ok +server ", result.stdout, re.M), result.stdout
    findings = json.loads(hone("doctor", "--format", "json", server=shared_server).stdout)
    assert {"hone-server", "data folder", "disk",
            "server"} <= {finding["what"] for finding in findings}
    backends, = [finding["detail"] for finding in findings if finding["what"] == "backends"]
    assert re.match(r"own \w+; torch (yes|no: .+); cuda (yes|no: .+)$", backends), backends


def test_watch_of_an_ended_sweep_ends_at_once(shared_server, done):
    text = ok("watch", done, server=shared_server)
    assert re.match(rf"{done}  completed  100%  8/8 phases .* best 31", text), text
    assert "\x1b" not in text
