"""The integrations with the libraries themselves. Each test needs a Python that has the library:
HONE_LIBRARY_PYTHON (several with colons between them), the Python of these tests, or python3."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

from conftest import BIN, ROOT, program

EXAMPLES = ROOT / "sdk" / "examples" / "libraries"
SUITES = pathlib.Path(__file__).parent / "libraries"


def python_with(*modules):
    pythons = [*filter(None, os.environ.get("HONE_LIBRARY_PYTHON", "").split(":")), sys.executable,
               shutil.which("python3")]
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


def test_optunas_own_tests_of_samplers_pass(tmp_path):
    python = python_with("optuna", "optuna.testing.pytest_samplers", "pytest", "numpy")
    text = run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", SUITES / "optuna_suite.py",
               cwd=tmp_path)
    assert " passed" in text and "skipped" not in text, text


def test_a_study_of_optuna_changes_one_line(tmp_path):
    text = run(python_with("optuna"), EXAMPLES / "optuna_study.py", cwd=tmp_path)
    assert float(text.split()[1]) < 1


def test_an_application_of_hydra(tmp_path):
    run(python_with("hydra", "omegaconf"), EXAMPLES / "hydra_app.py", "-m",
        "lr=tag(log, interval(1e-5, 1.0))", "layers=range(1, 5)", "kind=choice(a, b)",
        "hydra.sweep.dir=sweep", cwd=tmp_path)
    best = json.loads((tmp_path / "sweep" / "optimization_results.json").read_text())
    assert best["value"] < 5 and best["params"]["layers"] in (1, 2, 3, 4)
    assert len(list((tmp_path / "sweep").glob("[0-9]*"))) == 12


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


@pytest.mark.parametrize("example, modules", [
    ("lightning_line.py", ("lightning", "torch")),
    ("transformers_tiny.py", ("transformers", "accelerate", "torch")),
])
def test_paused_runs_of_a_trainer_continue(tmp_path, example, modules):
    text = run(python_with(*modules), EXAMPLES / example, cwd=tmp_path)
    assert float(text.split()[-1]) < 1


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
