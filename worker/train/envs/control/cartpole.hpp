// CartPole-v1 by the rules of Gymnasium: balance a pole on a cart by pushing the cart left (action
// 0) or right (1). Reward 1 for every step; at most 500 steps. Computed in double, observed in
// float.
#pragma once

#include "worker/train/envs/core/env.hpp"

namespace hone::envs::cartpole {

inline constexpr EnvSpec spec{
    .observation_size = 4, .actions = 2, .step_limit = 500, .solved_return = 475};

struct State {
  double x = 0;  // of the cart
  double speed = 0;
  double angle = 0;  // of the pole, 0 is upright
  double turn_rate = 0;
};

// One explicit Euler step of 0.02 s.
State advance(const State& state, int action);
// Whether the cart or the pole is out of bounds: the episode is over.
bool failed(const State& state);

BuiltinEnv builtin();

}  // namespace hone::envs::cartpole
