#include "sdk/cli/command_line.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "schemas/codec/nearest.hpp"
#include "sdk/cli/command_table.hpp"
#include "sdk/cli/help.hpp"

namespace hone::cli {
namespace {

constexpr std::array<std::string_view, 3> common_with_value = {"--server", "--format", "--columns"};
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

void add_common(CLI::App& app, CommonFlags& flags) {
  flags.options.server = default_server();
  const std::string group = "Common options";
  app.add_option("--server", flags.options.server, "URL of the server (or HONE_SERVER)")
      ->group(group);
  app.add_option("--format", flags.format, "table, json, jsonl, csv or value")->group(group);
  app.add_option("--columns", flags.options.columns, "which columns, as a,b,c")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(group);
  app.add_flag("-q,--quiet", flags.options.quiet, "no messages, only data")->group(group);
  app.add_flag("--no-color", flags.options.no_color, "no colours (or NO_COLOR)")->group(group);
}

// CLI11 names the words it does not know; we add what they may have meant.
std::string sentence_of(const CLI::ParseError& error, CLI::App& app) {
  const auto extras = app.remaining();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr || extras.empty())
    return error.what();
  std::vector<std::string> names;
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string& word = extras.front();
  if (word.starts_with("-"))
    return "there is no option '" + word + "'" + did_you_mean(word, candidates);
  return "there is one argument too many: '" + word + "'";
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
  CLI::App app{"hone " + std::string(command.name) + ": " + std::string(command.summary),
               "hone " + std::string(command.name)};
  app.footer(examples_text(command));
  app.get_formatter()->column_width(28);
  Work work = command.declare(app);
  CommonFlags flags;
  add_common(app, flags);
  std::vector<std::string> reversed(call.arguments.rbegin(), call.arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return std::variant<Ready, HelpAsked>(HelpAsked{app.help()});
  } catch (const CLI::ParseError& error) {
    return misuse(command, sentence_of(error, app));
  }
  const auto format = parse_format(flags.format);
  if (!format) return misuse(command, "--format: " + format.error().detail);
  flags.options.format = *format;
  return std::variant<Ready, HelpAsked>(Ready{std::move(flags.options), std::move(work)});
}

}  // namespace hone::cli
