// Acrobot-v1 by the rules of Gymnasium: two links hang from a bar; a torque of -1 (action 0), 0 (1)
// or 1 (2) drives the joint between them. The goal is to swing the free end one length of a link
// above the bar. Reward -1 for every step, 0 for the step that reaches the goal; at most 500 steps.
// Computed in double; observed in float: cosine and sine of both angles, and the two speeds.
#pragma once

#include "worker/train/envs/core/env.hpp"

namespace hone::envs::acrobot {

inline constexpr EnvSpec spec{
    .observation_size = 6, .actions = 3, .step_limit = 500, .solved_return = -100};

struct State {
  double angle = 0;  // of the upper link, 0 hangs down
  double bend = 0;   // of the lower link against the upper one
  double angle_rate = 0;
  double bend_rate = 0;
};

// One Runge-Kutta step of 0.2 s. Angles are wrapped to [-pi, pi], speeds are bounded.
State advance(const State& state, int action);
// Whether the free end is high enough: the episode is over.
bool reached(const State& state);

BuiltinEnv builtin();

}  // namespace hone::envs::acrobot
