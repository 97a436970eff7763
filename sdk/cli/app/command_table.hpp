#pragma once

#include <span>

#include "sdk/cli/session/command.hpp"

namespace hone::cli {

std::span<const Command> command_table();

// `hone train --track`, whose other arguments are not those of hone-train.
const Command& tracked_training();

// Returns nullptr if no command has that name.
const Command* find_command(std::string_view name);

}  // namespace hone::cli
