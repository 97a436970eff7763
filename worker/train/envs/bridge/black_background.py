"""Stacked grey screens with a black background, from which a network learns sooner.

Most of a screen has one grey level, and a bright one hides in every sum of pixels what little
changes. Each frame is replaced by its distance from its own most frequent level, so that the frames
of one state do not depend on each other. The build places this file in front of host.py.
"""
import importlib


class BlackBackground:
    """Converts bytes [copy][frame][row][column], of which the last frame of a copy is the newest."""

    sampled = 5  # every fifth pixel is counted: 84 columns, so that all of them are

    def __init__(self, shape):
        if len(shape) != 3:
            raise ValueError("background=black needs grey screens: remove grayscale=false")
        self.numpy, self.levels = importlib.import_module("numpy"), None

    def most_frequent(self, frames):
        """Returns the most frequent level of each frame, shaped to subtract from all its pixels."""
        rows = frames.reshape(-1, frames.shape[-2] * frames.shape[-1])[:, ::self.sampled]
        levels = [self.numpy.bincount(row).argmax() for row in rows]
        return self.numpy.array(levels, dtype="uint8").reshape(*frames.shape[:-2], 1, 1)

    def distance(self, frames, levels):
        return self.numpy.maximum(frames, levels) - self.numpy.minimum(frames, levels)

    def convert(self, frames):
        return self.distance(frames, self.most_frequent(frames))

    def reset(self, frames):
        self.levels = self.most_frequent(frames)
        return self.distance(frames, self.levels)

    def step(self, frames, over):
        """Converts the frames after a step; `over`: the copies that it reset."""
        newest = self.most_frequent(frames[:, -1:])
        self.levels = self.numpy.concatenate([self.levels[:, 1:], newest], axis=1)
        if over.any():
            self.levels[over] = self.most_frequent(frames[over])
        return self.distance(frames, self.levels)


class SameBackground:
    """Leaves the screens as they are."""

    def convert(self, frames):
        return frames

    def reset(self, frames):
        return frames

    def step(self, frames, over):
        return frames


def background_of(word, shape):
    if word == "kept":
        return SameBackground()
    if word != "black":
        raise ValueError(f"background is kept or black, not '{word}'")
    return BlackBackground(shape)
