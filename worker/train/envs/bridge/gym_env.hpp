// Environments of other people's: any that Gymnasium knows, and Atari's games, each group of copies
// in a Python process of its own (host.py).
//
//   gym:CartPole-v1               an id that Gymnasium knows
//   gym:minigrid/MiniGrid-...-v0  the package is imported first
//   gym:my_envs:make?size=3       whatever the callable of a module returns
//   atari:Pong                    84 x 84 grey, four frames a state; needs ale-py
//
// Whoever loses its process (crash, exception, no answer for HONE_ENV_TIMEOUT seconds, 60) gets
// another one, and all its copies are truncated; when that happens too often hone-train ends with
// the reason. A restored state begins new episodes: nobody can save what a program of others holds.
#pragma once

#include <string_view>

#include "worker/train/envs/core/env.hpp"

namespace hone::envs {

bool is_gym_name(std::string_view name);

// Starts Python to ask what the environment is like. Refuses (invalid, "/env") with the reason.
Result<Env> find_gym_env(std::string_view name);

}  // namespace hone::envs
