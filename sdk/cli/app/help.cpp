#include "sdk/cli/app/help.hpp"

#include <array>
#include <vector>

#include "base/expect.hpp"
#include "base/nearest.hpp"
#include "sdk/cli/app/command_table.hpp"
#include "sdk/cli/render/width.hpp"
#include "sdk/cli/session/run_command.hpp"

namespace hone::cli {
namespace {

std::string_view title_of(Group group) {
  switch (group) {
    case Group::start:
      return "Start";
    case Group::sweeps:
      return "Inspect";
    case Group::results:
      return "Results";
    case Group::ask:
      return "Evaluate trials yourself";
    case Group::steer:
      return "Steer";
    case Group::system:
      return "System";
  }
  unreachable();
}

constexpr std::array group_order = {Group::start, Group::sweeps, Group::results,
                                    Group::ask,   Group::steer,  Group::system};

// A longer usage than this column moves its summary to the right.
std::string padded_usage(const Command& command) {
  constexpr int width = 20;
  return padded_right(usage_of(command) + "  ", width);
}

}  // namespace

std::string overview(const Screen& screen) {
  std::string out =
      "hone finds good hyperparameters for reinforcement-learning agents.\n\n"
      "Usage: hone COMMAND [ARGUMENTS] [OPTIONS]\n";
  for (const Group group : group_order) {
    out += "\n" + paint(screen, Ink::bold, title_of(group)) + "\n";
    for (const auto& command : command_table())
      if (command.group == group)
        out += "  " + padded_usage(command) + std::string(command.summary) + "\n";
  }
  return out +
         "\nEvery command takes --help, --server URL (HONE_SERVER, or 127.0.0.1:7777),\n"
         "--format table|json|jsonl|csv|value, --columns a,b, -q and --no-color.\n"
         "First steps: `hone init`, then `hone up` in one terminal and\n"
         "`hone submit sweep.yaml --watch` in another.\n";
}

Error no_such_command(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& command : command_table()) names.push_back(command.name);
  return refuse(Code::invalid, "unknown command '" + printable(name) + "'" +
                                   did_you_mean(name, names) + "; see hone --help");
}

}  // namespace hone::cli
