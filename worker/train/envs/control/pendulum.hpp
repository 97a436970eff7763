// Pendulum-v1 by the rules of Gymnasium: swing a rod up by a torque that is too weak to lift it
// directly, and keep it upright. The reward is 0 upright, still and without torque, and down to
// -16.3 otherwise; episodes have 200 steps. An action of 1 is the largest torque, 2.
#pragma once

#include "worker/train/envs/core/env.hpp"

namespace hone::envs::pendulum {

// No goal is agreed on; good policies reach -200 on average.
inline constexpr EnvSpec spec{.observation_size = 3,
                              .action_kind = ActionKind::continuous,
                              .actions = 1,
                              .step_limit = 200,
                              .solved_return = -200};

struct State {
  double angle = 0;  // 0 is upright; full turns add up
  double rate = 0;
};

struct Swing {
  State state;
  double reward = 0;
};
// One step of 0.05 s. The torque is clipped to [-2, 2], the rate to [-8, 8].
Swing advance(const State& state, double torque);

BuiltinEnv builtin();

}  // namespace hone::envs::pendulum
