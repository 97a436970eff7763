// Defaults that suit an environment better than the general ones, found by the searches described
// in docs/ga3c.md. A value that the user gives takes precedence; parity mode does not use them.
#pragma once

#include <span>
#include <string_view>

#include "worker/train/settings/settings.hpp"

namespace hone::ga3c {

struct Preset {
  std::string_view env;  // a name, or the beginning of several; empty: all
  std::string_view setting;
  std::string_view value;
};

// Returns the settings with the defaults of the table for the environment filled in.
trainers::Settings with_presets(trainers::Settings settings, std::string_view env,
                                std::span<const Preset> table);
// The same with those of ga3c, a3c and a2c, and with those of ppo.
trainers::Settings with_presets(trainers::Settings settings, std::string_view env);
trainers::Settings with_ppo_presets(trainers::Settings settings, std::string_view env);

}  // namespace hone::ga3c
