#include "sdk/cli/app/command_line.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "sdk/cli/app/command_table.hpp"
#include "sdk/cli/app/help.hpp"
#include "sdk/cli/session/flags.hpp"

namespace hone::cli {
namespace {

constexpr std::array<std::string_view, 8> common_with_value = {
    "--server", "--format",   "--columns", "--token",
    "--tls-ca", "--tls-cert", "--tls-key", "--token-file"};
constexpr std::array<std::string_view, 3> common_bare = {"-q", "--quiet", "--no-color"};

template <std::size_t N>
bool is_among(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string default_server() {
  const char* server = std::getenv("HONE_SERVER");
  return server != nullptr && *server != '\0' ? server : "http://127.0.0.1:7777";
}

struct CommonFlags {
  Options options;
  std::string format = "table";
};

void add_common(Flags& flags, CommonFlags& common, std::string_view own_format) {
  common.options.server = default_server();
  flags.heading("Common options");
  flags.text("--server URL", common.options.server, "the server's URL (or HONE_SERVER)");
  auto& shown = common.options.credentials;
  flags.text("--token-file FILE", shown.token_file, "a file with the token (or HONE_TOKEN_FILE)");
  flags.text("--token TOKEN", shown.token, "the token itself (better: HONE_TOKEN)");
  flags.text("--tls-ca FILE", shown.tls_ca, "certificates to trust (or HONE_TLS_CA)");
  flags.text("--tls-cert FILE", shown.tls_cert, "our own certificate (or HONE_TLS_CERT)");
  flags.text("--tls-key FILE", shown.tls_key, "its key (or HONE_TLS_KEY)");
  flags.text("--format FORMAT", common.format,
             "table, json, jsonl, csv or value" +
                 (own_format.empty() ? "" : "; or " + std::string(own_format)));
  flags.comma_separated("--columns NAMES", common.options.columns, "which columns, as a,b,c");
  flags.flag("-q,--quiet", common.options.quiet, "no messages, only data");
  flags.flag("--no-color", common.options.no_color, "no colours (or NO_COLOR)");
}

Error misuse(const Command& command, const std::string& sentence) {
  const std::string name(command.name);
  return refuse(Code::invalid, sentence + "; see hone " + name + " --help");
}

}  // namespace

Result<Call> split(std::vector<std::string> words) {
  std::size_t at = 0;
  while (at < words.size() && words[at].starts_with("-")) {
    const std::string name = words[at].substr(0, words[at].find('='));
    const bool takes_next = is_among(common_with_value, name) && name == words[at];
    if (!is_among(common_with_value, name) && !is_among(common_bare, name))
      return refuse(Code::invalid, "there is no option '" + words[at] +
                                       "' before a command; hone --help says what there is");
    at += takes_next ? 2 : 1;
  }
  if (at >= words.size()) return Call{};
  const Command* command = find_command(words[at]);
  if (command == nullptr) return no_such_command(words[at]);
  words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
  return Call{command, std::move(words)};
}

Result<std::variant<Ready, HelpAsked>> parse(const Call& call) {
  const Command& command = *call.command;
  Flags flags;
  CommonFlags common;
  Work work = command.declare(flags);
  add_common(flags, common, command.own_format);
  const auto parsed = flags.parse(call.arguments);
  if (!parsed) return misuse(command, parsed.error().detail);
  if (*parsed == Flags::Parsed::help_asked)
    return std::variant<Ready, HelpAsked>(HelpAsked{help_text(command, flags)});
  const auto format = parse_format(common.format, command.own_format);
  if (!format) return misuse(command, "--format: " + format.error().detail);
  common.options.format = *format;
  common.options.server_named =
      std::any_of(call.arguments.begin(), call.arguments.end(),
                  [](const std::string& word) { return word.starts_with("--server"); });
  return std::variant<Ready, HelpAsked>(Ready{std::move(common.options), std::move(work)});
}

}  // namespace hone::cli
