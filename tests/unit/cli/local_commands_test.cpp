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

std::vector<std::string> completed(std::vector<std::string> words) {
  std::vector<std::string> line{"completion", "--words", "--server", "http://127.0.0.1:1", "--"};
  line.insert(line.end(), words.begin(), words.end());
  return lines_of(run_line(std::move(line)).out);
}

using Words = std::vector<std::string>;

TEST(Completion, offers_every_command_and_no_old_name) {
  const Words offered = completed({""});
  for (const Command& command : command_table()) {
    EXPECT_EQ(std::ranges::count(offered, command.name), is_form(command) ? 0 : 1) << command.name;
    if (command.old_name.empty()) continue;
    EXPECT_EQ(std::ranges::count(offered, command.old_name), 0) << command.old_name;
  }
  EXPECT_EQ(completed({"li"}), Words{"lineage"});
}

TEST(Completion, offers_kinds_actions_formats_columns_methods_and_options) {
  EXPECT_EQ(completed({"ls", ""}), (Words{"models", "runs", "trials", "workers"}));
  EXPECT_EQ(completed({"mark", "p"}), Words{"pin"});
  EXPECT_EQ(completed({"token", ""}), (Words{"create", "ls", "revoke"}));
  EXPECT_EQ(completed({"db", "re"}), Words{"repair"});
  EXPECT_EQ(completed({"import", "opt"}), Words{"optuna"});
  EXPECT_EQ(completed({"lineage", "--format", "d"}), Words{"dot"});
  EXPECT_EQ(completed({"ls", "--format", "js"}), (Words{"json", "jsonl"}));
  EXPECT_EQ(completed({"ls", "runs", "--columns", "id,sta"}), (Words{"id,started", "id,state"}));
  EXPECT_EQ(completed({"simulate", "sweep.yaml", "--against", "hyper"}),
            (Words{"hyperband", "hypertrick"}));
  EXPECT_EQ(completed({"curve", "rn_1.0", "--sch"}), Words{"--schedule"});
  EXPECT_EQ(completed({"ls", "trials", "--so"}), Words{"--sort"});
  EXPECT_EQ(completed({"submit", "sw"}), Words{});  // files
  EXPECT_EQ(completed({"init", ""}), (Words{"command", "ga3c", "python", "sb3"}));
  EXPECT_EQ(completed({"study", "r"}), (Words{"report", "run"}));
  EXPECT_EQ(completed({"report", "sw_7", "--figure", "sl"}), Words{"slices"});
}

// The word after `--figure` was taken for a sweep, and the one after `-o FILE`'s for a second.
TEST(Completion, takes_the_value_of_an_option_for_no_argument) {
  EXPECT_EQ(completed({"study", "--slots", "2", "sh"}), Words{"show"});
  EXPECT_EQ(completed({"study", "--slots", ""}), Words{});
}

TEST(Completion, of_ids_without_a_server_offers_nothing) {
  EXPECT_EQ(completed({"best", ""}), Words{});
  EXPECT_EQ(completed({"no-such-command", ""}), Words{});
}

TEST(Completion, has_a_script_for_each_shell) {
  for (const char* shell : {"bash", "zsh", "fish"})
    EXPECT_TRUE(contains(run_line({"completion", shell}).out, "hone completion --words -- "));
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

// Two seeds of the smallest example, in the forms that programs read.
TEST(CommandsWithoutServer, simulate_cluster_compares_policies_and_names_its_data) {
  const std::string file = std::string(HONE_SOURCE_DIR) + "/sdk/examples/cluster/harmony.yaml";
  const Outcome run =
      run_line({"simulate", "cluster", file, "--seeds", "2", "--seed", "7", "--format", "json"});
  ASSERT_EQ(run.exit, Exit::ok) << run.messages;
  const Json rows = Json::parse(run.out);
  ASSERT_EQ(rows.size(), 5U);
  for (const Json& row : rows) {
    EXPECT_EQ(row["simulated"], true);
    EXPECT_EQ(row["data"], "40 drawn jobs a seed; job table of DL2, interference model of hone");
    EXPECT_EQ(row["first_seed"], 7);
    EXPECT_EQ(row["completions_of_seeds_s"].size(), 2U);
  }
  EXPECT_EQ(rows[4]["policy"], "placement-oracle");
  EXPECT_DOUBLE_EQ(rows[4]["of_oracle"]["mean"].get<double>(), 1);
  const Outcome table = run_line({"simulate", "cluster", file, "--seeds", "1"});
  EXPECT_TRUE(contains(table.out, "Simulated, not measured: harmony")) << table.out;
}

TEST(CommandsWithoutServer, simulate_cluster_refuses_with_the_place) {
  const std::string file = std::string(HONE_SOURCE_DIR) + "/sdk/examples/cluster/harmony.yaml";
  EXPECT_EQ(run_line({"simulate", "cluster"}).exit, Exit::usage);
  EXPECT_EQ(run_line({"simulate", file, "extra"}).exit, Exit::usage);
  const Outcome unknown = run_line({"simulate", "cluster", file, "--against", "tetri"});
  EXPECT_EQ(unknown.messages, "--against has no policy 'tetri' (did you mean 'tetris'?)");
  const Outcome wrong = run_line({"simulate", "cluster", file, "--set", "jobs.count=0"});
  EXPECT_TRUE(contains(wrong.messages, "/jobs/count: count must be a number from 1 to 10000"))
      << wrong.messages;
}

TEST(CommandsWithoutServer, simulate_refuses_options_of_its_other_form) {
  const std::string folder = std::string(HONE_SOURCE_DIR) + "/sdk/examples/";
  const auto file = folder + "cluster/harmony.yaml";
  for (const auto& [option, value] :
       {std::pair{"--reps", "200"}, {"--workers", "4"}, {"--deadline", "2"}, {"--target", "0"}}) {
    const Outcome refused = run_line({"simulate", "cluster", file, option, value});
    EXPECT_EQ(refused.exit, Exit::usage);
    EXPECT_TRUE(contains(refused.messages, std::string(option) + " belongs to the simulation of"))
        << refused.messages;
  }
  const Outcome sweep = run_line({"simulate", folder + "simulated.yaml", "--seeds", "0"});
  EXPECT_EQ(sweep.messages,
            "--seeds belongs to simulate cluster; a sweep is repeated --reps times");
}

TEST(CommandsWithoutServer, simulate_cluster_names_how_a_learned_policy_and_few_seeds_are_given) {
  const std::string file = std::string(HONE_SOURCE_DIR) + "/sdk/examples/cluster/harmony.yaml";
  const Outcome learned = run_line({"simulate", "cluster", file, "--against", "harmony"});
  EXPECT_TRUE(contains(learned.messages, "it is learned: write {harmony: MODEL}"))
      << learned.messages;
  const Outcome many =
      run_line({"simulate", "cluster", file, "--seeds", "100000", "--set", "jobs.count=10000"});
  EXPECT_TRUE(contains(many.messages, "lower --seeds to 1000")) << many.messages;
}

TEST(CommandsWithoutServer, simulate_cluster_reads_a_trace_next_to_its_file) {
  const std::filesystem::path folder = testing::TempDir();
  std::ofstream(folder / "jobs.csv") << "timestamp,duration,num_gpu\n0,100,1\n30,50,2\n9,0,1\n";
  std::ofstream(folder / "traced.yaml")
      << "rule: fixed\nservers: [{count: 2, gpus: 2, cpus: 2}]\njobs: {parameter_servers: false, "
         "workers: 1}\npolicies: [fifo]\ntrace: {file: jobs.csv}\n";
  const auto file = (folder / "traced.yaml").string();
  const Outcome run = run_line({"simulate", "cluster", file, "--format", "json"});
  ASSERT_EQ(run.exit, Exit::ok) << run.messages;
  EXPECT_EQ(Json::parse(run.out)[0]["data"],
            "2 recorded jobs of jobs.csv (1 row skipped); its file names no source");
  const Outcome small = run_line({"simulate", "cluster", file, "--set", "servers.0.count=1",
                                  "--set", "servers.0.gpus=1", "--set", "servers.0.cpus=1"});
  EXPECT_TRUE(contains(small.messages, "too small for job 1 of the trace")) << small.messages;
  const Outcome none = run_line({"simulate", "cluster", file, "--set", "trace.file=/dev/zero"});
  EXPECT_TRUE(contains(none.messages, "cannot read the trace /dev/zero")) << none.messages;
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
  EXPECT_TRUE(contains(run_line({"db", "mend"}).messages, "unknown action 'mend'"));
  EXPECT_EQ(run_line({"db", "backup"}).messages, "no target given; write: hone db backup FOLDER");
}

}  // namespace
}  // namespace hone::cli
