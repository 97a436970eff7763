"""Environments of Gymnasium and Atari through the bridge, by the Python of HONE_PYTHON.

tests/unit/train/envs_bridge_test.cpp tests what needs no package. ./test installs the packages of
libraries/gym.txt into build/libraries/gym, whose Python conftest.py names.
"""
import json
import os
import pathlib
import subprocess
import sys

import pytest

from conftest import ROOT, program

PATIENCE = 300


def python():
    installed = pathlib.Path.home() / ".hone" / "python" / "bin" / "python"
    return os.environ.get("HONE_PYTHON") or (str(installed) if installed.exists() else "python3")


def needs(*packages):
    """Skips a test where no Python is named: one that is named and lacks a package is an error."""
    done = subprocess.run([python(), "-c", f"import {', '.join(packages)}"], capture_output=True)
    if done.returncode != 0 and "HONE_PYTHON" in os.environ:
        raise ImportError(f"HONE_PYTHON={python()} has no {' and '.join(packages)}")
    return pytest.mark.skipif(done.returncode != 0,
                              reason=f"{python()} has no {' and '.join(packages)}: "
                                      "set HONE_PYTHON to one that has")


def train(env, frames, *more, expect=0, **environment):
    done = subprocess.run([program("hone-train"), "ga3c", "--env", env, "--frames", str(frames),
                           "--seed", "1", "--format", "json",
                           *more], capture_output=True, text=True, timeout=PATIENCE,
                          env={**os.environ, **environment})
    assert done.returncode == expect, done.stderr
    return json.loads(done.stdout) if expect == 0 else done.stderr


def left_over():
    """Orphaned processes of the bridge."""
    done = subprocess.run(["pgrep", "-f",
                           "Environments of Gymnasium's kind, stepped for hone-train.*serve toy"],
                          capture_output=True, text=True)
    return done.stdout.split()


@needs("gymnasium")
def test_a_gymnasium_environment_is_learned():
    result = train("gym:CartPole-v1", 60_000)
    assert result["frames"] == 60_000 and result["return"] > 60, result


@needs("gymnasium")
def test_continuous_actions_reach_their_bounds():
    result = train("gym:Pendulum-v1", 4_000, "--set", "envs=4")
    assert -2000 < result["return"] < -100, result


@needs("gymnasium")
def test_what_gymnasium_does_not_know_is_refused_with_its_reason():
    assert "NameNotFound" in train("gym:NoSuchGame-v1", 1000,
                                   expect=2) or "no" in train("gym:NoSuchGame-v1", 1000, expect=2)


@needs("gymnasium", "ale_py")
def test_a_game_of_atari_is_played():
    result = train("atari:Pong", 1_200, "--set", "envs=4")
    assert result["frames"] == 1_200 and -21 <= result["return"] <= 21, result


@needs("gymnasium", "ale_py")
def test_screens_of_a_game_are_the_maximum_of_two_in_four_stacked_and_reduced_by_area():
    """Next to the emulator, whose screens are reduced here: rounding differs by half a level."""
    done = subprocess.run([python(), str(ROOT / "tests" / "e2e" / "atari_screens.py"),
                           str(ROOT / "worker" / "train" / "envs" / "bridge")],
                          capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["shape"] == [4, 84, 84] and told["worst"] <= 1, told


@needs("gymnasium", "ale_py")
def test_a_lost_life_does_not_end_a_game(tmp_path):
    """The same games with and without the news of lost lives: evaluation counts whole ones."""
    model = tmp_path / "model"
    told = "atari:Breakout?life_loss_info=true"
    train(told, 1_200, "--set", "envs=4", "--out", str(model))
    returns = []
    for env in (told, "atari:Breakout"):
        done = subprocess.run([program("hone-train"), "ga3c", "--evaluate", str(model), "--env",
                               env, "--episodes", "8", "--sample", "--seed", "3", "--format",
                               "json"], capture_output=True, text=True, timeout=PATIENCE, check=True)
        returns.append(json.loads(done.stdout)["mean"])
    assert returns[0] == returns[1], returns


def test_a_game_that_ended_with_an_extra_life_was_taken_for_a_lost_life():
    result = train("atari:Extra", 400, "--set", "envs=4", HONE_PYTHON=sys.executable,
                   PYTHONPATH=str(ROOT / "tests" / "data" / "extra_lives"))
    assert result["return"] == 10, result


def test_a_sweep_may_name_an_environment_of_ones_own(tmp_path, server):
    """Needs no package: the environment is a file of the user's."""
    spec = {"name": "own", "objective": {"metric": "return", "goal": "maximize"},
            "trainer": {"name": "ga3c", "env": "gym:toy_envs:Walk?length=5", "envs": 4},
            "parameters": {"learning_rate": {"type": "float", "min": 1e-4, "max": 1e-2,
                                             "scale": "log"}},
            "search": {"method": "random", "trials": 2}, "budget": {"unit": "frames",
                                                                    "per_run": 2000, "phases": 2}}
    sweep = server.submit(spec)
    environment = {**os.environ, "HONE_SERVER": f"http://127.0.0.1:{server.port}",
                   "PYTHONPATH": str(ROOT / "tests" / "data" / "gym")}
    subprocess.run([program("hone-worker"), "--slots", "1", "--data", str(tmp_path / "worker"),
                    "--until-idle"], env=environment, check=True,
                   timeout=PATIENCE, capture_output=True)
    row = server.get(f"/v1/sweeps/{sweep}")
    assert row["state"] == "completed" and row["best"]["value"] > 50, row
    assert not left_over()


def test_an_environment_that_keeps_failing_ends_the_training_with_its_reason(tmp_path):
    said = train("gym:toy_envs:Walk?fault=raise&fault_at=1", 2000, "--set", "envs=2", expect=1,
                 PYTHONPATH=str(ROOT / "tests" / "data" / "gym"))
    assert "the walk is over" in said and "given up" in said
