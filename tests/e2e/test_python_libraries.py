"""The integrations with the libraries themselves. Each test needs a Python that has the library:
HONE_LIBRARY_PYTHON (several with colons between them), the Python of these tests, or python3."""
import ast
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

from commands import Up, ok
from conftest import BIN, ROOT, program

EXAMPLES = ROOT / "sdk" / "examples" / "libraries"
SUITES = pathlib.Path(__file__).parent / "libraries"


def python_with(*modules):
    named = filter(None, os.environ.get("HONE_LIBRARY_PYTHON", "").split(":"))
    pythons = [*map(os.path.abspath, named), sys.executable, shutil.which("python3")]
    script = ("import importlib.util, sys\n"
              "sys.exit(not all(map(importlib.util.find_spec, sys.argv[1:])))")
    for python in filter(None, pythons):
        if subprocess.run([python, "-c", script, *modules], capture_output=True).returncode == 0:
            return python
    pytest.skip(f"no Python has {' and '.join(modules)}: make a virtual environment with it and "
                "name its python in HONE_LIBRARY_PYTHON")


def run(python, *words, cwd):
    program("hone-server")
    clean = {key: value for key, value in os.environ.items()
             if key not in ("HONE_SERVER", "HONE_RUN_FILE")}
    clean.update(PYTHONPATH=str(ROOT / "sdk" / "python"), HONE_BIN=str(BIN),
                 HONE_DATA=str(cwd / "data"), OMP_NUM_THREADS="1", CUDA_VISIBLE_DEVICES="")
    done = subprocess.run([python, "-B", *map(str, words)], cwd=cwd, env=clean,
                          capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    return done.stdout


def test_the_types_hold(tmp_path):
    python = python_with("mypy", "hydra", "omegaconf")
    folder = ROOT / "sdk" / "python"
    text = run(python, "-m", "mypy", "--config-file", folder / "pyproject.toml", "--cache-dir",
               os.devnull, folder / "hone", folder / "hydra_plugins", cwd=tmp_path)
    assert "no issues found" in text


def test_optunas_own_tests_of_samplers_pass(tmp_path):
    python = python_with("optuna", "optuna.testing.pytest_samplers", "pytest", "numpy")
    text = run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", SUITES / "optuna_suite.py",
               cwd=tmp_path)
    assert " passed" in text and "skipped" not in text, text


def test_a_study_of_optuna_changes_one_line(tmp_path):
    text = run(python_with("optuna"), EXAMPLES / "optuna_study.py", cwd=tmp_path)
    assert float(text.split()[1]) < 1


OVERRIDES = """
import json, sys
from hone import HoneError
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra_plugins.hone_sweeper import entry_of
entries = []
for case in json.load(open(sys.argv[1])):
    try:
        entries.append(entry_of(OverridesParser.create().parse_override("a=" + case["override"])))
    except HoneError as error:
        entries.append({"error": True})
print(json.dumps(entries))
"""


# The same cases hold for hone import hydra (unit/sdk/import_formats_test.cpp).
def test_the_sweeper_of_hydra_searched_other_ranges_than_hydra(tmp_path):
    python = python_with("hydra", "omegaconf")
    (tmp_path / "overrides.py").write_text(OVERRIDES)
    cases = ROOT / "tests" / "data" / "import" / "hydra_overrides.json"
    entries = json.loads(run(python, "overrides.py", cases, cwd=tmp_path))
    for case, entry in zip(json.loads(cases.read_text()), entries):
        if entry.pop("type", "") == "bool":
            entry["values"] = [True, False]
        elif "type" in case:
            assert entry["max"] - entry["min"] > 0
        wanted = {key: value for key, value in case.items() if key not in ("override", "type")}
        assert {key: entry.get(key) for key in wanted} == wanted, case
        assert not {"step", "scale", "values"} & set(entry) - set(wanted), case


def test_an_application_of_hydra(tmp_path):
    run(python_with("hydra", "omegaconf"), EXAMPLES / "hydra_app.py", "-m",
        "lr=tag(log, interval(1e-5, 1.0))", "layers=range(1, 5)", "kind=choice(a, b)",
        "hydra.sweep.dir=sweep", cwd=tmp_path)
    best = json.loads((tmp_path / "sweep" / "optimization_results.json").read_text())
    assert best["value"] < 5 and best["params"]["layers"] in (1, 2, 3, 4)
    assert len(list((tmp_path / "sweep").glob("[0-9]*"))) == 12


JOBS = """
import os
import hydra
from hydra.core.hydra_config import HydraConfig
from omegaconf import OmegaConf
@hydra.main(version_base=None, config_path=None)
def main(given):
    job = HydraConfig.get().job
    if given.x == 3:
        raise ValueError("three is odd")
    with open(os.path.join(HydraConfig.get().runtime.output_dir, "seen"), "w") as file:
        file.write(f"{given.x} {given.text} {job.num} {os.environ['HONE_RUN_FILE'] != ''}")
    return given.x
main()
"""


def launch(folder, *words):
    """An application with the launcher of hone below the sweeper of Hydra."""
    python = python_with("hydra", "omegaconf")
    (folder / "jobs.py").write_text(JOBS)
    up = Up(folder / "data", "--slots", "2", cwd=folder)
    try:
        done = subprocess.run(
            [python, "-B", "jobs.py", "-m", "hydra/launcher=hone", "hydra.sweep.dir=out",
             "+text='it is, \"so\"'", *words], cwd=folder, capture_output=True, text=True,
            timeout=300, env={**os.environ, "PYTHONPATH": str(ROOT / "sdk" / "python"),
                              "HONE_SERVER": f"http://127.0.0.1:{up.port}"})
        trials = json.loads(ok("trials", "sw_1", "--format", "json", server=up))
    finally:
        up.stop()
    return done, {trial["params"]["job"]: trial for trial in trials}


def test_jobs_of_hydra_run_on_workers(tmp_path):
    done, trials = launch(tmp_path, "+x=1,2,4")
    assert done.returncode == 0, done.stderr
    seen = [(tmp_path / "out" / str(at) / "seen").read_text() for at in range(3)]
    assert seen == [f"{x} it is, \"so\" {at} True" for at, x in enumerate((1, 2, 4))]
    assert {trial["value"] for trial in trials.values()} == {1.0, 2.0, 4.0}
    assert any(name.startswith("2: ") and "+x=4" in name for name in trials)
    assert not list((tmp_path / "out").glob(".hone-*"))


def test_a_failed_job_of_hydra_leaves_the_others_and_names_its_error(tmp_path):
    done, trials = launch(tmp_path, "+x=3,5")
    assert done.returncode == 1 and "three is odd" in done.stderr
    assert (tmp_path / "out" / "1" / "seen").read_text().startswith("5 ")
    assert sorted(trial["state"] for trial in trials.values()) == ["completed", "failed"]


def test_the_sweeper_and_the_launcher_of_hydra_together(tmp_path):
    python = python_with("hydra", "omegaconf")
    up = Up(tmp_path / "data", "--slots", "3", cwd=tmp_path)
    try:
        run(python, EXAMPLES / "hydra_app.py", "-m", "hydra/launcher=hone",
            f"hydra.launcher.server=http://127.0.0.1:{up.port}",
            f"hydra.sweeper.server=http://127.0.0.1:{up.port}", "hydra.sweeper.n_trials=6",
            "lr=tag(log, interval(1e-5, 1.0))", "hydra.sweep.dir=sweep", cwd=tmp_path)
    finally:
        up.stop()
    best = json.loads((tmp_path / "sweep" / "optimization_results.json").read_text())
    assert best["value"] < 6 and len(list((tmp_path / "sweep").glob("[0-9]*"))) == 6


FRAME = """
import hone
sweep = hone.Sweep({"x": hone.Float(0, 1), "mode": ["diverged", "calm"]}, "v", search="random",
                   trials=4)
for i, run in enumerate(sweep.asks()):
    sweep.tell(run, float("nan") if i == 2 else run.params["x"])
frame, reports = sweep.frame(), sweep.frame("reports")
values = [row["value"] for row in sweep.trials()]
assert values[2] == "diverged" and frame["value"].isna().tolist() == [False, False, True, False]
assert frame["value"].max() == max(value for value in values if value != "diverged")
assert reports["value"].dtype == float and reports["value"].isna().sum() == 1
assert set(frame["params.mode"]) <= {"diverged", "calm"}
print(frame["state"][2])
"""


def test_one_diverged_trial_made_the_value_column_text(tmp_path):
    (tmp_path / "frame.py").write_text(FRAME)
    assert run(python_with("pandas"), "frame.py", cwd=tmp_path).strip() == "stopped"


NUMPY = """
import hone
import numpy as np
import pandas as pd
tenths = np.array([0.1, 0.2], dtype=np.float32)
spaces = {"list": list(np.arange(1, 4)), "array": np.array([1, 2, 3]), "range": range(1, 4),
          "float32": list(tenths), "column": pd.Series(["a", "b"]), "entry": hone.Float(
              np.float32(0.1), np.int64(1), step=np.float32(0.1))}
sweep = hone.Sweep(spaces, "v", search="random", trials=3)
print(sweep.client.sweep(sweep.id)["spec"]["parameters"])
sweep.enqueue({"list": np.int64(2), "float32": tenths[0], "entry": np.float32(0.3)})
params = sweep.ask().params
print(params["list"], params["float32"], params["entry"])
for bad in ([1.0, np.nan], [np.inf], np.float64("nan"), {1, 2}, [np.datetime64("2026-01-01")]):
    try:
        hone.Sweep({"rate": bad}, "v").id
    except hone.HoneError as error:
        print(error)
"""


def test_a_space_of_numpy_was_not_serializable_and_no_parameter_was_named(tmp_path):
    (tmp_path / "numpy_space.py").write_text(NUMPY)
    lines = run(python_with("numpy", "pandas"), "numpy_space.py", cwd=tmp_path).splitlines()
    spec = ast.literal_eval(lines[0])
    assert [spec[name].get("values") for name in spec] == [
        [1, 2, 3], [1, 2, 3], [1, 2, 3], [0.1, 0.2], ["a", "b"], None]
    assert (spec["entry"]["min"], spec["entry"]["max"], spec["entry"]["step"]) == (0.1, 1.0, 0.1)
    assert lines[1] == "2 0.1 0.3"
    assert len(lines) == 7 and all("/parameters/rate" in line for line in lines[2:]), lines


def test_vector_environments_of_gymnasium(tmp_path):
    python = python_with("gymnasium.vector", "numpy")
    version = run(python, "-c", "import gymnasium; print(gymnasium.__version__)", cwd=tmp_path)
    if version.startswith("0."):
        pytest.skip(f"{python} has Gymnasium {version.strip()}; the wrapper is for Gymnasium 1")
    text = run(python, EXAMPLES / "gymnasium_vector.py", cwd=tmp_path)
    assert float(text.split()[-1]) > 30


def test_stable_baselines3_continues_a_preempted_run(tmp_path):
    python = python_with("stable_baselines3", "gymnasium", "torch")
    text = run(python, SUITES / "sb3_resume.py", cwd=tmp_path)
    lines = text.splitlines()
    assert lines[0].startswith("attempt 1 begins at 0 with mean 0"), text
    words = lines[1].split()
    assert words[:2] == ["attempt", "2"] and int(words[4]) >= 1000 and int(words[7]) >= 1000, text
    assert lines[2:] == ["[0, 1, 2, 3] True", "True"], text


def test_a_newcomer_tunes_ppo_of_stable_baselines3(tmp_path, monkeypatch):
    """An empty folder, and the commands that hone init names."""
    python = pathlib.Path(python_with("stable_baselines3", "gymnasium", "torch"))
    monkeypatch.setenv("PATH", f"{python.parent}:{os.environ['PATH']}")  # sweep.yaml: python3
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "sdk" / "python"))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert ok("init", "sb3", cwd=tmp_path).split() == ["train_sb3.py", "sweep.yaml"]
    up = Up(tmp_path / "data", "--slots", "2", cwd=tmp_path)
    try:
        changes = ("seed=1", "search.trials=2", "budget.per_run=10000", "budget.phases=2",
                   "parameters.learning_rate.min=0.001")
        ok("submit", "sweep.yaml", "--watch", "-q", *(word for change in changes
                                                      for word in ("--set", change)),
           cwd=tmp_path, server=up, timeout=500)
        best = json.loads(ok("best", "--format", "json", server=up))[0]
        runs = json.loads(ok("runs", "sw_1", "--format", "json", server=up))
        models = json.loads(ok("models", "sw_1", "--format", "json", server=up))
    finally:
        up.stop()
    assert best["value"] > 40  # about 20 without training
    assert models and not [run for run in runs if run["state"] == "failed"]


@pytest.mark.parametrize("example, modules", [
    ("lightning_line.py", ("lightning", "torch")),
    ("transformers_tiny.py", ("transformers", "accelerate", "torch")),
])
def test_paused_runs_of_a_trainer_continue(tmp_path, example, modules):
    text = run(python_with(*modules), EXAMPLES / example, cwd=tmp_path)
    assert float(text.split()[-1]) < 1


UNPACK = """
import io, os, sys, tarfile, types
import hone, hone.transformers
def member(name, kind=tarfile.REGTYPE, target="", size=4):
    one = tarfile.TarInfo(name)
    one.type, one.linkname, one.size, one.mode = kind, target, size, 0o4777
    return one
def resume(members, mode="w"):
    with tarfile.open("model.tar", mode) as archive:
        for one in members:
            archive.addfile(one, io.BytesIO(b"x" * one.size) if one.isreg() else None)
    run = types.SimpleNamespace(checkpoint_dir="unpacked", resume=types.SimpleNamespace(
        path="model.tar", model="md_1"))
    return hone.transformers.resume_folder(run)
os.mkdir("unpacked")
bad = [[member("../escaped")], [member("/tmp/escaped")], [member("a/../../escaped")], [],
       [member("a", tarfile.SYMTYPE, "/etc"), member("a/escaped")],
       [member("a", tarfile.LNKTYPE, "/etc/passwd")], [member("a", tarfile.FIFOTYPE)]]
for members in bad:
    try:
        resume(members)
        sys.exit(f"{[one.name for one in members]} was unpacked")
    except hone.HoneError:
        pass
try:
    resume([member("a/model", size=1 << 20)], "w:xz")
    sys.exit("a compressed archive was unpacked")
except hone.HoneError:
    pass
print(os.listdir("unpacked"), resume([member("a/model")]), oct(os.stat("unpacked/a/model").st_mode))
"""


def test_a_checkpoint_of_the_trainer_that_is_a_trap_is_not_unpacked(tmp_path):
    (tmp_path / "unpack.py").write_text(UNPACK)
    text = run(python_with("transformers", "torch"), "unpack.py", cwd=tmp_path)
    assert text == "[] unpacked/a 0o100700\n"


def test_a_notebook_searches_with_a_function_and_shows_the_sweep(tmp_path):
    python = python_with("nbclient", "nbformat", "ipykernel")
    (tmp_path / "notebook.py").write_text('''
import nbclient, nbformat
book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in (
    "import hone",
    "sweep = hone.Sweep({'x': hone.Float(0, 1)}, trials=4)\\nscale = 2",
    "best = sweep.run(lambda run: scale * run.params['x'], workers=2)\\nbest['state']",
    "sweep")])
nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
print(book.cells[2].outputs[-1]["data"]["text/plain"])
print(book.cells[3].outputs[-1]["data"]["text/html"])
''')
    text = run(python, "notebook.py", cwd=tmp_path)
    assert text.startswith("'completed'") and "<table" in text and "<svg" in text
