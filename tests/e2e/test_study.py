"""`hone study`: repetitions are sweeps, killing loses nothing, tables do not depend on workers."""
import json
import os
import random
import signal
import subprocess

import pytest

from conftest import ROOT, program

METHODS = {
    "random": {"search": {"method": "random"}, "terminator": {"rule": "none"}},
    "tpe": {"search": {"method": "tpe"}, "terminator": {"rule": "none"}},
}
PROBLEM = {
    "scale": [0, 1],
    "objective": {"metric": "value", "goal": "maximize"},
    "command": ["echo", '@hone {"report": {"step": 1, "value": ${x}}}'],
    "parameters": {"x": {"type": "float", "min": 0, "max": 1}},
    "budget": {"unit": "steps", "per_run": 1, "phases": 1},
}


def study_of(folder, **changes):
    document = {"study": "tiny", "seed": 3, "repetitions": 3, "equal": {"trials": 4},
                "measure": {"seeds": 1, "levels": [0.5]}, "methods": METHODS,
                "problems": {"line": PROBLEM}, **changes}
    path = folder / "study.json"
    path.write_text(json.dumps(document))
    return path


def hone(*words, cwd, check=True):
    done = subprocess.run([program("hone"), *map(str, words)], cwd=cwd, capture_output=True,
                          text=True, timeout=500)
    assert not check or done.returncode == 0, done.stderr
    return done


def shown(path, folder, data):
    return hone("study", "show", path, "--data", data, "--format", "json", cwd=folder).stdout


def test_tables_are_the_same_with_other_numbers_of_workers(tmp_path):
    path = study_of(tmp_path)
    for slots in (1, 3):
        hone("study", "run", path, "--data", f"d{slots}", "--slots", slots, cwd=tmp_path)
    table = shown(path, tmp_path, "d1")
    assert table == shown(path, tmp_path, "d3")
    found = json.loads(table)
    assert found["repetitions"] == 3
    assert {row["method"] for row in found["methods"]} == {"random", "tpe"}
    # The named set is the best of its sweep, and its program ignores seeds: new ones give the same.
    assert all(row["optimism"] == 0 and row["iqm"] > 0 for row in found["methods"])
    assert all(cell["without_value"] == 0 for cell in found["cells"])


def test_a_killed_study_loses_and_repeats_nothing(tmp_path):
    path = study_of(tmp_path)
    words = [program("hone"), "study", "run", str(path), "--data", "killed", "--slots", "2"]
    generator = random.Random(4)
    kills = 0
    for _ in range(40):
        process = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout=0.2 + generator.random() / 2 + kills / 2)
            break
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
    assert process.returncode == 0 and kills > 0
    hone("study", "run", path, "--data", "whole", "--slots", 2, cwd=tmp_path)
    assert shown(path, tmp_path, "killed") == shown(path, tmp_path, "whole")
    hone("study", "report", path, "--data", "killed", cwd=tmp_path)
    outcomes = json.loads((tmp_path / "tiny.json").read_text())["outcomes"]
    ids = [one[role] for one in outcomes for role in ("tuning", "test")]
    assert len(ids) == len(set(ids)) == 12
    assert set(ids) == {f"sw_{i}" for i in range(1, 13)}  # the ledger has no further sweep


def test_a_report_is_printed_again_from_its_data(tmp_path):
    path = study_of(tmp_path, repetitions=2, methods={
        **METHODS, "picker": {"search": {"method": "external",
                                         "command": ["python3", str(ROOT / "sdk/examples/picker.py")]}}})
    out, again = tmp_path / "out", tmp_path / "again"
    out.mkdir(), again.mkdir()
    hone("study", "run", path, "--data", "d", "--slots", 2, cwd=tmp_path)
    hone("study", "report", path, "--data", "d", "-o", out, cwd=tmp_path)
    hone("study", "report", "--from", out / "tiny.json", "-o", again, cwd=tmp_path)
    page = (out / "tiny.md").read_text()
    assert page.splitlines()[0] == "# Study tiny" and "picker" in page and "sw_1" in page
    without_command = [[line for line in (folder / "tiny.md").read_text().splitlines()
                        if not line.startswith("Printed by")] for folder in (out, again)]
    assert without_command[0] == without_command[1]
    assert (out / "tiny.html").read_text().count("<svg") == 4
    assert "\\begin{tabular}" in (out / "tiny.tex").read_text()


@pytest.mark.parametrize("equal", [{"steps": 3}, {"runs": 3}])
def test_equal_steps_cut_every_method_at_the_same_cost(equal, tmp_path):
    path = study_of(tmp_path, repetitions=1, equal=equal)
    hone("study", "run", path, "--data", "d", "--slots", 1, cwd=tmp_path)
    found = json.loads(shown(path, tmp_path, "d"))
    hone("study", "report", path, "--data", "d", cwd=tmp_path)
    for one in json.loads((tmp_path / "tiny.json").read_text())["outcomes"]:
        assert one["spent"] >= 3
        assert all(point["spent"] <= 3 for point in one["best"])
    assert found["outcomes"] == 2


def test_a_study_stops_when_the_answer_is_known(tmp_path):
    best = {"search": {"method": "grid", "points": 2, "trials": 2}, "terminator": {"rule": "none"}}
    path = study_of(tmp_path, equal={"trials": 2}, methods={**METHODS, "ends": best},
                    repetitions={"until": 0.4, "least": 6, "most": 14})
    done = hone("study", "run", path, "--data", "d", "--slots", 3, cwd=tmp_path)
    assert "ends is the best method on line" in " ".join(done.stderr.split())
    assert json.loads(shown(path, tmp_path, "d"))["repetitions"] < 14


@pytest.mark.parametrize("changes, sentence", [
    ({"repetitions": 0}, "/repetitions"),
    ({"methods": {"a": {"search": {"method": "nothing"}}}}, "nothing"),
    ({"equal": {"trials": 1, "steps": 1}}, "exactly one"),
    ({"methods": {"p": {"search": {"method": "pbt"}, "terminator": {"rule": "pbt"}}}}, "method p"),
])
def test_a_wrong_study_is_refused_before_anything_runs(tmp_path, changes, sentence):
    done = hone("study", "run", study_of(tmp_path, **changes), cwd=tmp_path, check=False)
    assert done.returncode == 2 and sentence in done.stderr
    assert os.listdir(tmp_path) == ["study.json"]


def test_failing_runs_are_reported(tmp_path):
    fails = {**PROBLEM, "command": ["false", "${x}"]}
    path = study_of(tmp_path, repetitions=1, problems={"fails": fails})
    done = hone("study", "run", path, "--data", "d", "--slots", 2, cwd=tmp_path)
    assert "2 of 2 repetitions gave no value" in " ".join(done.stderr.split())


def test_a_study_that_never_ran_has_nothing_to_show(tmp_path):
    done = hone("study", "show", study_of(tmp_path), cwd=tmp_path, check=False)
    assert done.returncode == 3 and "run the study first" in done.stderr
    assert hone("study", "draw", study_of(tmp_path), cwd=tmp_path, check=False).returncode == 2
