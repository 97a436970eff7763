// The files that `hone init` writes.
#pragma once

#include <string>
#include <vector>

#include "sdk/cli/local/script_flags.hpp"

namespace hone::cli {

// A Python program for which a sweep file is written.
struct ScriptSource {
  std::string path;
  std::string program;  // its text, which is searched for the name of a metric
  std::vector<ScriptFlag> flags;
  std::vector<std::string> needed{};  // arguments that have no default
  std::vector<std::string> groups{};  // of Hydra: which are not searched
  std::string sweep_file = "sweep.yaml";
};

inline constexpr std::int64_t usual_trials = 30;

std::string script_sweep(const ScriptSource& script, std::int64_t trials);

// The entries that vary: none if there is nothing to search.
std::vector<std::string> script_parameters(const std::vector<ScriptFlag>& flags);

struct InitFile {
  std::string name;
  std::string text;
};

// The files of a kind that needs no program of the user's: command, sb3, ga3c, python. Empty for
// any other word.
std::vector<InitFile> init_files(const std::string& kind);

}  // namespace hone::cli
