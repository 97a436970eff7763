// A command of `hone`: one row of command_table.cpp.
#pragma once

#include <functional>
#include <string_view>

#include "base/result.hpp"
#include "sdk/cli/session/exit_codes.hpp"

namespace hone::cli {

class Flags;
class Session;

// What a command does once its flags are read.
using Work = std::function<Result<Exit>(Session&)>;

enum class Group { start, sweeps, results, ask, steer, system };

struct Command {
  std::string_view name;
  Group group;
  std::string_view arguments;  // "SWEEP [--limit N]", for the overview
  std::string_view summary;
  std::string_view examples;         // shown under `hone NAME --help`, one a line
  Work (*declare)(Flags& flags);     // adds the flags and returns the work, which owns their values
  std::string_view own_format = {};  // a format that no other command offers
};

}  // namespace hone::cli
