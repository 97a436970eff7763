// Against SciPy 1.17.1 and NumPy 2.4.6: trim_mean(x, 0.25), median, sem, ttest_ind(equal_var=False,
// alternative="less"), t.cdf, wilcoxon(alternative="less"), mannwhitneyu; bootstraps by a generator
// of Python's own that makes the same draws, and numpy.quantile.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "schemas/types/aggregate.hpp"
#include "server/search/statistics/bootstrap.hpp"
#include "server/search/statistics/tests.hpp"

namespace hone {
namespace {

constexpr double tolerance = 1e-9;
const std::vector<double> sample_a{1.5, 2.25, 3.125, 4.0, 7.5, 0.25, 2.0};
const std::vector<double> sample_b{2.0, 3.5, 3.0, 6.25, 9.0, 1.0, 2.5};
const std::vector<double> c{410.0, 498.5, 500.0, 372.25, 455.0};
const std::vector<double> d{500.0, 499.0, 480.5, 500.0};

TEST(Aggregates, equal_scipy) {
  EXPECT_NEAR(iqm_of(sample_a), 2.5750000000000002, tolerance);
  EXPECT_NEAR(iqm_of(sample_b), 3.4500000000000002, tolerance);
  EXPECT_NEAR(iqm_of(c), 454.5, tolerance);
  EXPECT_NEAR(iqm_of(d), 499.5, tolerance);
  EXPECT_NEAR(median_of(d), 499.5, tolerance);
  EXPECT_NEAR(median_of(sample_a), 2.25, tolerance);
  EXPECT_NEAR(variance_of(c), 3120.4249999999997, tolerance);
  EXPECT_NEAR(standard_error_of(sample_a), 0.88129417436444424, tolerance);
  EXPECT_NEAR(standard_error_of(d), 4.7974602655988718, tolerance);
  EXPECT_NEAR(aggregate_of(Aggregate::lcb, sample_a), mean_of(sample_a) - 0.88129417436444424,
              tolerance);
}

TEST(Aggregates, of_equal_values_are_that_value_to_the_last_bit) {
  const std::vector<double> same(7, 0.1);
  EXPECT_EQ(mean_of(same), 0.1);
  EXPECT_EQ(iqm_of(same), 0.1);
  EXPECT_EQ(median_of(same), 0.1);
}

TEST(Aggregates, a_median_of_two_with_a_failure_was_not_a_number) {
  const std::vector<double> values{5, -std::numeric_limits<double>::infinity()};
  EXPECT_EQ(median_of(values), -std::numeric_limits<double>::infinity());
}

TEST(Aggregates, one_failed_run_sinks_a_mean_and_not_a_median) {
  const double failed = -std::numeric_limits<double>::infinity();
  const std::vector<double> values{3, failed, 5, 4, 4};
  EXPECT_EQ(mean_of(values), failed);
  EXPECT_EQ(aggregate_of(Aggregate::lcb, values), failed);
  EXPECT_EQ(median_of(values), 4);
  EXPECT_NEAR(iqm_of(values), 11.0 / 3, tolerance);
  EXPECT_EQ(standard_error_of(values), 0);
}

TEST(Tests, welch_equals_scipy) {
  const Welch close = welch(sample_a, sample_b);
  EXPECT_NEAR(close.t, -0.68963118644444887, tolerance);
  EXPECT_NEAR(close.df, 11.642488025471975, tolerance);
  EXPECT_NEAR(close.p_worse, 0.25197006569703168, tolerance);
  EXPECT_NEAR(welch(c, d).p_worse, 0.064497662661919461, tolerance);
  EXPECT_NEAR(welch(c, d).df, 4.2926877495991347, tolerance);
  EXPECT_NEAR(welch(d, c).p_worse, 0.93550233733808053, tolerance);
}

TEST(Tests, welch_without_variance_goes_by_the_means) {
  const std::vector<double> one{1, 1}, two{2, 2};
  EXPECT_EQ(welch(one, two).p_worse, 0);
  EXPECT_EQ(welch(two, one).p_worse, 1);
  EXPECT_EQ(welch(one, one).p_worse, 0.5);
}

TEST(Tests, student_equals_scipy) {
  EXPECT_NEAR(student_cdf(-3.5, 1), 0.088585532782904763, tolerance);
  EXPECT_NEAR(student_cdf(0.7, 2.5), 0.72829752840522599, tolerance);
  EXPECT_NEAR(student_cdf(-12, 7), 3.1791551890925489e-06, tolerance);
  EXPECT_NEAR(student_cdf(1e-3, 40), 0.50039645685697132, tolerance);
  EXPECT_NEAR(student_cdf(2, 300), 0.9767992395084254, tolerance);
  EXPECT_NEAR(student_cdf(-40, 3.3), 7.5294436408996813e-06, tolerance);
  EXPECT_EQ(student_cdf(0, 5), 0.5);
}

TEST(Tests, signed_ranks_equal_scipy) {
  const std::vector<double> x{1.1, 2.3, 0.7, 5.2, 3.3, 4.8, 2.9},
      y{1.5, 2.1, 1.9, 6.0, 3.9, 5.9, 2.2};
  EXPECT_NEAR(signed_rank_p_worse(x, y), 0.078125, tolerance);
  const std::vector<double> tied{3, 5, 2, 8, 4, 4, 6, 1}, others{4, 4, 4, 9, 4, 6, 8, 0};
  EXPECT_NEAR(signed_rank_p_worse(tied, others), 0.07022909110143051, tolerance);
  EXPECT_EQ(signed_rank_p_worse(x, x), 0.5);
}

const Strata first{{1.5, 2.25, 3.125, 4.0, 7.5}, {0.25, 2.0, 6.0, 3.0, 1.0}};
const Strata second{{2.0, 3.5, 3.0, 6.25, 9.0}, {1.0, 2.5, 2.0, 0.5, 4.0}};
const BootstrapSetting setting{7, 500, 0.95};

TEST(Bootstrap, intervals_equal_those_of_the_same_draws_elsewhere) {
  const Interval iqm = bootstrap_interval(first, iqm_of, setting);
  EXPECT_NEAR(iqm.low, 1.6864583333333334, tolerance);
  EXPECT_NEAR(iqm.high, 4.4593749999999996, tolerance);
  const Interval improves = improvement_interval(first, second, setting);
  EXPECT_NEAR(improves.low, 0.20475000000000004, tolerance);
  EXPECT_NEAR(improves.high, 0.70999999999999996, tolerance);
  const std::vector<Strata> sets{first, second};
  const auto chances = chances_to_be_best(sets, iqm_of, setting);
  EXPECT_NEAR(chances[0], 0.416, tolerance);
  EXPECT_NEAR(chances[1], 0.584, tolerance);
}

TEST(Bootstrap, stays_within_its_strata) {
  const Strata strata{{1, 2, 3}, {101, 102, 103}};
  for (std::uint64_t i = 0; i < 100; ++i) {
    const Strata drawn = resampled(strata, 3, i);
    for (const double value : drawn[0]) EXPECT_LE(value, 3);
    for (const double value : drawn[1]) EXPECT_GE(value, 101);
  }
  EXPECT_EQ(resampled(strata, 3, 17), resampled(strata, 3, 17));
  EXPECT_NE(resampled(strata, 3, 17), resampled(strata, 3, 18));
}

TEST(Comparison, improvement_and_profile_equal_scipy) {
  EXPECT_NEAR(probability_of_improvement(first, second), 0.46, tolerance);
  EXPECT_NEAR(probability_of_improvement(first, first), 0.5, tolerance);
  EXPECT_NEAR(profile_at(first, 0), 1, tolerance);
  EXPECT_NEAR(profile_at(first, 2), 0.7, tolerance);
  EXPECT_NEAR(profile_at(first, 7.5), 0.1, tolerance);
  EXPECT_EQ(profile_at(first, 8), 0);
}

}  // namespace
}  // namespace hone
