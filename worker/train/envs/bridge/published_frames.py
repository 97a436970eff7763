"""Games of ALE with the screens of the code published with GA3C (Babaeizadeh et al., 2017), whose mode=parity plays them.

The build places this file in front of host.py.
"""
import importlib
import types


class RawGame:
    """A game of ALE in colour: each action is played four times, and the last screen counts."""

    def __init__(self, game, sticky):
        ale, roms = importlib.import_module("ale_py"), importlib.import_module("ale_py.roms")
        self.ale, self.rom = ale.ALEInterface(), roms.get_rom_path(game)
        if self.rom is None:
            raise ValueError(f"ale_py has no game '{game}'")
        self.ale.setFloat("repeat_action_probability", sticky)
        self.ale.setInt("frame_skip", 4)
        self.ale.loadROM(self.rom)
        self.choices = self.ale.getMinimalActionSet()

    def reset(self, seed):
        if seed is not None:
            self.ale.setInt("random_seed", seed)
            self.ale.loadROM(self.rom)
        self.ale.reset_game()
        return self.ale.getScreenRGB()

    def step(self, action):
        reward = self.ale.act(self.choices[action])
        return self.ale.getScreenRGB(), reward, self.ale.game_over()


class PublishedFrames:
    """Observes the colour screens of a game as published: luminance, stretched to 0 to 255 within
    each screen, 84 x 84 by bilinear interpolation, the last four, oldest first. An episode begins
    with action 0 until there are four; rewards of these steps do not count. There is no maximum
    of two screens and no random start."""

    side, stacked, episode_steps_max = 84, 4, 100_000

    def __init__(self, game):
        self.numpy = importlib.import_module("numpy")
        self.game, self.frames, self.steps, self.weights = game, [], 0, None
        self.observation_space = types.SimpleNamespace(
            shape=(self.side, self.side, self.stacked), dtype="uint8")
        self.action_space = types.SimpleNamespace(n=len(game.choices))

    def triangles(self, size):
        """The weights [side][size] of a bilinear reduction: triangles as wide as two steps."""
        step = size / self.side
        centers = (self.numpy.arange(self.side)[:, None] + 0.5) * step
        near = 1.0 - abs(self.numpy.arange(size) + 0.5 - centers) / max(step, 1.0)
        weights = self.numpy.maximum(near, 0.0)
        return weights / weights.sum(axis=1, keepdims=True)

    def frame(self, screen):
        gray = self.numpy.asarray(screen, dtype="float64") @ (0.299, 0.587, 0.114)
        if self.weights is None:
            self.weights = [self.triangles(size) for size in gray.shape]
        down, across = self.weights
        gray = self.rounded((gray - gray.min()) * (255.0 / ((gray.max() - gray.min()) or 1.0)))
        return self.rounded(down @ self.rounded(gray @ across.T)).astype("uint8")

    def rounded(self, values):
        """To bytes, as Pillow rounds."""
        return self.numpy.floor(values + 0.5)

    def observation(self):
        return self.numpy.stack(self.frames, axis=-1)

    def reset(self, seed=None):
        self.steps, self.frames = 0, [self.frame(self.game.reset(seed))]
        while len(self.frames) < self.stacked:
            screen, _, over = self.game.step(0)
            if over:
                self.frames, screen = [], self.game.reset(None)
            self.frames.append(self.frame(screen))
        return self.observation(), {}

    def step(self, action):
        screen, reward, over = self.game.step(action)
        self.steps += 1
        self.frames = [*self.frames[1:], self.frame(screen)]
        return self.observation(), reward, over, self.steps >= self.episode_steps_max, {}


def published_game(game, arguments, sticky):
    if arguments:
        raise ValueError(f"frames=published takes no other argument, and '{min(arguments)}' is one")
    return PublishedFrames(RawGame(game, sticky))
