// The help of `hone` as a whole.
#pragma once

#include <string>
#include <string_view>

#include "sdk/cli/render/screen.hpp"
#include "sdk/cli/session/command.hpp"

namespace hone::cli {

// `hone --help`, on one screen: the commands of a first day, and the names of all others.
std::string overview(const Screen& screen);

// `hone help --all`: every command and every form of one, in groups.
std::string full_overview(const Screen& screen);

// The usages of the forms of a command, one a line, for its help; empty without any.
std::string forms_text(const Command& command);

// "unknown command 'sbmit' (did you mean 'submit'?); see hone --help".
Error no_such_command(std::string_view name);

}  // namespace hone::cli
