#include "sdk/cli/session/run_command.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "sdk/cli/session/flags.hpp"
#include "sdk/cpp/credential_flags.hpp"

namespace hone::cli {
namespace {

std::string default_server() {
  const char* server = std::getenv("HONE_SERVER");
  return server != nullptr && *server != '\0' ? server : "http://127.0.0.1:7777";
}

struct CommonFlags {
  CommonOptions options;
  std::string format = "table";
};

void add_common(Flags& flags, CommonFlags& common, std::string_view own_format) {
  common.options.server = default_server();
  flags.heading("Common options");
  flags.text("--server URL", common.options.server, "URL of the server (HONE_SERVER)");
  for (const CredentialFlag& flag : credential_flags)
    flags.text(std::string(flag.option) + " " + flag.value, common.options.credentials.*flag.member,
               flag.help);
  flags.text("--format FORMAT", common.format,
             "table, json, jsonl, csv, value, md, latex" +
                 (own_format.empty() ? "" : "; or " + std::string(own_format)));
  flags.comma_separated("--columns NAMES", common.options.columns, "columns to print, as a,b,c");
  flags.flag("-q,--quiet", common.options.quiet, "print data only, no messages");
  flags.flag("--no-color", common.options.no_color, "print without colors (NO_COLOR)");
}

Error misuse(const Command& command, const std::string& sentence) {
  const std::string name(command.name);
  return refuse(Code::invalid, sentence + "; see hone " + name + " --help");
}

std::string help_text(const Command& command, const Flags& flags, const std::string& forms) {
  return "hone " + std::string(command.name) + ": " + std::string(command.summary) +
         "\n\nUsage: hone " + usage_of(command) + " [OPTIONS]\n" + forms + flags.help() + "\n" +
         examples_text(command) + "\n";
}

// A server, or the writer of a file, is not trusted with the form of what it sends.
Result<Exit> acted(const CommandAction& action, Session& session) {
  try {
    return action(session);
  } catch (const Json::exception& failure) {
    return refuse(Code::internal, std::string("a reply or a file has another form than hone "
                                              "expects: ") +
                                      failure.what());
  }
}

}  // namespace

CommonOption common_option(std::string_view name) {
  constexpr std::array<std::string_view, 3> with_value = {"--server", "--format", "--columns"};
  constexpr std::array<std::string_view, 3> flags = {"-q", "--quiet", "--no-color"};
  if (std::ranges::find(with_value, name) != with_value.end() ||
      std::ranges::find(credential_flags, name, &CredentialFlag::option) != credential_flags.end())
    return CommonOption::with_value;
  if (std::ranges::find(flags, name) != flags.end()) return CommonOption::flag;
  return CommonOption::none;
}

Result<std::variant<ParsedCommand, HelpRequested>> parse_command(
    const Command& command, const std::vector<std::string>& arguments, const std::string& forms) {
  Flags flags;
  CommonFlags common;
  CommandAction action = command.declare(flags);
  add_common(flags, common, command.own_format);
  const auto parsed = flags.parse(arguments);
  if (!parsed) return misuse(command, parsed.error().detail);
  if (*parsed == Flags::Parsed::help_requested)
    return std::variant<ParsedCommand, HelpRequested>(
        HelpRequested{help_text(command, flags, forms)});
  const auto format = parse_format(common.format, command.own_format);
  if (!format) return misuse(command, "--format: " + format.error().detail);
  common.options.format = *format;
  common.options.server_named = std::ranges::any_of(
      arguments, [](const std::string& word) { return word.starts_with("--server"); });
  return std::variant<ParsedCommand, HelpRequested>(
      ParsedCommand{std::move(common.options), std::move(action)});
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

std::string usage_of(const Command& command) {
  std::string usage(command.name);
  if (!command.arguments.empty()) usage.append(" ").append(command.arguments);
  return usage;
}

int report_error(std::string_view program, const Error& error) {
  const std::string where = error.at.empty() ? "" : " (at " + error.at + ")";
  Terminal().message(std::string(program) + ": " + error.detail + where);
  return static_cast<int>(exit_for(error.code));
}

int run_command(std::string_view program, const Command& command,
                const std::vector<std::string>& arguments, const std::string& forms) {
  auto parsed = parse_command(command, arguments, forms);
  if (!parsed) return report_error(program, parsed.error());
  if (const auto* help = std::get_if<HelpRequested>(&*parsed)) {
    Terminal().print(help->text);
    return static_cast<int>(Exit::ok);
  }
  auto& ready = std::get<ParsedCommand>(*parsed);
  Session session(std::move(ready.options));
  const auto result = acted(ready.action, session);
  return result ? static_cast<int>(*result) : report_error(program, result.error());
}

}  // namespace hone::cli
