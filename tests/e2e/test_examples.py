"""Every example of sdk/examples that a sweep runs, started from the repository's folder."""
import shutil
import subprocess
import sys

import pytest

from commands import Up, ok
from conftest import BIN, ROOT

EXAMPLES = ROOT / "sdk" / "examples"


@pytest.fixture
def up(tmp_path):
    one = Up(tmp_path / "data", "--slots", "2", cwd=ROOT)
    yield one
    assert one.stop()[0] == 0


def best_of(up, name, *more):
    sweep = ok("submit", str(EXAMPLES / name), "--watch", "-q", *more, server=up,
               timeout=400).split()[0]
    assert sweep.startswith("sw_")
    return ok("best", sweep, "--format", "csv", "--limit", "1", server=up).splitlines()


@pytest.mark.parametrize(
    "name", ["any-command.yaml", "sdk-trial.yaml", "ga3c-files.yaml", "parallel-cem.yaml"])
def test_an_example_finds_something(up, name):
    header, best = best_of(up, name)
    assert "value" in header and best


def test_stable_baselines3_with_one_changed_line(up):
    # The python3 that the sweep file names, whichever runs these tests.
    if subprocess.run(["python3", "-c", "import gymnasium, stable_baselines3"],
                      capture_output=True).returncode != 0:
        pytest.skip(
            "this python3 has no stable_baselines3 (pip install stable-baselines3, about 2 GB with PyTorch)")
    header, best = best_of(up, "sb3-cartpole.yaml", "--set", "search.trials=2")
    assert best


def test_a_program_in_the_manner_of_cleanrl_is_tuned_unchanged(up):
    if subprocess.run(["python3", "-c", "import gymnasium, torch"],
                      capture_output=True).returncode != 0:
        pytest.skip("this python3 has no gymnasium and torch")
    header, best = best_of(up, "ppo-single-file.yaml", "--set", "search.trials=2")
    value = float(best.split(",")[header.split(",").index("value")])
    assert value > 40, "a random player has 22"


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
