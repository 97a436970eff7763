// Synthetic-screens: screens of the size that Atari's games have for GA3C, at a few microseconds
// each, to measure trainers and devices without the cost of an emulator. Noise, and a bright square
// in one of six places: the action of that number gets reward 1, any other 0. 100 screens are an
// episode. Random play returns 16.7, the best play 100.
#pragma once

#include "worker/train/envs/core/env.hpp"

namespace hone::envs::screens {

inline constexpr Planes planes{84, 84, 4};
inline constexpr int places = 6;
inline constexpr EnvSpec spec{.observation_size = planes.size(),
                              .planes = planes,
                              .actions = places,
                              .step_limit = 100,
                              .solved_return = 95,
                              .storage = Storage::bytes};

BuiltinEnv builtin();

}  // namespace hone::envs::screens
