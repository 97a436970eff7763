"""Screens with a black background: of made-up frames, and of ALE if HONE_PYTHON has it."""
import json
import subprocess
import sys

import pytest

from conftest import ROOT, program
from test_gym import PATIENCE, needs, train

numpy = pytest.importorskip("numpy", reason="the screens are computed with NumPy")
sys.path.insert(0, str(ROOT / "worker" / "train" / "envs" / "bridge"))
from black_background import BlackBackground, background_of  # noqa: E402


def frame(background, ball):
    """A frame of one level with a column of another."""
    made = numpy.full((84, 84), background, dtype="uint8")
    made[:, ball] = 236
    return made


def stack(*frames):
    return numpy.stack(frames)


def none_of(copies):
    return numpy.zeros(copies, dtype=bool)


def test_each_frame_becomes_its_distance_from_its_own_most_frequent_level():
    background = BlackBackground((2, 84, 84))
    seen = background.reset(stack(stack(frame(107, 3), frame(87, 4))))
    assert seen.dtype == numpy.uint8 and seen.shape == (1, 2, 84, 84)
    assert set(seen[0, 0].ravel()) == {0, 236 - 107} and (seen[0, 0, :, 3] == 129).all()
    assert set(seen[0, 1].ravel()) == {0, 236 - 87} and (seen[0, 1, :, 4] == 149).all()
    darker = numpy.where(frame(87, 4) == 236, 80, 87).astype("uint8")
    assert (background.convert(darker)[:, 4] == 7).all(), "darker pixels have no negative levels"


def test_a_frame_looks_the_same_in_every_state_that_has_it():
    frames = [frame(level, ball) for ball, level in enumerate((107, 87, 90, 132))]
    background = BlackBackground((2, 84, 84))
    seen = [background.reset(stack(stack(frames[0], frames[1])))]
    for newest in (2, 3):
        seen.append(background.step(stack(stack(frames[newest - 1], frames[newest])), none_of(1)))
    for before, after in zip(seen, seen[1:]):
        assert (before[0, 1] == after[0, 0]).all()


def test_a_copy_that_begins_again_shows_none_of_the_levels_before():
    background = BlackBackground((2, 84, 84))
    long = stack(frame(87, 1), frame(87, 2))
    background.reset(stack(long, long))
    begun = stack(frame(0, 5), frame(107, 6))
    seen = background.step(stack(begun, long), numpy.array([True, False]))
    assert (seen[0] == background.convert(begun)).all() and (seen[0, 0] == begun[0]).all()
    assert (seen[1] == background.convert(long)).all()


def test_words_and_screens_without_a_meaning_are_refused():
    with pytest.raises(ValueError, match="kept or black, not 'blue'"):
        background_of("blue", (4, 84, 84))
    with pytest.raises(ValueError, match="grey screens"):
        background_of("black", (4, 84, 84, 3))
    kept = background_of("kept", (4, 84, 84))
    same = stack(stack(frame(87, 1)))
    assert kept.reset(same) is same and kept.step(same, none_of(1)) is same


def test_screens_with_a_black_background_are_learned(monkeypatch):
    """The ball that the paddle should catch is 4 pixels of 576; random actions return -0.1."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests" / "data" / "gym"))
    chosen = {"envs": 16, "t_max": 64, "hidden": 128, "layers": 1, "activation": "relu",
              "learning_rate": 0.001, "entropy": 0.01}
    settings = [word for name, value in chosen.items() for word in ("--set", f"{name}={value}")]
    done = subprocess.run([program("hone-train"), "ppo", "--env", "gym:toy_envs:Catch", "--frames",
                           "16k", "--seed", "1", "--format", "json", *settings],
                          capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["return"] > 0.5, done.stdout


@needs("gymnasium", "ale_py")
def test_a_game_of_atari_is_played_on_a_black_background():
    result = train("atari:Pong?background=black", 1_200, "--set", "envs=4")
    assert result["frames"] == 1_200 and -21 <= result["return"] <= 21, result
    assert "kept or black" in train("atari:Pong?background=blue", 1_000, expect=2)
    assert "grey screens" in train("atari:Pong?background=black&grayscale=false", 1_000, expect=2)
