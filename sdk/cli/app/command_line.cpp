#include "sdk/cli/app/command_line.hpp"

#include <algorithm>

#include "sdk/cli/app/command_table.hpp"
#include "sdk/cli/app/help.hpp"
#include "sdk/cli/session/run_command.hpp"

namespace hone::cli {
namespace {

// Returns the index of the first word that is neither a common option nor the value of one.
std::size_t first_own_word(const std::vector<std::string>& words) {
  std::size_t at = 0;
  while (at < words.size() && words[at].starts_with("-")) {
    const std::string name = words[at].substr(0, words[at].find('='));
    const CommonOption option = common_option(name);
    if (option == CommonOption::none) break;
    at += option == CommonOption::with_value && name == words[at] ? 2 : 1;
  }
  return std::min(at, words.size());
}

Call in_form(Call call) {
  auto& words = call.arguments;
  const auto own_end = std::ranges::find(words, "--");  // what follows is for another program
  const auto first = words.begin() + static_cast<std::ptrdiff_t>(first_own_word(words));
  for (const Command& form : command_table()) {
    if (!is_form(form) || command_word(form) != call.command->name) continue;
    const bool by_option = form_word(form).starts_with("-");
    const auto found = by_option ? std::find(words.begin(), own_end, form_word(form)) : first;
    if (found == words.end() || found == own_end || *found != form_word(form)) continue;
    words.erase(found);
    return {&form, std::move(words)};
  }
  return call;
}

}  // namespace

Result<Call> split(std::vector<std::string> words) {
  const std::size_t at = first_own_word(words);
  if (at >= words.size()) return Call{};
  if (words[at].starts_with("-"))
    return refuse(Code::invalid,
                  "unknown option '" + words[at] + "' before the command; see hone --help");
  const Command* command = find_command(words[at]);
  if (command == nullptr) return no_such_command(words[at]);
  words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
  return in_form({command, std::move(words)});
}

}  // namespace hone::cli
