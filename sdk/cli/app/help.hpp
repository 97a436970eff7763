// The help of `hone` as a whole.
#pragma once

#include <string>
#include <string_view>

#include "sdk/cli/render/screen.hpp"
#include "sdk/cli/session/command.hpp"

namespace hone::cli {

// `hone --help`: the commands in groups.
std::string overview(const Screen& screen);

// "unknown command 'sbmit' (did you mean 'submit'?); see hone --help".
Error no_such_command(std::string_view name);

}  // namespace hone::cli
