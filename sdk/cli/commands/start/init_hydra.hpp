// The settings of a program with Hydra: of its YAML files, or of a structured configuration.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/cli/local/script_flags.hpp"

namespace hone::cli {

struct HydraSettings {
  std::vector<ScriptFlag> flags;
  std::vector<std::string>
      groups;  // "model (mlp, cnn)": files to choose from, which are not searched
};

bool is_hydra(std::string_view program);

// `script` is the path of the program: its configuration lies next to it.
HydraSettings scan_hydra(const std::filesystem::path& script, std::string_view program);

}  // namespace hone::cli
