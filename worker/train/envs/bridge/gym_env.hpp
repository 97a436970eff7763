// Environments of other programs: any that is registered with Gymnasium, and Atari games. Each
// group of copies runs in its own Python process (host.py).
//
//   gym:CartPole-v1               an id that is registered with Gymnasium
//   gym:minigrid/MiniGrid-...-v0  the package is imported first
//   gym:my_envs:make?size=3       the environment that the callable of a module returns
//   atari:Pong                    84 x 84 grey, four frames an observation; needs ale-py
//   atari:Pong?frames=published   the same with the screens of GA3C's published code
//
// If a process fails (crash, exception, no answer for HONE_ENV_TIMEOUT seconds, by default 60), the
// group gets another one and the episodes of all its copies are truncated. If that happens too
// often, hone-train ends with the reason. A restored state begins new episodes, because the state
// of another program cannot be saved.
#pragma once

#include <string_view>

#include "worker/train/envs/core/env.hpp"

namespace hone::envs {

bool is_gym_name(std::string_view name);

// Starts Python to get the specification. Refuses (invalid, "/env") with the reason.
Result<Env> find_gym_env(std::string_view name);

}  // namespace hone::envs
