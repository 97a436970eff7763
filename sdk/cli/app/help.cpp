#include "sdk/cli/app/help.hpp"

#include <algorithm>
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
    case Group::first_day:
      return "On the first day";
    case Group::start:
      return "Prepare";
    case Group::sweeps:
      return "Inspect";
    case Group::results:
      return "Results";
    case Group::ask:
      return "By hand";
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
std::string usage_line(const Command& command) {
  constexpr int width = 20;
  return "  " + padded_right(usage_of(command) + "  ", width) + std::string(command.summary) + "\n";
}

std::string heading(const Screen& screen, Group group) {
  return "\n" + paint(screen, Ink::bold, title_of(group)) + "\n";
}

std::string rows_of(Group group, bool with_forms) {
  std::string out;
  for (const auto& command : command_table())
    if (command.group == group && (with_forms || !is_form(command))) out += usage_line(command);
  return out;
}

std::string names_of(Group group) {
  std::string names;
  for (const auto& command : command_table())
    if (command.group == group && !is_form(command))
      names.append(names.empty() ? "" : " ").append(command.name);
  return names;
}

std::string introduction(const Screen& screen) {
  return "hone finds good hyperparameters for reinforcement-learning agents.\n\n"
         "Usage: hone COMMAND [ARGUMENTS] [OPTIONS]\n" +
         heading(screen, Group::first_day);
}

constexpr std::string_view conclusion =
    "\nEvery command takes --help, --server URL (HONE_SERVER, or 127.0.0.1:7777),\n"
    "--format table|json|jsonl|csv|value, --columns a,b, -q and --no-color.\n"
    "First steps: `hone init`, then `hone up` in one terminal and\n"
    "`hone submit sweep.yaml --watch` in another.\n";

}  // namespace

std::string overview(const Screen& screen) {
  std::string out = introduction(screen) + rows_of(Group::first_day, false);
  out += "\n" + paint(screen, Ink::bold, "Others") + "  (hone help --all describes them)\n";
  constexpr int width = 80;
  const std::string indent(18, ' ');
  for (const Group group : group_order)
    out += "  " + padded_right(std::string(title_of(group)), 16) +
           wrapped(names_of(group), width, indent).substr(indent.size()) + "\n";
  return out.append(conclusion);
}

std::string full_overview(const Screen& screen) {
  std::string out = introduction(screen) + rows_of(Group::first_day, true);
  for (const Group group : group_order) out += heading(screen, group) + rows_of(group, true);
  return out.append(conclusion);
}

std::string forms_text(const Command& command) {
  std::string text;
  for (const Command& form : command_table())
    if (is_form(form) && command_word(form) == command.name)
      text += "       hone " + usage_of(form) + " [OPTIONS]\n";
  return text;
}

namespace {

// Verbs of other tools, and what does the same here.
struct OtherWord {
  std::string_view word, here;
};
constexpr std::array<OtherWord, 15> other_words{{{"status", "show"},
                                                 {"list", "ls"},
                                                 {"sweeps", "ls"},
                                                 {"studies", "ls"},
                                                 {"delete", "db rm"},
                                                 {"remove", "db rm"},
                                                 {"rm", "db rm"},
                                                 {"pareto", "best --pareto"},
                                                 {"results", "best"},
                                                 {"leaderboard", "best"},
                                                 {"run", "submit"},
                                                 {"optimize", "submit"},
                                                 {"tune", "submit"},
                                                 {"agent", "worker"},
                                                 {"plot", "report --figure"}}};

}  // namespace

Error no_such_command(std::string_view name) {
  const auto* other = std::ranges::find(other_words, name, &OtherWord::word);
  if (other != other_words.end())
    return refuse(Code::invalid, "unknown command '" + std::string(name) + "' (did you mean '" +
                                     std::string(other->here) + "'?); see hone --help");
  std::vector<std::string_view> names;
  for (const auto& command : command_table())
    if (!is_form(command)) names.push_back(command.name);
  return refuse(Code::invalid, "unknown command '" + printable(name) + "'" +
                                   did_you_mean(name, names) + "; see hone --help");
}

}  // namespace hone::cli
