// Flags that a library derives from annotated fields: dataclasses for tyro, HfArgumentParser and
// others, functions for tyro, fire and typer, and settings of a file that `--name=value` replaces.
#pragma once

#include <string_view>
#include <vector>

#include "sdk/cli/local/python_text.hpp"
#include "sdk/cli/local/script_flags.hpp"

namespace hone::cli {

std::vector<ScriptFlag> scan_fields(std::string_view program);
std::vector<ScriptFlag> scan_fire(std::string_view program);
std::vector<ScriptFlag> scan_globals(std::string_view program);

// The flags of a class of Hydra's structured configuration: "lr=0.1".
std::vector<ScriptFlag> scan_settings(std::string_view program, std::string_view name);

}  // namespace hone::cli
