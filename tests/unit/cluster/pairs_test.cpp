#include "server/cluster/pairs.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "schemas/codec/json.hpp"
#include "server/cluster/read.hpp"
#include "server/cluster/simulate.hpp"

namespace hone::cluster {
namespace {

// Two `light` hardly disturb each other, two `heavy` gain nothing, and both do not fit together.
// "old" is half as fast; "long" needs two GPUs.
Json table() {
  return *parse_json(R"j({
    "v100": {"('heavy', 1)": {"null": 10, "('heavy', 1)": [5, 5], "('light', 1)": [0, 0]},
             "('light', 1)": {"null": 20, "('light', 1)": [18, 18], "('heavy', 1)": [0, 0]},
             "('long', 2)": {"null": 1}},
    "old": {"('heavy', 1)": {"null": 5, "('heavy', 1)": [2.5, 2.5]},
            "('light', 1)": {"null": 10, "('light', 1)": [9, 9]}}})j");
}

PairTable read_table() { return *PairTable::read(table(), {"v100", "old"}, "v100"); }

constexpr int heavy = 0, light = 1;  // by name

TEST(Pairs, speeds_are_relative_to_the_reference_and_to_the_job_alone) {
  const PairTable read = read_table();
  EXPECT_EQ(read.types(), (std::vector<std::string>{"heavy", "light"}));
  EXPECT_DOUBLE_EQ(read.alone(0, light), 1);
  EXPECT_DOUBLE_EQ(read.alone(1, light), 0.5);
  EXPECT_DOUBLE_EQ(read.share({0, heavy, heavy}), 0.5);
  EXPECT_DOUBLE_EQ(read.share({1, light, light}), 0.9);
  EXPECT_DOUBLE_EQ(read.share({0, heavy, light}), 0);
}

TEST(Pairs, a_table_without_the_gpu_or_without_jobs_is_refused) {
  const auto detail = [](const Json& json, const std::vector<std::string>& kinds) {
    const auto read = PairTable::read(json, kinds, "v100");
    return read ? std::string() : read.error().detail;
  };
  EXPECT_EQ(detail(table(), {"h100"}), "the table of throughputs has no GPU 'h100'");
  EXPECT_EQ(detail(Json::array(), {}), "the table of throughputs has no GPU 'v100'");
  for (const Json& speed : {Json("fast"), Json(1e-300), Json(1e300), Json(-1)})
    EXPECT_EQ(detail({{"v100", {{"('a', 1)", {{"null", speed}}}}}}, {}),
              "the table of throughputs has no jobs of one GPU");
}

TEST(Pairs, an_estimate_begins_at_its_neighbours_and_ends_at_its_measurements) {
  PairEstimate estimate;
  const double before = estimate.share({0, 1, 2});
  for (int i = 0; i < 20; ++i) {
    estimate.observe({0, 1, 3}, 0.2);  // the type suffers
    estimate.observe({0, 4, 5}, 0.9);
  }
  EXPECT_LT(estimate.share({0, 1, 2}), before);
  EXPECT_LT(estimate.share({0, 1, 2}), estimate.share({0, 4, 2}));
  EXPECT_EQ(estimate.share({1, 1, 2}), before) << "another kind of GPU";
  for (int i = 0; i < 2000; ++i) estimate.observe({0, 1, 2}, 0.6);
  EXPECT_NEAR(estimate.share({0, 1, 2}), 0.6, 0.01);
}

TEST(Pairs, a_pair_is_useless_after_three_measurements_of_both) {
  PairEstimate estimate;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(useless(estimate, {0, 1, 2}));
    estimate.observe({0, 1, 2}, 0.5);
    estimate.observe({0, 2, 1}, 0.5);
  }
  EXPECT_TRUE(useless(estimate, {0, 1, 2}));
  EXPECT_TRUE(useless(estimate, {0, 2, 1}));
  for (int i = 0; i < 3; ++i) {
    estimate.observe({0, 3, 4}, 0.6);
    estimate.observe({0, 4, 3}, 0.5);
  }
  EXPECT_FALSE(useless(estimate, {0, 3, 4}));
}

// Jobs of 1,000 s on one V100.
Outcome simulated(const std::vector<int>& types, std::string_view policy) {
  ClusterSetup setup;
  setup.rule = SpeedRule::pairs;
  setup.interval_s = 60;
  setup.preempts = true;
  setup.servers.assign(1, {0, 2, 0});
  setup.kinds = {"v100"};
  setup.pair_table = std::make_shared<const PairTable>(*PairTable::read(table(), {"v100"}, "v100"));
  for (const std::string& name : setup.pair_table->types()) setup.types.emplace_back().name = name;
  std::vector<Job> jobs(types.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    jobs[i].type = types[i];
    jobs[i].wanted = {1, 0};
    jobs[i].work = 1'000;
  }
  return *simulate(setup, jobs, scheduler_of(*find_policy(policy)), 1);
}

TEST(Pairs, jobs_that_gain_share_a_gpu) {
  EXPECT_NEAR(simulated({light, light}, "pack-measured").makespan_s, 1'000 / 0.9, 1);
  EXPECT_NEAR(simulated({light, light}, "never-pack").makespan_s, 2'020, 60);
}

TEST(Pairs, jobs_that_gain_nothing_are_separated_and_not_tried_again) {
  const auto measured = simulated({heavy, heavy, heavy}, "pack-measured");
  EXPECT_EQ(measured.together.at({0, heavy, heavy}), 2);  // each is measured twice: four of both
  EXPECT_FALSE(simulated({heavy, heavy}, "pack-oracle").together.contains({0, heavy, heavy}));
  EXPECT_GT(simulated({heavy, heavy}, "pack-all").together.at({0, heavy, heavy}), 20);
}

// A job that stays next to one that came before it in the order never ended.
TEST(Pairs, jobs_that_do_not_fit_together_never_share_a_gpu) {
  for (const PolicyRow& row : policy_table()) {
    if (!row.pairs) continue;
    const auto outcome = simulated({light, heavy, light, heavy, light}, row.name);
    EXPECT_FALSE(outcome.together.contains({0, heavy, light})) << row.name;
    EXPECT_EQ(outcome.completion_s.size(), 5U);
  }
}

TEST(Pairs, the_file_is_refused_where_it_does_not_suit_the_rule) {
  const auto detail = [](const std::string& rest) {
    const auto setup = read_setup(*parse_json(
        R"({"rule": "pairs", "jobs": {"workers": 1, "parameter_servers": false}, )" + rest + "}"));
    return setup ? std::string() : setup.error().at + " " + setup.error().detail;
  };
  const std::string pairs = R"("pairs": {"throughputs": "t.json"}, )";
  EXPECT_EQ(detail(pairs + R"("servers": [{"cpus": 2, "kind": "v100"}])"), "");
  EXPECT_EQ(detail(R"("servers": [{"cpus": 2}])"),
            "/rule the rule pairs needs the field pairs, with a table");
  EXPECT_EQ(detail(pairs + R"("servers": [{"cpus": 3}])"),
            "/servers under the rule pairs a server is a GPU: cpus says how many jobs share it (1 "
            "or 2), and there is no field gpus");
  EXPECT_EQ(detail(pairs + R"("servers": [{"cpus": 2}], "policies": ["tetris"])"),
            "/policies policy 'tetris' is not for this rule");
  const auto other =
      read_setup(*parse_json(R"({"servers": [{"cpus": 9}], "policies": ["pack-all"]})"));
  EXPECT_EQ(other.error().detail, "policy 'pack-all' is not for this rule");
}

}  // namespace
}  // namespace hone::cluster
