// Intervals of few seeds, and ranges of ranks.
#include "server/search/statistics/intervals.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.hpp"
#include "server/search/statistics/tests.hpp"

namespace hone {
namespace {

TEST(StudentQuantile, inverts_the_distribution) {
  EXPECT_NEAR(student_quantile(0.975, 1), 12.7062, 1e-3);
  EXPECT_NEAR(student_quantile(0.975, 4), 2.7764, 1e-3);
  for (const double df : {0.5, 2.0, 30.0})
    EXPECT_NEAR(student_cdf(student_quantile(0.9, df), df), 0.9, 1e-9);
}

TEST(SeedInterval, of_two_seeds_is_not_their_range) {
  PooledSpread pooled;
  pooled.add({{437.1, 439.4}});
  const auto interval = seed_interval({{437.1, 439.4}}, Aggregate::mean, pooled);
  ASSERT_TRUE(interval);
  EXPECT_LT(interval->low, 437.1);
  EXPECT_GT(interval->high, 439.4);
}

TEST(SeedInterval, of_seeds_that_happen_to_agree_has_the_noise_of_the_others) {
  PooledSpread pooled;
  pooled.add({{500, 500, 500}});
  pooled.add({{100, 200, 300}});
  const auto interval = seed_interval({{500, 500, 500}}, Aggregate::mean, pooled);
  ASSERT_TRUE(interval);
  EXPECT_GT(interval->high - interval->low, 10);
}

TEST(SeedInterval, is_unknown_of_one_seed_and_where_the_aggregate_failed) {
  const double failed = -std::numeric_limits<double>::infinity();
  PooledSpread pooled;
  EXPECT_FALSE(seed_interval({{1}}, Aggregate::mean, pooled));
  EXPECT_FALSE(seed_interval({{1, failed}}, Aggregate::mean, pooled));
  EXPECT_TRUE(seed_interval({{1, 2, 3, failed}}, Aggregate::iqm, pooled));
}

// CartPole's return is at most 500, which several runs reach: "500, 484.2 .. 515.8" was printed.
TEST(Intervals, stay_within_a_bound_that_several_values_have) {
  PooledSpread bounded, free;
  for (const Strata& one : {Strata{{500, 500, 470}}, Strata{{500, 480}}, Strata{{310, 440}}})
    bounded.add(one);
  for (const Strata& one : {Strata{{500, 499, 470}}, Strata{{500, 480}}, Strata{{310, 440}}})
    free.add(one);
  const Strata best{{500, 500, 470}};
  const auto within = seed_interval(best, Aggregate::iqm, bounded);
  ASSERT_TRUE(within);
  EXPECT_EQ(within->high, 500);
  EXPECT_LT(within->low, 490);
  EXPECT_GT(seed_interval(best, Aggregate::iqm, free)->high, 510);
}

// With the weight of a large sweep, the intervals of a confirmation of two leaders would be too
// narrow: one trial says little about the noise of the other.
TEST(SeedInterval, of_few_trials_rests_on_its_own_seeds) {
  PooledSpread few, many;
  for (int i = 0; i < 2; ++i) few.add({{1, 2}});
  for (int i = 0; i < 40; ++i) many.add({{1, 2}});
  EXPECT_DOUBLE_EQ(spread_of({{1, 2}}, few)->degrees, 1.25);
  EXPECT_DOUBLE_EQ(spread_of({{1, 2}}, many)->degrees, 5);
  const auto of_few = seed_interval({{1, 2}}, Aggregate::mean, few);
  const auto of_many = seed_interval({{1, 2}}, Aggregate::mean, many);
  ASSERT_TRUE(of_few && of_many);
  EXPECT_GT(of_few->high - of_few->low, 3 * (of_many->high - of_many->low));
}

// At nominal 95 %, 92 to 99 of 100 intervals of normal seeds cover, whatever their number.
TEST(SeedInterval, covers_the_mean_of_few_seeds) {
  constexpr int sets = 20, sweeps = 100;
  for (const std::size_t seeds : {2U, 3U, 5U, 10U}) {
    int covered = 0;
    for (std::uint64_t sweep = 0; sweep < sweeps; ++sweep) {
      std::vector<Strata> drawn;
      PooledSpread pooled;
      Rng rng(sweep, Purpose::bootstrap, seeds);
      for (int set = 0; set < sets; ++set) {
        std::vector<double> values;
        for (std::size_t i = 0; i < seeds; ++i) values.push_back(rng.normal());
        drawn.push_back({values});
        pooled.add(drawn.back());
      }
      for (const Strata& strata : drawn) {
        const auto interval = seed_interval(strata, Aggregate::mean, pooled);
        covered += interval && interval->low <= 0 && interval->high >= 0 ? 1 : 0;
      }
    }
    EXPECT_GE(covered, sets * sweeps * 92 / 100) << seeds;
    EXPECT_LE(covered, sets * sweeps * 99 / 100) << seeds;
  }
}

TEST(RankRanges, do_not_depend_on_how_many_are_shown) {
  const std::vector<std::vector<double>> trials{{9, 11}, {8, 10}, {1, 3}, {0, 2}};
  const auto all = rank_ranges(trials, Aggregate::mean, 4);
  const auto alone = rank_ranges(trials, Aggregate::mean, 1);
  ASSERT_EQ(all.size(), 4U);
  ASSERT_EQ(alone.size(), 1U);
  EXPECT_EQ(alone[0], all[0]);
  EXPECT_EQ(all[0].low, 1);
  EXPECT_GE(all[0].high, 2);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto rank = static_cast<double>(i + 1);
    EXPECT_LE(all[i].low, rank);
    EXPECT_GE(all[i].high, rank);
  }
}

TEST(RankRanges, are_certain_where_trials_are_far_apart) {
  const std::vector<std::vector<double>> trials{{100, 101, 102}, {50, 51, 52}, {0, 1, 2}};
  EXPECT_EQ(rank_ranges(trials, Aggregate::mean, 3),
            (std::vector<Interval>{{1, 1}, {2, 2}, {3, 3}}));
  EXPECT_TRUE(rank_ranges(std::vector<std::vector<double>>{{1}, {2}}, Aggregate::mean, 2).empty());
}

// It was printed as "diverged" for every trial.
TEST(SeedInterval, that_overflows_is_none) {
  PooledSpread pooled;
  pooled.add({{0.1, 0.3, 0.2}});
  pooled.add({{-0.0, 1e308, -1e308}});
  EXPECT_FALSE(seed_interval({{0.1, 0.3, 0.2}}, Aggregate::iqm, pooled));
  EXPECT_FALSE(seed_interval({{-0.0, 1e308, -1e308}}, Aggregate::iqm, pooled));
}

}  // namespace
}  // namespace hone
