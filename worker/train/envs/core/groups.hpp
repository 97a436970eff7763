// Several groups of one environment, each for an actor.
#pragma once

#include <memory>
#include <vector>

#include "worker/train/envs/core/env.hpp"

namespace hone::envs {

// Group i has `first.count` copies, and its streams follow those of group i - 1. Groups are made
// side by side, since an environment of another program takes seconds to start. Refuses with the
// reason of the first group that cannot be made.
Result<std::vector<std::unique_ptr<VecEnv>>> make_groups(const Env& env, const EnvPlan& first,
                                                         int groups);

}  // namespace hone::envs
