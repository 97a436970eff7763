// What `hone` says about itself.
#pragma once

#include <string>
#include <string_view>

#include "sdk/cli/render/screen.hpp"
#include "sdk/cli/session/command.hpp"

namespace hone::cli {

// `hone --help`: the commands in groups.
std::string overview(const Screen& screen);

// `hone NAME --help`: usage, arguments, flags, examples.
std::string help_text(const Command& command, const Flags& flags);
std::string examples_text(const Command& command);

// "'sbmit' is no command (did you mean 'submit'?); hone --help lists them".
Error no_such_command(std::string_view name);

}  // namespace hone::cli
