// Commands that need no server, and what they print without one.
#include <filesystem>
#include <fstream>

#include "sdk/cli/app/command_table.hpp"
#include "tests/unit/cli/given.hpp"

namespace hone::cli {
namespace {

TEST(CommandsWithoutServer, report_an_unreachable_server) {
  const Outcome outcome = run_line({"ls", "--server", "http://127.0.0.1:1"});
  EXPECT_EQ(outcome.exit, Exit::unreachable);
  EXPECT_TRUE(contains(outcome.messages, "http://127.0.0.1:1")) << outcome.messages;
}

TEST(CommandsWithoutServer, reject_a_url_that_is_none) {
  const Outcome outcome = run_line({"ls", "--server", "ftp://x"});
  EXPECT_EQ(outcome.exit, Exit::usage);
  EXPECT_NE(outcome.messages, "");
}

TEST(CommandsWithoutServer, version_is_text_or_json) {
  EXPECT_EQ(run_line({"version"}).out, "hone " HONE_VERSION "\n");
  EXPECT_EQ(Json::parse(run_line({"version", "--format", "json"}).out)["version"], HONE_VERSION);
}

TEST(CommandsWithoutServer, completion_names_every_command) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = run_line({"completion", shell}).out;
    for (const Command& command : command_table())
      EXPECT_TRUE(contains(script, std::string(command.name))) << shell << " " << command.name;
  }
  EXPECT_EQ(run_line({"completion", "tcsh"}).messages,
            "no completion for 'tcsh'; the shells are bash, zsh and fish");
}

TEST(CommandsWithoutServer, graph_lists_and_describes_graphs) {
  EXPECT_TRUE(contains(run_line({"graph"}).out, "inception-v3"));
  EXPECT_EQ(Json::parse(run_line({"graph", "inception-v3", "--format", "json"}).out)["graph"],
            "inception-v3");
  const Outcome unknown = run_line({"graph", "inception-v3", "--place", "m-eft"});
  EXPECT_EQ(unknown.exit, Exit::usage);
  EXPECT_TRUE(contains(unknown.messages, "did you mean 'm-etf'?")) << unknown.messages;
  EXPECT_EQ(run_line({"graph", "inception-v3", "--prove"}).messages,
            "--prove needs --place METHOD");
}

TEST(CommandsWithoutServer, import_converts_sweep_files_of_other_tools) {
  const auto file = std::filesystem::path(testing::TempDir()) / "hone-import-test.yaml";
  std::ofstream(file) << "method: random\nmetric: {name: loss, goal: minimize}\n"
                         "parameters: {lr: {min: 0.001, max: 0.1}}\nprogram: train.py\n";
  const Outcome imported = run_line({"import", "wandb", file.string()});
  EXPECT_EQ(imported.exit, Exit::ok) << imported.messages;
  EXPECT_TRUE(contains(imported.out, "objective: {metric: loss, goal: minimize}")) << imported.out;
  const Outcome unknown = run_line({"import", "wandv", file.string()});
  EXPECT_EQ(unknown.exit, Exit::usage);
  EXPECT_EQ(unknown.messages.find("unknown format 'wandv'; the formats are:\n  "), 0U);
  EXPECT_EQ(run_line({"import", "wandb", "/nowhere.yaml"}).exit, Exit::not_found);
  std::filesystem::remove(file);
}

TEST(CommandsWithoutServer, token_checks_its_arguments_first) {
  EXPECT_EQ(run_line({"token", "create", "alice"}).messages.find("no scope given"), 0U);
  EXPECT_TRUE(contains(run_line({"token", "create", "alice", "--scope", "wroker"}).messages,
                       "'wroker' is not a scope (did you mean 'worker'?)"));
  EXPECT_TRUE(contains(
      run_line({"token", "create", "alice", "--scope", "read", "--expires", "soon"}).messages,
      "--expires soon: write it as 90d, 12h or 30m"));
  EXPECT_TRUE(contains(run_line({"token", "remove", "tk_1"}).messages, "unknown action 'remove'"));
}

TEST(CommandsWithoutServer, db_checks_its_arguments_first) {
  EXPECT_TRUE(contains(run_line({"db", "repair"}).messages, "unknown action 'repair'"));
  EXPECT_EQ(run_line({"db", "backup"}).messages, "no target given; write: hone db backup FOLDER");
}

}  // namespace
}  // namespace hone::cli
