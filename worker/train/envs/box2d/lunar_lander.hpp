// LunarLander-v3 and its continuous form by the rules of Gymnasium, on Box2D: bring a lander down
// on its pad. Does nothing (0), or fires the left (1), main (2) or right (3) engine; continuously
// the main engine's power (fires above 0) and the side engines' (beyond +-0.5). 1000 steps at most.
// Box2D 2.4 instead of the 2.3 of Gymnasium: the same game, not the same digits. Without Box2D at
// configure time the rows are left out.
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

std::unique_ptr<VecEnv> make(const EnvPlan& plan);
std::unique_ptr<VecEnv> make_continuous(const EnvPlan& plan);

}  // namespace hone::envs::lunar_lander
