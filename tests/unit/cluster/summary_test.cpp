#include "server/cluster/summary.hpp"

#include <gtest/gtest.h>

namespace hone::cluster {
namespace {

Outcome outcome_of(std::vector<double> completions, double makespan) {
  Outcome outcome;
  outcome.completion_s = std::move(completions);
  outcome.makespan_s = makespan;
  outcome.busy = 0.5;
  outcome.moves = 3;
  return outcome;
}

TEST(Summary, means_are_over_seeds_and_percentiles_over_all_jobs) {
  Tally tally;
  tally.add(outcome_of({10, 20, 30}, 100));
  tally.add(outcome_of({40, 50, 60}, 200));
  const Summary summary = tally.summary();
  EXPECT_EQ(summary.seeds, 2);
  EXPECT_DOUBLE_EQ(summary.completion_s.mean, 35);
  EXPECT_DOUBLE_EQ(summary.completion_s.standard_error, 15);
  EXPECT_DOUBLE_EQ(summary.median_s, 35);
  EXPECT_DOUBLE_EQ(summary.p95_s, 57.5);
  EXPECT_DOUBLE_EQ(summary.makespan_s.mean, 150);
  EXPECT_DOUBLE_EQ(summary.slots_busy.mean, 0.5);
  EXPECT_DOUBLE_EQ(summary.moves, 3);
  EXPECT_EQ(summary.completions_of_seeds_s, (std::vector<double>{20, 50}));
}

TEST(Summary, a_constant_ratio_of_two_policies_has_no_error) {
  Tally slow, fast;
  for (const double mean : {10.0, 30.0, 70.0}) {
    fast.add(outcome_of({mean}, 1));
    slow.add(outcome_of({1.2 * mean}, 1));
  }
  const auto ratio = relative_completion(slow.summary(), fast.summary());
  EXPECT_NEAR(ratio.mean, 1.2, 1e-12);
  EXPECT_NEAR(ratio.standard_error, 0, 1e-12);
  fast.add(outcome_of({10}, 1));
  slow.add(outcome_of({20}, 1));
  EXPECT_GT(relative_completion(slow.summary(), fast.summary()).standard_error, 0.01);
}

TEST(Summary, one_seed_has_no_standard_error) {
  Tally tally;
  tally.add(outcome_of({10, 20}, 100));
  EXPECT_DOUBLE_EQ(tally.summary().completion_s.standard_error, 0);
}

TEST(Summary, a_comparison_that_would_fill_the_memory_is_refused) {
  EXPECT_TRUE(check_amount(100'000, 100, 5));
  EXPECT_TRUE(check_amount(20, 10'000, 40));
  const auto refused = check_amount(100'000, 10'000, 10);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().detail,
            "100000 seeds of 10000 jobs under 10 policies are more than 50 million completions; "
            "lower --seeds to 500");
}

}  // namespace
}  // namespace hone::cluster
