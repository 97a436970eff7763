// A sweep as a study of Optuna: what its storage must hold for Optuna 3 and 4 to read it.
#include "server/upkeep/optuna.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <nlohmann/json.hpp>

#include "tests/unit/db/given.hpp"

namespace hone::upkeep {
namespace {

struct OptunaTest : testing::Test {
  TemporaryFolder folder;
  std::string file = folder.file("study.db");
  Json sweep = Json::parse(R"({"id": "sw_3", "name": "cartpole", "submitted_at":
    "2026-11-21T10:04:05Z", "objective": {"metric": "return", "goal": "maximize"},
    "spec": {"parameters": {
      "lr": {"type": "float", "min": 1e-5, "max": 1e-2, "scale": "log"},
      "momentum": {"type": "float", "min": 0, "max": 1, "step": 0.1},
      "layers": {"type": "int", "min": 1, "max": 9, "step": 2},
      "width": {"type": "int", "min": 8, "max": 512, "scale": "log"},
      "act": {"type": "choice", "values": ["relu", "tanh"]},
      "norm": {"type": "bool"},
      "fixed": 3}}})");
  std::vector<Json> runs, trials;

  Json run(int number, const std::string& state, const Json& values) const {
    Json curve = Json::array();
    for (const auto& value : values)
      curve.push_back({{"step", 10 * (curve.size() + 1)},
                       {"value", value},
                       {"seconds", 1.5 * static_cast<double>(curve.size() + 1)}});
    return {{"number", number},
            {"trial", "tr_" + std::to_string(number + 1)},
            {"state", state},
            {"params",
             {{"lr", 0.001},
              {"momentum", 0.5},
              {"layers", 3},
              {"width", 64},
              {"act", "tanh"},
              {"norm", true},
              {"fixed", 3}}},
            {"curve", curve}};
  }
  // A row of the leaderboard.
  static Json row(int number, const Json& value, const Json& expected = nullptr,
                  const Json& confirmed = nullptr) {
    return {{"number", number}, {"value", value}, {"expected", expected}, {"confirmed", confirmed}};
  }
  // Writes the study and reads one value of it.
  std::string read(const std::string& sql) {
    if (!std::filesystem::exists(file)) {
      const auto written = write_optuna(file, sweep, trials, runs);
      EXPECT_TRUE(written.ok()) << written.error().detail;
    }
    SQLite::Database db(file);
    SQLite::Statement rows(db, sql);
    std::string text;
    while (rows.executeStep()) {
      text += text.empty() ? "" : "; ";
      for (int at = 0; at < rows.getColumnCount(); ++at)
        text += (at > 0 ? "|" : "") + rows.getColumn(at).getString();
    }
    return text;
  }
};

TEST_F(OptunaTest, names_the_study_and_its_direction) {
  EXPECT_EQ(read("SELECT study_name FROM studies"), "cartpole (sw_3)");
  EXPECT_EQ(read("SELECT direction FROM study_directions"), "MAXIMIZE");
  EXPECT_EQ(read("SELECT schema_version FROM version_info"), "12");
  EXPECT_EQ(Json::parse(read("SELECT value_json FROM study_user_attributes")), sweep["spec"]);
}

TEST_F(OptunaTest, maps_every_state_to_one_that_optuna_has) {
  int number = 0;
  for (const char* state : {"completed", "stopped", "failed", "canceled", "running", "queued"})
    trials.push_back(row(number, 1.0)), runs.push_back(run(number++, state, {1.0}));
  EXPECT_EQ(read("SELECT state FROM trials ORDER BY number"),
            "COMPLETE; PRUNED; FAIL; FAIL; RUNNING; RUNNING");
  EXPECT_EQ(read("SELECT count(*) FROM trials WHERE datetime_complete IS NULL"), "2");
  EXPECT_EQ(read("SELECT trial_id FROM trial_values ORDER BY trial_id"), "1; 2")
      << "only what has a result in Optuna's sense";
}

// The best report was written: optuna-dashboard named another winner than hone.
TEST_F(OptunaTest, takes_the_value_by_which_a_trial_ranks_and_keeps_all_reports) {
  trials.push_back(row(0, 5.0));
  runs.push_back(run(0, "completed", {3.0, 7.0, 5.0}));
  EXPECT_EQ(read("SELECT value FROM trial_values"), "5.0");
  EXPECT_EQ(read("SELECT step, intermediate_value FROM trial_intermediate_values ORDER BY step"),
            "10|3.0; 20|7.0; 30|5.0");
  EXPECT_EQ(read("SELECT datetime_start, datetime_complete FROM trials"),
            "2026-11-21 10:04:05.000000|2026-11-21 10:04:09.500000");
}

TEST_F(OptunaTest, takes_what_was_confirmed_or_is_expected_of_a_trial) {
  trials = {row(1, 6.0, 4.0, 3.5), row(0, 5.0, 2.5), row(2, 1.0)};
  runs = {run(0, "completed", {5.0}), run(1, "completed", {6.0}), run(2, "completed", {1.0})};
  EXPECT_EQ(read("SELECT value FROM trial_values ORDER BY trial_id"), "2.5; 3.5; 1.0");
  EXPECT_EQ(read("SELECT trial_id, value_json FROM trial_user_attributes"
                 " WHERE \"key\" = 'hone_value' ORDER BY trial_id"),
            "1|5.0; 2|6.0");
}

// A lucky trial without a confirmation had a better value than the confirmed winner.
TEST_F(OptunaTest, has_the_winner_of_the_leaderboard_as_its_best_trial) {
  for (const bool minimize : {false, true}) {
    const double sign = minimize ? -1 : 1;
    file = folder.file(minimize ? "less.db" : "more.db");
    sweep["objective"]["goal"] = minimize ? "minimize" : "maximize";
    trials = {row(1, sign * 6, nullptr, sign * 3), row(2, sign * 9, sign * 5), row(0, sign * 8),
              row(3, sign * 7)};
    runs = {run(0, "completed", {sign * 8}), run(1, "completed", {sign * 6}),
            run(2, "completed", {sign * 9}), run(3, "stopped", {sign * 7})};
    const std::string order = minimize ? "value" : "value DESC";
    EXPECT_EQ(read("SELECT number FROM trials JOIN trial_values USING (trial_id)"
                   " WHERE state = 'COMPLETE' ORDER BY " +
                   order),
              "1; 2; 0");
    EXPECT_EQ(read("SELECT value FROM trial_values WHERE trial_id = 4"), minimize ? "-7.0" : "7.0");
  }
}

TEST_F(OptunaTest, minimizes_where_less_is_better) {
  sweep["objective"]["goal"] = "minimize";
  trials.push_back(row(0, 5.0));
  runs.push_back(run(0, "completed", {3.0, 7.0, 5.0}));
  EXPECT_EQ(read("SELECT value FROM trial_values"), "5.0");
  EXPECT_EQ(read("SELECT direction FROM study_directions"), "MINIMIZE");
}

TEST_F(OptunaTest, takes_the_goal_of_the_metric_where_a_time_is_the_objective) {
  sweep["objective"]["goal"] = "soonest";
  sweep["spec"]["objective"] = {{"metric", "loss"}, {"goal", "minimize"}, {"reach", 2}};
  trials.push_back(row(0, 30.0));
  runs.push_back(run(0, "completed", {7.0, 3.0, 5.0}));
  EXPECT_EQ(read("SELECT value FROM trial_values"), "5.0");
  EXPECT_EQ(read("SELECT direction FROM study_directions"), "MINIMIZE");
}

TEST_F(OptunaTest, has_one_trial_for_all_of_its_seeds) {
  trials = {row(0, 6.0), row(1, 1.0)};
  runs = {run(0, "completed", {4.0}), run(0, "completed", {8.0}), run(1, "completed", {1.0})};
  EXPECT_EQ(read("SELECT value FROM trial_values ORDER BY trial_id"), "6.0; 1.0");
  EXPECT_EQ(read("SELECT count(*) FROM trials"), "2");
}

TEST_F(OptunaTest, leaves_out_reports_that_are_no_number) {
  trials = {row(0, "diverged"), row(1, 2.0)};
  runs = {run(0, "completed", {"diverged"}), run(1, "completed", {2.0, "diverged"})};
  EXPECT_EQ(read("SELECT state FROM trials ORDER BY number"), "FAIL; COMPLETE")
      << "Optuna has no completed trial without a value";
  EXPECT_EQ(read("SELECT count(*) FROM trial_intermediate_values"), "1");
}

TEST_F(OptunaTest, writes_each_parameter_with_its_distribution) {
  runs.push_back(run(0, "completed", {1.0}));
  const auto of = [&](const std::string& name) {
    return Json::parse(
        read("SELECT distribution_json FROM trial_params WHERE param_name = '" + name + "'"));
  };
  EXPECT_EQ(of("lr"), Json::parse(R"({"name": "FloatDistribution", "attributes":
    {"low": 1e-5, "high": 1e-2, "step": null, "log": true}})"));
  EXPECT_EQ(of("momentum")["attributes"]["step"], 0.1);
  EXPECT_EQ(of("layers"), Json::parse(R"({"name": "IntDistribution", "attributes":
    {"low": 1, "high": 9, "step": 2, "log": false}})"));
  EXPECT_EQ(of("width")["attributes"]["log"], true);
  EXPECT_EQ(of("act")["attributes"]["choices"], Json::parse(R"(["relu", "tanh"])"));
  EXPECT_EQ(read("SELECT param_value FROM trial_params WHERE param_name = 'act'"), "1.0");
  EXPECT_EQ(read("SELECT param_value FROM trial_params WHERE param_name = 'norm'"), "1.0");
  EXPECT_EQ(read("SELECT count(*) FROM trial_params WHERE param_name = 'fixed'"), "0");
  EXPECT_EQ(read("SELECT value_json FROM trial_user_attributes WHERE \"key\" = 'fixed'"), "3");
  EXPECT_EQ(read("SELECT value_json FROM trial_user_attributes WHERE \"key\" = 'hone_trial'"),
            "\"tr_1\"");
}

TEST_F(OptunaTest, refuses_a_file_that_holds_tables_and_leaves_it_alone) {
  runs.push_back(run(0, "completed", {1.0}));
  EXPECT_EQ(read("SELECT count(*) FROM trials"), "1");
  const auto refused = write_optuna(file, sweep, {}, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::conflict);
  EXPECT_EQ(read("SELECT count(*) FROM trials"), "1");
}

TEST_F(OptunaTest, refuses_what_it_cannot_write_or_read) {
  EXPECT_EQ(write_optuna(folder.file("no/folder/study.db"), sweep, {}, {}).error().code,
            Code::unavailable);
  sweep.erase("objective");
  EXPECT_EQ(write_optuna(folder.file("other.db"), sweep, {}, {}).error().code, Code::internal);
}

}  // namespace
}  // namespace hone::upkeep
