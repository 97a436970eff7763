// LunarLander-v3 and its continuous form by the rules of Gymnasium, on Box2D: land on a pad.
//   v3          do nothing (action 0), or fire the left (1), main (2) or right (3) engine
//   Continuous  the power of the main engine (fires above 0) and of the side engines (fire below
//               -0.5 and above 0.5)
// At most 1000 steps. Box2D 2.4 instead of the 2.3 of Gymnasium: the same game, other digits. Built
// only if CMake finds Box2D.
#pragma once

#include "worker/train/envs/core/env.hpp"

namespace hone::envs::lunar_lander {

inline constexpr EnvSpec spec{
    .observation_size = 8, .actions = 4, .step_limit = 1000, .solved_return = 200};
inline constexpr EnvSpec continuous_spec{.observation_size = 8,
                                         .action_kind = ActionKind::continuous,
                                         .actions = 2,
                                         .step_limit = 1000,
                                         .solved_return = 200};

BuiltinEnv builtin();
BuiltinEnv continuous();

}  // namespace hone::envs::lunar_lander
