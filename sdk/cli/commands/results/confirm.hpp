// confirm: train the leaders again on new seeds.
#pragma once

#include "sdk/cli/session/command.hpp"

namespace hone::cli {

Work declare_confirm(Flags& flags);

}  // namespace hone::cli
