// The curve table of `hone export --format curves`.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sdk/cli/commands/results/curve_export.hpp"

namespace hone::cli {
namespace {

Json sweep_of_two_phases() {
  return Json::parse(R"({
    "id": "sw_7", "name": "small", "objective": {"metric": "return", "goal": "maximize"},
    "spec": {
      "trainer": {"name": "ga3c", "env": "CartPole-v1"},
      "parameters": {"lr": {"type": "float", "min": 0.001, "max": 0.1, "scale": "log"},
                     "kind": {"type": "choice", "values": ["a", "b,c"]},
                     "beta": {"type": "float", "min": 0, "max": 1, "when": "kind == 'a'"}},
      "budget": {"unit": "frames", "per_run": 1000, "phases": 2}}})");
}

struct Point {
  Json value;
  double seconds = 0;
};

Json run_of(const Json& params, const std::string& state, const std::vector<Point>& points) {
  Json run{{"run", "rn_1.0"}, {"params", params}, {"state", state}, {"curve", Json::array()}};
  for (const auto& point : points)
    run["curve"].push_back({{"value", point.value}, {"seconds", point.seconds}});
  return run;
}

std::string csv_of(const std::vector<Json>& runs) {
  const auto table = export_curves(sweep_of_two_phases(), runs);
  EXPECT_TRUE(table.ok());
  return table.ok() ? table->csv : "";
}

const std::string curve_head = "lr,kind,beta,seed,v1,v2,s1,s2\n";

TEST(CurveTable, has_a_line_for_each_run_in_the_order_of_the_sweep_file) {
  const Json first{{"kind", "a"}, {"lr", 0.0123456789012345}, {"beta", 0.5}};
  EXPECT_EQ(csv_of({run_of(first, "completed", {{1.0, 0.25}, {2, 0.5}})}),
            curve_head + "0.0123456789012345,a,0.5,0,1,2,0.25,0.5\n");
}

TEST(CurveTable, leaves_inactive_parameters_empty_and_quotes_words) {
  EXPECT_EQ(
      csv_of({run_of({{"lr", 0.1}, {"kind", "b,c"}}, "completed", {{-1.0, 1.0}, {-2.0, 2.0}})}),
      curve_head + "0.1,\"b,c\",,0,-1,-2,1,2\n");
}

TEST(CurveTable, leaves_a_diverged_run_empty_from_there_on) {
  const Json params{{"lr", 0.1}, {"kind", "a"}, {"beta", 0}};
  EXPECT_EQ(csv_of({run_of(params, "completed", {{"diverged", 1.5}})}),
            curve_head + "0.1,a,0,0,,,1.5,\n");
}

TEST(CurveTable, numbers_the_rows_of_the_same_parameters) {
  const Json params{{"lr", 0.1}, {"kind", "b,c"}};
  const auto run = run_of(params, "completed", {{1, 1.0}, {2, 2.0}});
  const auto line = [](const char* seed) {
    return "0.1,\"b,c\",," + std::string(seed) + ",1,2,1,2\n";
  };
  EXPECT_EQ(csv_of({run, run, run}), curve_head + line("0") + line("1") + line("2"));
}

TEST(CurveTable, rounds_values_to_six_digits_but_neither_parameters_nor_long_times) {
  const auto csv = csv_of({run_of({{"lr", 0.012345678}, {"kind", "b,c"}}, "completed",
                                  {{123.456789, 0.123456}, {-1234567.89, 100000.125}})});
  EXPECT_EQ(csv, curve_head + "0.012345678,\"b,c\",,0,123.457,-1.23457e+06,0.123456,100000.125\n");
}

TEST(CurveTable, takes_no_run_that_did_not_reach_its_end_and_counts_them) {
  const Json params{{"lr", 0.1}, {"kind", "b,c"}};
  const auto whole = run_of(params, "completed", {{1, 1.0}, {2, 2.0}});
  const auto stopped = run_of(params, "stopped", {{1, 1.0}});
  const auto queued = run_of(params, "queued", {});
  const auto table = export_curves(sweep_of_two_phases(), {stopped, whole, queued, stopped});
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->rows, 1U);
  EXPECT_EQ(table->left_out, "1 queued, 2 stopped");
  EXPECT_EQ(table->csv, curve_head + "0.1,\"b,c\",,0,1,2,1,2\n");
  const auto none = export_curves(sweep_of_two_phases(), {stopped, queued});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, Code::conflict);
}

TEST(CurveTable, refuses_a_parameter_that_is_named_like_a_column) {
  for (const char* name : {"seed", "v1", "s2"}) {
    auto sweep = sweep_of_two_phases();
    sweep["spec"]["parameters"][name] = {{"type", "bool"}};
    const auto table = export_curves(sweep, {});
    ASSERT_FALSE(table.ok());
    EXPECT_NE(table.error().detail.find(name), std::string::npos);
  }
}

TEST(CurveTable, carries_a_card_in_the_words_of_the_sweep_file) {
  const auto table =
      export_curves(sweep_of_two_phases(),
                    {run_of({{"lr", 0.1}, {"kind", "b,c"}}, "completed", {{1, 1.0}, {2, 2.0}})});
  ASSERT_TRUE(table.ok());
  const auto card = Json::parse(table->card);
  EXPECT_EQ(card["goal"], "maximize");
  EXPECT_EQ(card["checkpoints"], 2);
  EXPECT_EQ(card["parameters"], sweep_of_two_phases()["spec"]["parameters"]);
  EXPECT_NE(card["source"].get<std::string>().find("CartPole-v1"), std::string::npos);
}

}  // namespace
}  // namespace hone::cli
