// Help texts: the overview, the help of each command, and mistakes in the first word.
#include "sdk/cli/app/help.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>

#include "sdk/cli/app/command_line.hpp"
#include "sdk/cli/app/command_table.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/session/run_command.hpp"

namespace hone::cli {
namespace {

std::string help_of(const std::string& name) {
  const Command& command = *find_command(name);
  const auto parsed = parse_command(command, {"--help"}, forms_text(command));
  const auto* help = parsed ? std::get_if<HelpRequested>(&*parsed) : nullptr;
  return help == nullptr ? "no help" : help->text;
}

// At the end of the help of every command that asks a server.
const std::string common_options = R"(Common options
  --server URL            URL of the server (HONE_SERVER)
  --token-file FILE       read the token from FILE (HONE_TOKEN_FILE)
  --token TOKEN           the token itself (better: HONE_TOKEN)
  --tls-ca FILE           CA certificates to trust (HONE_TLS_CA)
  --tls-cert FILE         client certificate (HONE_TLS_CERT)
  --tls-key FILE          key of the certificate (HONE_TLS_KEY)
  --format FORMAT         table, json, jsonl, csv, value, md, latex
  --columns NAMES         columns to print, as a,b,c
  -q,--quiet              print data only, no messages
  --no-color              print without colors (NO_COLOR)
)";

void expect_width(const std::string& text, std::size_t columns) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), columns) << line;
}

TEST(Help, of_every_command_fits_eighty_columns) {
  for (const Command& command : command_table()) {
    if (command.declare == declare_passed_on) continue;
    const std::string help = help_of(std::string(command.name));
    expect_width(help.substr(0, help.find("\nExamples\n")), 80);
    expect_width(help, 90);
  }
}

TEST(Help, of_every_command_has_usage_options_and_examples) {
  for (const Command& command : command_table()) {
    const std::string help = help_of(std::string(command.name));
    EXPECT_EQ(help.find("hone " + std::string(command.name) + ": "), 0U) << help;
    for (const char* part : {"\nUsage: hone ", "\nOptions\n", "\nCommon options\n", "\nExamples\n"})
      EXPECT_NE(help.find(part), std::string::npos) << command.name << part;
  }
}

TEST(Help, summaries_are_short_imperative_phrases) {
  for (const Command& command : command_table()) {
    EXPECT_LE(command.summary.size(), 60U) << command.name;
    EXPECT_TRUE(command.summary.front() >= 'a' && command.summary.front() <= 'z') << command.name;
    EXPECT_TRUE(command.summary.back() != '.' || command.summary.ends_with(", ..."))
        << command.name;
    EXPECT_EQ(command.summary.find('?'), std::string_view::npos) << command.name;
  }
}

TEST(Help, of_explain_reads) {
  EXPECT_EQ(help_of("explain"), R"(hone explain: explain the status of a trial or run

Usage: hone explain ID [OPTIONS]
       hone explain --recompute [ID] [OPTIONS]

Arguments
  ID                      id of a trial or a run

Options
  -h,--help               print this help

)" + common_options +
                                    R"(
Examples
  hone explain tr_42
  hone explain rn_42.0 --format json
)");
}

TEST(Help, of_advise_reads) {
  EXPECT_EQ(help_of("plan --advise"),
            R"(hone plan --advise: choose a trainer and its number of agents from past runs

Usage: hone plan --advise FILE [OPTIONS]

Arguments
  FILE                    a sweep file: its environment and objective

Options
  -h,--help               print this help
  --target VALUE          find what reaches this value first
  --within DURATION       find what is best after this time, as 10m
  --experiment FILE       write a sweep that compares 1, 2 and 4 agents, and do
                          nothing else

)" + common_options +
                R"(
Examples
  hone plan --advise space.yaml --target 475
  hone plan --advise space.yaml --within 10m
  hone plan --advise space.yaml --experiment sizes.json   # a sweep that gathers evidence
)");
}

TEST(Help, of_the_formats_names_those_of_one_command) {
  EXPECT_NE(help_of("export").find("md, latex; or curves\n"), std::string::npos);
  EXPECT_NE(help_of("lineage").find("md, latex; or tree dot\n"), std::string::npos);
}

TEST(CommonOptions, are_those_that_every_command_accepts) {
  const std::string help = help_of("version");
  for (const char* name : {"--server", "--token", "--token-file", "--tls-ca", "--tls-cert",
                           "--tls-key", "--format", "--columns"}) {
    EXPECT_EQ(common_option(name), CommonOption::with_value) << name;
    EXPECT_NE(help.find(std::string("  ") + name + " "), std::string::npos) << name;
  }
  for (const char* name : {"-q", "--quiet", "--no-color"})
    EXPECT_EQ(common_option(name), CommonOption::flag) << name;
  EXPECT_EQ(common_option("--where"), CommonOption::none);
}

TEST(CommonOptions, may_precede_the_command) {
  const auto call = split({"--server=http://h:1", "--columns", "id", "-q", "ls", "--all"});
  ASSERT_TRUE(call.ok());
  EXPECT_EQ(call->command->name, "ls");
  EXPECT_EQ(call->arguments,
            (std::vector<std::string>{"--server=http://h:1", "--columns", "id", "-q", "--all"}));
  EXPECT_EQ(split({"-q"})->command, nullptr);
  EXPECT_EQ(split({})->command, nullptr);
}

TEST(CommonOptions, that_are_unknown_are_rejected) {
  const auto call = split({"--quite", "ls"});
  ASSERT_FALSE(call.ok());
  EXPECT_EQ(call.error().detail, "unknown option '--quite' before the command; see hone --help");
}

TEST(CommonOptions, know_whether_the_server_was_named) {
  const auto options_of = [](const std::vector<std::string>& words) {
    return std::get<ParsedCommand>(*parse_command(*find_command("ls"), words)).options;
  };
  EXPECT_FALSE(options_of({}).server_named);
  EXPECT_TRUE(options_of({"--server", "http://h:1"}).server_named);
  EXPECT_TRUE(options_of({"--server=http://h:1"}).server_named);
  EXPECT_EQ(options_of({"--server=http://h:1"}).server, "http://h:1");
}

TEST(CommonOptions, take_the_server_of_the_environment) {
  const char* before = std::getenv("HONE_SERVER");
  const std::string kept = before == nullptr ? "" : before;
  setenv("HONE_SERVER", "http://node3:7777", 1);
  const auto parsed = parse_command(*find_command("ls"), {});
  setenv("HONE_SERVER", "", 1);
  const auto by_default = parse_command(*find_command("ls"), {});
  before == nullptr ? unsetenv("HONE_SERVER") : setenv("HONE_SERVER", kept.c_str(), 1);
  EXPECT_EQ(std::get<ParsedCommand>(*parsed).options.server, "http://node3:7777");
  EXPECT_EQ(std::get<ParsedCommand>(*by_default).options.server, "http://127.0.0.1:7777");
}

// Rows of the table whose old name is still accepted.
std::vector<const Command*> renamed() {
  std::vector<const Command*> rows;
  for (const Command& command : command_table())
    if (!command.old_name.empty()) rows.push_back(&command);
  return rows;
}

TEST(OldNames, choose_the_command_or_the_form_that_replaced_them) {
  EXPECT_GE(renamed().size(), 18U);
  for (const Command* command : renamed()) {
    const auto old = split({std::string(command->old_name), "--server", "http://h:1", "a", "--b"});
    ASSERT_TRUE(old.ok()) << command->old_name;
    EXPECT_EQ(old->command, command) << command->old_name;
    std::vector<std::string> words{std::string(command_word(*command))};
    if (is_form(*command)) words.emplace_back(form_word(*command));
    words.insert(words.end(), {"--server", "http://h:1", "a", "--b"});
    const auto now = split(words);
    ASSERT_TRUE(now.ok()) << command->name;
    EXPECT_EQ(now->command, command) << command->name;
    EXPECT_EQ(now->arguments, old->arguments) << command->name;
  }
}

TEST(OldNames, are_unique_and_listed_nowhere) {
  const std::string all = full_overview({});
  for (const Command* command : renamed()) {
    const std::string old(command->old_name);
    EXPECT_EQ(find_command(old), command) << old;
    EXPECT_EQ(all.find("\n  " + old + " "), std::string::npos) << old;
    EXPECT_EQ((" " + overview({})).find(" " + old + " "), std::string::npos) << old;
  }
}

TEST(Forms, are_chosen_by_a_word_after_common_options_or_by_an_option_anywhere) {
  const auto name_of = [](std::vector<std::string> words) {
    const auto call = split(std::move(words));
    return call && call->command != nullptr ? call->command->name : "none";
  };
  EXPECT_EQ(name_of({"-q", "ls", "--format", "csv", "trials", "sw_1"}), "ls trials");
  EXPECT_EQ(name_of({"ls", "--columns", "runs"}), "ls");
  EXPECT_EQ(name_of({"mark", "tag", "tr_1", "pin"}), "mark tag");
  EXPECT_EQ(name_of({"mark", "tr_1"}), "mark");
  EXPECT_EQ(name_of({"curve", "rn_1.0", "--schedule"}), "curve --schedule");
  EXPECT_EQ(name_of({"ask", "sw_1", "--", "sh", "--program"}), "ask");
  EXPECT_EQ(name_of({"tag", "tr_1", "note"}), "mark tag");
}

TEST(Overview, fits_a_screen_of_fifty_lines_with_ten_commands_of_a_first_day) {
  const std::string text = overview({});
  EXPECT_LE(std::ranges::count(text, '\n'), 50);
  EXPECT_EQ(std::ranges::count(command_table(), Group::first_day,
                               [](const Command& command) {
                                 return is_form(command) ? Group::start : command.group;
                               }),
            10);
  for (const Command& command : command_table())
    if (command.group == Group::first_day && !is_form(command)) {
      EXPECT_NE(text.find(std::string(command.summary)), std::string::npos) << command.name;
    }
  expect_width(text, 80);
  expect_width(full_overview({}), 102);
}

TEST(Overview, of_everything_has_every_command_and_form) {
  const std::string text = full_overview({});
  for (const Command& command : command_table())
    EXPECT_NE(text.find("\n  " + usage_of(command) + " "), std::string::npos) << command.name;
}

TEST(FirstWord, that_is_no_command_is_rejected_with_the_nearest) {
  const auto call = split({"sbmit", "x.yaml"});
  ASSERT_FALSE(call.ok());
  EXPECT_EQ(call.error().code, Code::invalid);
  EXPECT_EQ(call.error().detail,
            "unknown command 'sbmit' (did you mean 'submit'?); see hone --help");
}

}  // namespace
}  // namespace hone::cli
