// The files that `hone init` writes.
#pragma once

#include <string>
#include <vector>

#include "sdk/cli/local/argparse_scan.hpp"

namespace hone::cli {

// A sweep file for a Python program with these flags. `program` is its text, which is searched for
// the name of a metric.
std::string script_sweep(const std::string& path, const std::string& program,
                         const std::vector<ScriptFlag>& flags);

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
