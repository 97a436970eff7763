// `hone`: from the command line to a command, and from its result to an exit status.
#include <unistd.h>

#include <iostream>

#include "sdk/cli/app/command_line.hpp"
#include "sdk/cli/app/command_table.hpp"
#include "sdk/cli/app/help.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/local/programs.hpp"

namespace hone::cli {
namespace {

int status_of(Exit exit) { return static_cast<int>(exit); }

// A refusal of a sweep file comes with its place in front and stands alone; all others say who
// speaks.
int complain(const Error& error) {
  const std::string where = error.at.empty() ? "" : " (at " + error.at + ")";
  std::cerr << "hone: " << error.detail << where << std::endl;
  return status_of(exit_for(error.code));
}

// hone train NAME ...: everything behind the command is for the other program.
int pass_on(const Call& call) {
  const Error error = become("hone-" + std::string(call.command->name), call.arguments);
  if (call.arguments == std::vector<std::string>{"--help"}) {
    std::cout << "hone " << call.command->name << ": " << call.command->summary << "\n"
              << examples_text(*call.command) << std::endl;
    return status_of(Exit::ok);
  }
  return complain(error);
}

int run(const Call& call) {
  auto parsed = parse(call);
  if (!parsed) return complain(parsed.error());
  if (const auto* help = std::get_if<HelpAsked>(&*parsed)) {
    std::cout << help->text << std::flush;
    return status_of(Exit::ok);
  }
  auto& ready = std::get<Ready>(*parsed);
  Session session(std::move(ready.options));
  const auto result = ready.work(session);
  return result ? status_of(*result) : complain(result.error());
}

int main_of(std::vector<std::string> words) {
  const bool wants_help =
      words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help";
  if (wants_help && words.size() > 1)
    words = {words[1], "--help"};  // hone help submit
  else if (wants_help) {
    std::cout << overview(look_at(STDOUT_FILENO, false)) << std::flush;
    return status_of(Exit::ok);
  }
  if (words[0] == "--version" || words[0] == "-V") words = {"version"};
  const auto call = split(std::move(words));
  if (!call) return complain(call.error());
  if (call->command == nullptr)
    return complain(refuse(Code::invalid, "which command? hone --help lists them"));
  if (call->command->declare == declare_passed_on) return pass_on(*call);
  return run(*call);
}

}  // namespace
}  // namespace hone::cli

int main(int argc, char** argv) {
  try {
    std::vector<std::string> words{argv + 1, argv + argc};
    hone::hide_tokens(argc, argv);
    return hone::cli::main_of(std::move(words));
  } catch (const std::exception& failure) {
    std::cerr << "hone: " << failure.what() << std::endl;
    return 1;
  }
}
