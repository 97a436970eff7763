#include "sdk/cli/session/output.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "sdk/cli/app/command_line.hpp"
#include "sdk/cli/app/command_table.hpp"
#include "sdk/cli/app/help.hpp"
#include "sdk/cli/local/child.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/lineage_tree.hpp"
#include "sdk/cli/session/exit_codes.hpp"
#include "sdk/cli/session/run_command.hpp"

namespace hone::cli {
namespace {

int number(Exit exit) { return static_cast<int>(exit); }

auto parse(const Call& call) { return parse_command(*call.command, call.arguments); }

TEST(CliExitCodes, are_the_contract) {
  EXPECT_EQ(number(exit_for(Code::invalid)), 2);
  EXPECT_EQ(number(exit_for(Code::not_found)), 3);
  EXPECT_EQ(number(exit_for(Code::conflict)), 4);
  EXPECT_EQ(number(exit_for(Code::stale_lease)), 4);
  EXPECT_EQ(number(exit_for(Code::forbidden)), 5);
  EXPECT_EQ(number(exit_for(Code::unavailable)), 6);
  EXPECT_EQ(number(exit_for(Code::timed_out)), 7);
  EXPECT_EQ(number(exit_for(Code::internal)), 1);
  EXPECT_EQ(number(exit_for(SweepState::completed)), 0);
  EXPECT_EQ(number(exit_for(SweepState::failed)), 10);
  EXPECT_EQ(number(exit_for(SweepState::canceled)), 11);
}

TEST(CliReplies, ranges_of_another_form_have_no_text) {
  EXPECT_EQ(range_text(Json::parse("[1.5, 2]")), "1.5 .. 2");
  for (const char* json : {"[]", "[1]", "[1, 2, 3]", "{}", "null", "7"})
    EXPECT_EQ(range_text(Json::parse(json)), "") << json;
}

TEST(CliReplies, numbers_beyond_the_exact_ones_do_not_overflow) {
  const Json reply =
      Json::parse(R"({"least": -9223372036854775808, "most": 18446744073709551615, "real": 1.5})");
  EXPECT_EQ(int_at(reply, "/least"), -(std::int64_t{1} << 53));
  EXPECT_EQ(int_at(reply, "/most"), std::int64_t{1} << 53);
  EXPECT_EQ(int_at(reply, "/real"), 0);
  EXPECT_EQ(number_at(reply, "/real"), 1.5);
  EXPECT_TRUE(items_at(reply, "/real").empty());
}

TEST(CliReplies, more_parameters_than_a_sweep_has_stay_one_column) {
  Json params = Json::object();
  for (int i = 0; i < 1001; ++i) params["p" + std::to_string(i)] = i;
  const auto fields =
      with_param_columns({{"parameters", "/params", CellType::params}}, {{{"params", params}}});
  EXPECT_EQ(fields.size(), 1U);
}

TEST(CliLineage, is_cut_where_a_server_made_it_too_deep) {
  Json nodes = Json::array(), edges = Json::array();
  for (int i = 0; i < 5000; ++i) {
    nodes.push_back({{"id", "md_" + std::to_string(i)}});
    edges.push_back({{"from", "md_" + std::to_string(i)},
                     {"to", "md_" + std::to_string(i + 1)},
                     {"relation", "continued_from"}});
  }
  const Json graph{{"root", "md_0"}, {"nodes", nodes}, {"edges", edges}};
  const std::string tree = draw(lineage_tree(graph, Direction::up), false);
  EXPECT_NE(tree.find("more: hone lineage md_1000\n"), std::string::npos);
  EXPECT_EQ(tree.find("md_1001"), std::string::npos);
}

TEST(CliCommands, names_are_unique_and_every_row_is_whole) {
  std::set<std::string_view> names;
  for (const auto& command : command_table()) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    EXPECT_FALSE(command.summary.empty()) << command.name;
    EXPECT_FALSE(command.examples.empty()) << command.name;
    EXPECT_NE(command.declare, nullptr) << command.name;
  }
}

TEST(CliCommands, overview_names_every_command_and_fits_eighty_columns) {
  const std::string text = overview({});
  for (const auto& command : command_table())
    if (!is_form(command)) {
      EXPECT_NE(text.find(" " + std::string(command.name)), std::string::npos) << command.name;
    }
  for (std::size_t at = 0; at < text.size();) {
    const auto end = text.find('\n', at);
    EXPECT_LE(end - at, 80U) << text.substr(at, end - at);
    at = end + 1;
  }
}

TEST(CliCommands, common_options_may_come_first) {
  const auto call = split({"--format", "json", "-q", "ls", "-n", "3"});
  ASSERT_TRUE(call.ok());
  EXPECT_EQ(call->command->name, "ls");
  EXPECT_EQ(call->arguments, (std::vector<std::string>{"--format", "json", "-q", "-n", "3"}));
  EXPECT_FALSE(split({"--frmat", "ls"}).ok());
}

TEST(CliCommands, reads_common_options) {
  const auto call =
      split({"ls", "--format=csv", "--columns", "id,state", "--server", "http://h:1"});
  ASSERT_TRUE(call.ok());
  const auto parsed = parse(*call);
  ASSERT_TRUE(parsed.ok()) << parsed.error().detail;
  const auto& options = std::get<ParsedCommand>(*parsed).options;
  EXPECT_EQ(options.format, Format::csv);
  EXPECT_EQ(options.columns, (std::vector<std::string>{"id", "state"}));
  EXPECT_EQ(options.server, "http://h:1");
}

TEST(CliCommands, columns_do_not_swallow_the_argument_behind_them) {
  const auto call = split({"trials", "--columns", "id,value", "sw_7"});
  ASSERT_TRUE(call.ok());
  const auto parsed = parse(*call);
  ASSERT_TRUE(parsed.ok()) << parsed.error().detail;
  EXPECT_EQ(std::get<ParsedCommand>(*parsed).options.columns,
            (std::vector<std::string>{"id", "value"}));
}

TEST(CliCommands, refusals_say_what_was_meant) {
  const auto unknown = parse(*split({"ls", "--fromat", "json"}));
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, Code::invalid);
  EXPECT_NE(unknown.error().detail.find("did you mean '--format'?"), std::string::npos);
  const auto format = parse(*split({"ls", "--format", "jsn"}));
  ASSERT_FALSE(format.ok());
  EXPECT_NE(format.error().detail.find("did you mean 'json'?"), std::string::npos);
}

TEST(CliOutput, record_aligns_its_labels) {
  EXPECT_EQ(record_text({{"state", "running"}, {"", "more"}, {"parameters", "x = 1"}}, {}),
            "state       running\n            more\nparameters  x = 1\n");
}

TEST(CliFields, parameters_become_columns) {
  const std::vector<Json> items = {
      Json::parse(R"({"id":"tr_1","params":{"lr":0.00123456,"net":"mlp"}})"),
      Json::parse(R"({"id":"tr_2","params":{"lr":0.5,"a/b":true}})")};
  const Fields fields =
      with_param_columns({{"id", "/id"}, {"parameters", "/params", CellType::params}}, items);
  ASSERT_EQ(fields.size(), 4U);
  EXPECT_EQ(fields[3].name, "a/b");
  EXPECT_EQ(cell_of(fields[1], items[0], {}).text, "0.001235");
  EXPECT_EQ(raw_of(fields[1], items[0]), "0.00123456");
  EXPECT_EQ(raw_of(fields[3], items[1]), "true");
  EXPECT_EQ(raw_of(fields[2], items[1]), "");  // inactive: absent
}

TEST(CliFields, tables_and_csv_count_phases_from_one) {
  const Field phase{"phase", "/phase", CellType::phase};
  const Json report = {{"phase", 0}};
  EXPECT_EQ(cell_of(phase, report, {}).text, "1");
  EXPECT_EQ(raw_of(phase, report), "1");
  EXPECT_EQ(raw_of(phase, Json{{"phase", nullptr}}), "");
}

Json graph() {
  return Json::parse(R"({"root":"md_9","nodes":[
    {"id":"md_9","kind":"model","label":"step 400000","facts":{"phase":"3","value":"471.51999","sha256":"ab"}},
    {"id":"rn_4.0","kind":"run","label":"replicate 0","facts":{"state":"completed","reason":"budget_reached"}},
    {"id":"tr_4","kind":"trial","label":"","facts":{}},
    {"id":"md_2","kind":"model","label":"","facts":{}},
    {"id":"wf_1","kind":"workflow","label":"","facts":{"git_branch":"topic","cwd":"","command":"[\"hone\",\"submit\"]"}}],
    "edges":[{"from":"md_9","to":"rn_4.0","relation":"saved_by"},
             {"from":"rn_4.0","to":"tr_4","relation":"run_of"},
             {"from":"md_9","to":"md_2","relation":"continued_from"},
             {"from":"md_2","to":"rn_4.0","relation":"saved_by"},
             {"from":"tr_4","to":"wf_1","relation":"came_with"}]})");
}

TEST(CliLineage, up_follows_the_edges_and_names_a_shared_node_once) {
  EXPECT_EQ(draw(lineage_tree(graph(), Direction::up), true),
            "md_9  step 400000  phase=3 value=471.5\n"
            "├─ saved by rn_4.0  replicate 0  completed (budget_reached)\n"
            "│  └─ run of tr_4\n"
            "│     └─ came with wf_1  git_branch=topic command='hone submit'\n"
            "└─ continued from md_2\n"
            "   └─ saved by rn_4.0  (shown above)\n");
}

TEST(CliLineage, down_goes_against_them) {
  Json from_trial = graph();
  from_trial["root"] = "tr_4";
  EXPECT_EQ(draw(lineage_tree(from_trial, Direction::down), true),
            "tr_4\n"
            "└─ had run rn_4.0  replicate 0  completed (budget_reached)\n"
            "   ├─ saved md_9  step 400000  phase=3 value=471.5\n"
            "   └─ saved md_2\n"
            "      └─ continued as md_9  (shown above)\n");
}

TEST(CliLineage, dot_quotes) {
  Json odd = graph();
  odd["nodes"][1]["label"] = "say \"hi\"";
  const std::string dot = lineage_dot(odd);
  EXPECT_NE(dot.find("\"rn_4.0\" [label=\"rn_4.0  say \\\"hi\\\"\"];"), std::string::npos) << dot;
  EXPECT_NE(dot.find("\"md_9\" -> \"rn_4.0\" [label=\"saved by\"];"), std::string::npos) << dot;
}

TEST(CliUp, finds_the_sentence_in_a_log) {
  EXPECT_EQ(sentence_in("hone-server: port 7777 is in use; choose another with --listen\n"),
            "port 7777 is in use; choose another with --listen");
  EXPECT_EQ(sentence_in("2026-11-21T10:04:05.123456Z info replaying\n"
                        "2026-11-21T10:04:06.123456Z critical the disk is full\n\n"),
            "the disk is full");
  EXPECT_EQ(sentence_in("10:04:05.123 error cannot join\n"), "cannot join");
  EXPECT_EQ(sentence_in(""), "");
}

}  // namespace
}  // namespace hone::cli
