"""The screens of GA3C's published code: of made-up games, and of ALE's if HONE_PYTHON has it."""
import sys

import pytest

from conftest import ROOT
from test_gym import needs, train

numpy = pytest.importorskip("numpy", reason="the screens are computed with NumPy")
sys.path.insert(0, str(ROOT / "worker" / "train" / "envs" / "bridge"))
from published_frames import PublishedFrames  # noqa: E402


class Stripes:
    """Screen t is black but for a white stripe, which moves by 16 columns a screen. A life has
    `length` screens; the reward of a step is its number."""

    choices = (0, 1, 2)

    def __init__(self, length=100):
        self.length, self.actions, self.seeds, self.t = length, [], [], 0

    def screen(self):
        screen = numpy.zeros((210, 160, 3), dtype="uint8")
        screen[:, 16 * (self.t % 10):16 * (self.t % 10) + 16] = 200
        return screen

    def reset(self, seed):
        self.seeds.append(seed)
        self.t = 0
        return self.screen()

    def step(self, action):
        self.actions.append(action)
        self.t += 1
        return self.screen(), float(self.t), self.t >= self.length


def places(observation):
    """The number of the stripe in each of the four frames."""
    assert observation.shape == (84, 84, 4) and observation.dtype == numpy.uint8
    columns = observation[42].astype(float)
    return [int((columns[:, k] * (numpy.arange(84) + 0.5)).sum() / columns[:, k].sum() / 8.4)
            for k in range(4)]


def test_a_screen_is_the_luminance_stretched_and_reduced_as_by_pillow():
    x, y = numpy.meshgrid(numpy.arange(160), numpy.arange(210))
    screen = numpy.stack([(3 * x + y) % 256, (5 * y) % 256, (x * y) % 256], -1).astype("uint8")
    frame = PublishedFrames(Stripes()).frame(screen)
    # Pillow 12: Image.fromarray(stretched).resize((84, 84), Image.BILINEAR)
    pillow = {(0, 0): 4, (0, 83): 80, (20, 41): 138, (42, 7): 71, (60, 66): 166, (83, 0): 86,
              (83, 83): 78}
    for place, value in pillow.items():
        assert abs(int(frame[place]) - value) <= 1, (place, frame[place])
    assert abs(frame.mean() - 127.953) < 0.1


def test_contrast_is_that_of_each_screen():
    frames = PublishedFrames(Stripes())
    dim = numpy.full((210, 160, 3), 50, dtype="uint8")
    assert frames.frame(dim).max() == 0
    dim[:, :80] = 60
    assert (frames.frame(dim).min(), frames.frame(dim).max()) == (0, 255)


def test_an_episode_begins_with_three_actions_0_and_shows_the_oldest_frame_first():
    game = Stripes()
    frames = PublishedFrames(game)
    observation, _ = frames.reset(seed=7)
    assert game.actions == [0, 0, 0] and game.seeds == [7] and places(observation) == [0, 1, 2, 3]
    observation, reward, terminated, truncated, _ = frames.step(2)
    assert places(observation) == [1, 2, 3, 4] and game.actions == [0, 0, 0, 2]
    assert (reward, terminated, truncated) == (4.0, False, False)


def test_a_game_that_ends_before_there_are_four_frames_begins_again():
    game = Stripes(length=5)
    frames = PublishedFrames(game)
    frames.reset(seed=7)
    assert frames.step(1)[2] is False and frames.step(1)[2] is True
    game.length = 2
    game.step = lambda action, step=game.step: revive(game, step, action)
    observation, _ = frames.reset()
    assert game.seeds == [7, None, None] and places(observation) == [0, 1, 2, 3]


def revive(game, step, action):
    """The next life is longer."""
    result = step(action)
    game.length = 100 if result[2] else game.length
    return result


def test_an_episode_is_cut_after_the_published_number_of_actions():
    frames = PublishedFrames(Stripes())
    frames.episode_steps_max = 2
    frames.reset(seed=7)
    assert [frames.step(1)[3] for _ in range(2)] == [False, True]


def test_parity_mode_chooses_the_published_screens_where_the_name_has_no_arguments():
    """A Python without ale_py refuses with the environment's name."""
    nothing = {"HONE_PYTHON": "/bin/false"}
    parity = ("--set", "mode=parity")
    assert "atari:Pong?frames=published" in train("atari:Pong", 1000, *parity, expect=2, **nothing)
    assert "?frames" not in train("atari:Pong", 1000, expect=2, **nothing)
    given = train("atari:Pong?noop_max=1", 1000, *parity, expect=2, **nothing)
    assert "atari:Pong?noop_max=1" in given and "frames=published" not in given


@needs("ale_py")
def test_a_game_of_atari_is_played_with_the_published_screens(tmp_path):
    once = ("--set", "mode=parity", "--set", "agents=1", "--set", "predictors=1", "--set",
            "trainers=1", "--set", "dynamic=no", "--set", "deterministic=yes")
    first, again = (tmp_path / name for name in ("first", "again"))
    for file in (first, again):
        result = train("atari:Pong", 400, *once, "--set", "sticky=0.25", "--out", str(file))
        assert result["frames"] == 400
    assert first.read_bytes() == again.read_bytes()
    assert b"atari:Pong?frames=published" in first.read_bytes()


@needs("ale_py")
def test_published_screens_refuse_arguments_of_ales_own():
    assert "'noop_max' is one" in train("atari:Pong?frames=published&noop_max=1", 1000, expect=2)
    assert "standard or published" in train("atari:Pong?frames=none", 1000, expect=2)
