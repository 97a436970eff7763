#include "sdk/cli/app/command_line.hpp"

#include "sdk/cli/app/command_table.hpp"
#include "sdk/cli/app/help.hpp"
#include "sdk/cli/session/run_command.hpp"

namespace hone::cli {

Result<Call> split(std::vector<std::string> words) {
  std::size_t at = 0;
  while (at < words.size() && words[at].starts_with("-")) {
    const std::string name = words[at].substr(0, words[at].find('='));
    const CommonOption option = common_option(name);
    if (option == CommonOption::none)
      return refuse(Code::invalid,
                    "unknown option '" + words[at] + "' before the command; see hone --help");
    at += option == CommonOption::with_value && name == words[at] ? 2 : 1;
  }
  if (at >= words.size()) return Call{};
  const Command* command = find_command(words[at]);
  if (command == nullptr) return no_such_command(words[at]);
  words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
  return Call{command, std::move(words)};
}

}  // namespace hone::cli
