// MountainCar-v0 and MountainCarContinuous-v0 by the rules of Gymnasium: a car between two hills
// that is too weak to climb the right one without a run-up.
//   v0          pushes left (0), not (1) or right (2); -1 for every step; 200 steps at most
//   Continuous  a force; 100 for reaching the flag, less a tenth of the squared force for every
//               step; 999 steps at most. Its state is rounded to float after every step.
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
// The flag is reached.
bool reached(const State& state);
bool reached_by_force(const State& state);

std::unique_ptr<VecEnv> make(const EnvPlan& plan);
std::unique_ptr<VecEnv> make_continuous(const EnvPlan& plan);

}  // namespace hone::envs::mountain_car
