// Settings that suit an environment better than the general defaults, found by the searches that
// docs/ga3c.md tells of. They count where nobody chose a value, and never in parity mode.
#pragma once

#include <string_view>

#include "worker/train/settings/settings.hpp"

namespace hone::ga3c {

// The settings with what suits the environment filled in.
trainers::Settings with_presets(trainers::Settings settings, std::string_view env);

}  // namespace hone::ga3c
