#include "sdk/cli/app/help.hpp"

#include <array>
#include <vector>

#include "base/nearest.hpp"
#include "sdk/cli/app/command_table.hpp"
#include "sdk/cli/render/width.hpp"
#include "sdk/cli/session/flags.hpp"

namespace hone::cli {
namespace {

std::string_view title_of(Group group) {
  switch (group) {
    case Group::start:
      return "Start";
    case Group::sweeps:
      return "Look";
    case Group::results:
      return "Results";
    case Group::ask:
      return "Try parameters yourself";
    case Group::steer:
      return "Steer";
    case Group::system:
      return "System";
  }
  return "";
}

constexpr std::array groups = {Group::start, Group::sweeps, Group::results,
                               Group::ask,   Group::steer,  Group::system};

std::string call_of(const Command& command) {
  std::string call(command.name);
  if (!command.arguments.empty()) call.append(" ").append(command.arguments);
  return call;
}

// In a column that all but a few fit.
std::string padded_call(const Command& command) {
  constexpr int width = 20;
  return padded_right(call_of(command) + "  ", width);
}

}  // namespace

std::string overview(const Screen& screen) {
  std::string out =
      "hone finds good hyperparameters for reinforcement-learning agents.\n\n"
      "Usage: hone COMMAND [ARGUMENTS] [OPTIONS]\n";
  for (const Group group : groups) {
    out += "\n" + paint(screen, Ink::bold, title_of(group)) + "\n";
    for (const auto& command : command_table())
      if (command.group == group)
        out += "  " + padded_call(command) + std::string(command.summary) + "\n";
  }
  return out +
         "\nEvery command takes --help, --server URL (HONE_SERVER, else 127.0.0.1:7777),\n"
         "--format table|json|jsonl|csv|value, --columns a,b, -q and --no-color.\n"
         "First steps: `hone up` in one terminal, `hone submit FILE --watch` in another.\n";
}

std::string help_text(const Command& command, const Flags& flags) {
  return "hone " + std::string(command.name) + ": " + std::string(command.summary) +
         "\n\nUsage: hone " + call_of(command) + " [OPTIONS]\n" + flags.help() + "\n" +
         examples_text(command) + "\n";
}

std::string examples_text(const Command& command) {
  std::string out = "Examples";
  std::string_view rest = command.examples;
  while (!rest.empty()) {
    const auto end = std::min(rest.find('\n'), rest.size());
    out.append("\n  ").append(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

Error no_such_command(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& command : command_table()) names.push_back(command.name);
  return refuse(Code::invalid, "'" + printable(name) + "' is no command" +
                                   did_you_mean(name, names) + "; hone --help lists them");
}

}  // namespace hone::cli
