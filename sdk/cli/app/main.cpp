// `hone`: from the command line to a command, and from its result to an exit status.
#include <unistd.h>

#include <algorithm>
#include <exception>

#include "sdk/cli/app/command_line.hpp"
#include "sdk/cli/app/command_table.hpp"
#include "sdk/cli/app/help.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/local/programs.hpp"
#include "sdk/cli/session/run_command.hpp"

namespace hone::cli {
namespace {

constexpr std::string_view program = "hone";

// hone train NAME ...: every argument is for the other program.
int pass_on(const Call& call) {
  const std::string other = "hone-" + std::string(call.command->name);
  const Error error = become(other, call.arguments);
  if (call.arguments != std::vector<std::string>{"--help"}) return report_error(program, error);
  Terminal().print("hone " + std::string(call.command->name) + ": " +
                   std::string(call.command->summary) + "\n" + examples_text(*call.command) + "\n");
  return static_cast<int>(Exit::ok);
}

int main_of(std::vector<std::string> words) {
  const bool wants_help =
      words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help";
  const bool all = wants_help && std::ranges::find(words, "--all") != words.end();
  if (wants_help && words.size() > 1 && !all) {
    words.erase(words.begin());  // hone help ls trials
    words.emplace_back("--help");
  } else if (wants_help) {
    const Screen screen = detect_screen(STDOUT_FILENO, false);
    Terminal(screen.color).print(all ? full_overview(screen) : overview(screen));
    return static_cast<int>(Exit::ok);
  }
  if (words[0] == "--version" || words[0] == "-V") words = {"version"};
  const auto call = split(std::move(words));
  if (!call) return report_error(program, call.error());
  if (call->command == nullptr)
    return report_error(program, refuse(Code::invalid, "no command given; see hone --help"));
  if (call->command->declare == declare_passed_on) return pass_on(*call);
  return run_command(program, *call->command, call->arguments, forms_text(*call->command));
}

}  // namespace
}  // namespace hone::cli

int main(int argc, char** argv) {
  try {
    std::vector<std::string> words{argv + 1, argv + argc};
    hone::hide_tokens(argc, argv);
    return hone::cli::main_of(std::move(words));
  } catch (const std::exception& failure) {
    hone::cli::Terminal().message(std::string("hone: ") + failure.what());
    return 1;
  }
}
