// A command of `hone` or `hone-bench`.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "base/result.hpp"
#include "sdk/cli/session/exit_codes.hpp"

namespace hone::cli {

class Flags;
class Session;

// What a command does once its flags are read.
using CommandAction = std::function<Result<Exit>(Session&)>;

// The action of a command with options: `add_flags` binds the flags to the options that `run` gets.
template <class Options, class AddFlags>
CommandAction with_options(Result<Exit> (*run)(Session&, const Options&),
                           const AddFlags& add_flags) {
  auto options = std::make_shared<Options>();
  add_flags(*options);
  return [options, run](Session& session) { return run(session, *options); };
}

enum class Group { first_day, start, sweeps, results, ask, steer, system };

struct Command {
  std::string_view name;  // two words of a form: "ls trials", "curve --schedule"
  Group group;
  std::string_view arguments;  // "SWEEP [--limit N]", for the overview
  std::string_view summary;
  std::string_view examples;  // shown under `hone NAME --help`, one a line
  CommandAction (*declare)(Flags& flags);
  std::string_view own_format = {};  // formats that only this command offers
  std::string_view old_name = {};    // still accepted; no help and no completion lists it
};

}  // namespace hone::cli
