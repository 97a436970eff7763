"""A game of ten steps, each with a reward of 1. It begins with three lives and wins a fourth, so that the
next one begins with fewer lives than it ended with."""
import numpy

FIRST, WON, STEPS = 3, 4, 10


class Pictures:
    shape, dtype = (4, 84, 84), numpy.dtype("uint8")


class Choices:
    n = 2


class AtariVectorEnv:
    single_observation_space, single_action_space = Pictures(), Choices()

    def __init__(self, game, num_envs, **given):
        self.count, self.steps = num_envs, 0

    def seen(self):
        return numpy.zeros((self.count, *Pictures.shape), dtype="uint8")

    def lives(self):
        return numpy.full(self.count, FIRST if self.steps < STEPS // 2 else WON)

    def reset(self, seed):
        self.steps = 0
        return self.seen(), {"lives": self.lives()}

    def step(self, actions):
        self.steps += 1
        over = self.steps == STEPS
        if over:
            self.steps = 0
        news = {"lives": self.lives(), "final_obs": self.seen()}
        return (self.seen(), numpy.ones(self.count), numpy.full(self.count, over),
                numpy.zeros(self.count, dtype=bool), news)
