"""Every example of sdk/examples that a sweep runs, started from the repository's folder. Those that
train with a library need a Python that has it (HONE_LIBRARY_PYTHON)."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

from commands import Up, ok
from conftest import BIN, ROOT
from test_python_libraries import python_with

EXAMPLES = ROOT / "sdk" / "examples"


@pytest.fixture
def up(tmp_path):
    one = Up(tmp_path / "data", "--slots", "2", cwd=ROOT)
    yield one
    assert one.stop()[0] == 0


@pytest.fixture
def up_with(tmp_path, monkeypatch):
    """Starts `hone up` with these slots, where python3 of a sweep file has the named modules."""
    started = []

    def start(slots, *modules):
        folder = str(pathlib.Path(python_with(*modules)).parent)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
        started.append(Up(tmp_path / "data", "--slots", str(slots), cwd=ROOT))
        return started[0]

    yield start
    for one in started:
        assert one.stop()[0] == 0


def best_of(up, name, *more, timeout=400):
    sweep = ok("submit", str(EXAMPLES / name), "--watch", "-q", *more, server=up,
               timeout=timeout).split()[0]
    assert sweep.startswith("sw_")
    return ok("best", sweep, "--format", "csv", "--limit", "1", server=up).splitlines()


def best_value_of(up, name, *more, timeout=400):
    header, best = best_of(up, name, "--set", "search.trials=2", *more, timeout=timeout)
    return float(best.split(",")[header.split(",").index("value")])


@pytest.mark.parametrize(
    "name", ["any-command.yaml", "sdk-trial.yaml", "ga3c-files.yaml", "parallel-cem.yaml"])
def test_an_example_finds_something(up, name):
    header, best = best_of(up, name)
    assert "value" in header and best


def test_stable_baselines3_with_one_changed_line(up_with):
    up = up_with(2, "gymnasium", "stable_baselines3")
    assert best_value_of(up, "sb3-cartpole.yaml") > 0


def test_a_program_in_the_manner_of_cleanrl_is_tuned_unchanged(up_with):
    up = up_with(2, "gymnasium", "torch")
    assert best_value_of(up, "ppo-single-file.yaml") > 40, "a random player has 22"


def test_rllib_continues_the_run_that_asha_paused(up_with):
    """asha pauses both runs after their first phase and continues one in another process."""
    up = up_with(1, "ray.rllib", "torch", "gymnasium")
    value = best_value_of(up, "rllib-cartpole.yaml", "--set", "terminator={rule: asha}",
                          timeout=1200)
    assert value > 40, "a random player has 22"
    runs = json.loads(ok("runs", "sw_1", "--format", "json", server=up))
    assert sorted((run["attempts"], run["state"]) for run in runs) == [
        (1, "stopped"), (2, "completed")], runs


def test_the_cpp_project_builds_against_an_installed_hone(up, tmp_path):
    """find_package(hone), outside the tree; then a sweep of the program."""
    prefix, project = tmp_path / "prefix", tmp_path / "project"
    for tool in ("cmake", "c++"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    build_folder = BIN.parent
    if not (build_folder / "packaging" / "libhone_sdk.a").exists():
        pytest.skip("the SDK's library is not built")
    run = dict(check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--install", build_folder, "--prefix", prefix, "--component", "sdk"],
                   **run)
    shutil.copytree(EXAMPLES / "cpp-project", project)
    subprocess.run(["cmake", "-S", project, "-B", project / "build",
                    f"-DCMAKE_PREFIX_PATH={prefix}",
                    "-DCMAKE_BUILD_TYPE=Debug"], **run)
    subprocess.run(["cmake", "--build", project / "build"], **run)
    command = f'command={{run: ["{project}/build/climb"]}}'
    sweep = ok("submit", str(project / "climb.yaml"), "--set", command, "--watch", "-q", server=up,
               timeout=120).split()[0]
    rows = ok("trials", sweep, "--format", "csv", server=up).splitlines()
    assert len(rows) == 7
    # Without a sweep the same program asks the server.
    told = subprocess.run([project / "build" / "climb"],
                          env={"HONE_SERVER": f"http://127.0.0.1:{up.port}"},
                          capture_output=True, text=True)
    assert told.returncode == 0 and sweep in told.stdout, told.stderr


def test_python_examples_run_alone(tmp_path):
    done = subprocess.run([sys.executable, "-B", str(EXAMPLES / "sdk_trial.py")], cwd=tmp_path,
                          capture_output=True,
                          text=True, env={"PYTHONPATH": str(ROOT / "sdk" / "python")})
    assert done.returncode == 0, done.stderr
