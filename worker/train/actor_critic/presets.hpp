// Defaults that suit an environment better than the general ones, found by the searches described
// in docs/ga3c.md. A value that the user gives takes precedence; parity mode does not use them.
#pragma once

#include <string_view>

#include "worker/train/settings/settings.hpp"

namespace hone::ga3c {

// Returns the settings with the defaults for the environment filled in.
trainers::Settings with_presets(trainers::Settings settings, std::string_view env);

}  // namespace hone::ga3c
