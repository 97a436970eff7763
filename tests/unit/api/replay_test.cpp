// GET /v1/sweeps/{sweep}/replay decides a sweep again from its own events and those of the sweeps
// that it rests on, whatever else the ledger holds between them.
#include <cmath>

#include "base/sha256.hpp"
#include "tests/unit/api/given.hpp"

namespace hone {
namespace {

struct ReplayTest : testing::Test {
  TestApi api;
  std::string worker = api.join();

  // Trains the open sweeps, one phase of each of up to three runs in turn, until none is left.
  void train_all() {
    std::vector<std::pair<Json, int>> active;
    for (int turn = 0;; ++turn) {
      while (active.size() < 3) {
        Json grant = api.acquire(worker);
        if (grant.is_null()) break;
        const int next = grant["next_phase"];
        active.emplace_back(std::move(grant), next);
      }
      if (active.empty()) return;
      const std::size_t at = static_cast<std::size_t>(turn) % active.size();
      auto& [grant, phase] = active[at];
      const double value = std::sin(7.0 * turn) + phase;
      api.post("/v1/leases/" + grant["lease"].get<std::string>() + "/models",
               {{"sha256", sha256_hex(std::to_string(turn))},
                {"bytes", 5},
                {"step", 250 * (phase + 1)},
                {"phase", phase}});
      if (api.report(grant, phase++, value)["verdict"] != "continue")
        active.erase(active.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
  void expect_same(const std::string& sweep) {
    const Json replay = api.get("/v1/sweeps/" + sweep + "/replay");
    EXPECT_EQ(replay["differing"], 0) << replay.dump(1);
    EXPECT_GT(replay["verdicts"].get<int>(), 8) << sweep;
    EXPECT_GT(replay["leases"].get<int>(), 3) << sweep;
  }
};

TEST_F(ReplayTest, repeats_sweeps_that_trained_between_each_other) {
  const auto first = api.submit(small_spec("asha", 9));
  const auto second = api.submit(small_spec("hypertrick", 8));
  train_all();
  const auto third = api.submit(small_spec("hone", 6));
  train_all();
  for (const auto& sweep : {first, second, third}) expect_same(sweep);
}

TEST_F(ReplayTest, repeats_a_sweep_that_learned_from_another_and_its_confirmation) {
  const auto between = api.submit(small_spec("median", 5));
  const auto first = api.submit(small_spec("none", 12));
  train_all();
  Json spec = small_spec("none", 14);
  spec["search"] = {{"method", "tpe"}, {"trials", 14}, {"warm_start", {first}}};
  spec["confirm"] = {{"top", 2}, {"seeds", 3}};
  const auto other = api.submit(small_spec("sha", 9));
  const auto learned = api.submit(spec);
  train_all();
  std::string confirmation;
  const Json list = api.get("/v1/sweeps");
  for (const Json& sweep : list["items"])
    if (sweep["confirms"] == learned) confirmation = sweep["id"];
  ASSERT_FALSE(confirmation.empty());
  for (const auto& sweep : {between, first, learned, other, confirmation}) expect_same(sweep);
}

TEST_F(ReplayTest, repeats_a_sweep_that_was_told_how_far_early_ranks_can_be_trusted) {
  const auto first = api.submit(small_spec("none", 8));
  train_all();
  Json spec = small_spec("hone", 14);
  spec["terminator"] = {{"rule", "hone"}, {"version", 4}};
  spec["search"]["warm_start"] = {first};
  const auto told = api.submit(spec);
  train_all();
  const Json told_events = api.get("/v1/events?sweep=" + told + "&limit=100");
  EXPECT_NE(told_events.dump().find("trust"), std::string::npos) << told_events.dump(1);
  expect_same(told);
}

// A member's successor once got the number that another sweep had taken, and differed.
TEST_F(ReplayTest, repeats_a_population_between_the_trials_of_another_sweep) {
  Json spec = small_spec("pbt", 4);
  spec["command"] = {{"run", {"train", "${lr}"}}, {"may_change", {"lr"}}};
  spec["search"] = {{"method", "pbt"}, {"population", 6}, {"quantile", 0.4}};
  const auto population = api.submit(spec);
  const auto other = api.submit(small_spec("none", 9));
  train_all();
  EXPECT_GT(api.get("/v1/sweeps/" + population)["trials"]["proposed"], 6) << "forks";
  expect_same(population);
  expect_same(other);
}

TEST_F(ReplayTest, repeats_the_evolution_of_dehb) {
  Json spec = small_spec("dehb", 40);
  spec["search"]["method"] = "dehb";
  const auto sweep = api.submit(spec);
  train_all();
  EXPECT_EQ(api.get("/v1/sweeps/" + sweep)["trials"]["proposed"], 40);
  expect_same(sweep);
}

TEST_F(ReplayTest, repeats_what_the_bandit_of_a_population_chose) {
  Json spec = small_spec("pbt", 6);
  spec["command"] = {{"run", {"train", "${lr}"}}, {"may_change", {"lr"}}};
  spec["search"] = {{"method", "pb2"}, {"population", 8}, {"quantile", 0.4}};
  const auto population = api.submit(spec);
  train_all();
  EXPECT_GT(api.get("/v1/sweeps/" + population)["trials"]["proposed"], 8) << "forks";
  expect_same(population);
}

}  // namespace
}  // namespace hone
