// Acrobot-v1 by the rules of Gymnasium: two links hanging from a bar, the joint between them driven
// by a torque of -1 (0), 0 (1) or 1 (2); swing the free end one link's length above the bar.
// Reward -1 for every step, 0 for the one that gets there; 500 steps at most. Computed in double,
// observed in float as the cosine and sine of both angles and the two speeds.
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

// One Runge-Kutta step of 0.2 s; the angles come back within [-pi, pi], the speeds within bounds.
State advance(const State& state, int action);
// The free end is high enough: the episode is over.
bool reached(const State& state);

std::unique_ptr<VecEnv> make(const EnvPlan& plan);

}  // namespace hone::envs::acrobot
