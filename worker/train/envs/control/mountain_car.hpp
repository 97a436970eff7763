// MountainCar-v0 and MountainCarContinuous-v0 by the rules of Gymnasium: a car between two hills
// that is too weak to climb the right one without a run-up.
//   v0          push left (action 0), not (1) or right (2); reward -1 for every step; at most 200
//               steps
//   Continuous  a force; reward 100 for reaching the flag, minus a tenth of the squared force for
//               every step; at most 999 steps. Its state is rounded to float after every step.
#pragma once

#include "worker/train/envs/core/env.hpp"

namespace hone::envs::mountain_car {

inline constexpr EnvSpec spec{
    .observation_size = 2, .actions = 3, .step_limit = 200, .solved_return = -110};
inline constexpr EnvSpec continuous_spec{.observation_size = 2,
                                         .action_kind = ActionKind::continuous,
                                         .actions = 1,
                                         .step_limit = 999,
                                         .solved_return = 90};

struct State {
  double x = 0;
  double speed = 0;
};

State advance(const State& state, int action);
State advance_by_force(const State& state, double force);
// Whether the flag is reached: the episode is over.
bool reached(const State& state);
bool reached_by_force(const State& state);

BuiltinEnv builtin();
BuiltinEnv continuous();

}  // namespace hone::envs::mountain_car
