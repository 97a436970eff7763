// The method bohb against the formulas of its paper and of the estimator that its authors use.
#include <gtest/gtest.h>

#include <cmath>

#include "server/search/samplers/bohb/density.hpp"
#include "tests/unit/search/sampler_given.hpp"

namespace hone {
namespace {

double normal(double z) { return std::exp(-z * z / 2) / std::sqrt(2 * std::acos(-1)); }

std::unique_ptr<Sampler> bohb(const SearchSpace& space, Params settings = {}) {
  SearchSpec search;
  search.method = "bohb";
  search.trials = 1'000;
  search.settings = std::move(settings);
  return std::move(make_sampler(search, space)).value();
}

TEST(BohbDensity, bandwidths_are_those_of_the_normal_reference_rule) {
  Rng rng(1, Purpose::propose, 0);
  const SearchSpace one = cube(1);
  // The deviation of 0.2, 0.4, 0.6 is sqrt(2 / 75).
  const BohbDensity density(one, {{0.2}, {0.4}, {0.6}}, rng);
  const double width = 1.06 * std::sqrt(2.0 / 75) * std::pow(3, -1.0 / 5);
  EXPECT_NEAR(density.bandwidths()[0], width, 1e-12);
  const double expected =
      (normal(0.1 / width) + normal(0.1 / width) + normal(0.3 / width)) / (3 * width);
  EXPECT_NEAR(density.at(Point{0.3}), expected, 1e-12);
}

TEST(BohbDensity, equal_points_keep_the_least_bandwidth) {
  Rng rng(1, Purpose::propose, 0);
  const SearchSpace two = cube(2);
  const BohbDensity density(two, {{0.5, 0.1}, {0.5, 0.9}}, rng);
  EXPECT_EQ(density.bandwidths()[0], 1e-3);
  EXPECT_NEAR(density.bandwidths()[1], 1.06 * 0.4 * std::pow(2, -1.0 / 6), 1e-12);
}

TEST(BohbDensity, choices_have_the_kernel_of_aitchison_and_aitken) {
  Rng rng(1, Purpose::propose, 0);
  const SearchSpace space = space_of(
      {{"c", ChoiceDomain{{std::string("a"), std::string("b"), std::string("d")}, false, {}}, ""}});
  const BohbDensity density(space, {{0}, {0}, {0}, {1}}, rng);
  const double width = std::min(2.0 / 3, 1.06 * std::sqrt(3.0 / 16) * std::pow(4, -1.0 / 5));
  EXPECT_NEAR(density.at(Point{0}), (3 * (1 - width) + width / 2) / 4, 1e-12);
  EXPECT_NEAR(density.at(Point{2}), width / 2, 1e-12);
}

// A quarter of the trials reached the third phase; there, x near 0.8 is good, earlier near 0.2.
History history_of_two_budgets(const SearchSpace& space, int trials) {
  History history(Goal::maximize, space.dimensions().size());
  for (int i = 0; i < trials; ++i) {
    const double x = (i + 0.5) / trials;
    const auto run = history.add_run(history.add_trial(Point{x}));
    history.add_report(run, 0, Score::of(-std::abs(x - 0.2)));
    if (i % 4 != 0) continue;
    history.add_report(run, 1, Score::of(-std::abs(x - 0.8)));
    history.add_report(run, 2, Score::of(-std::abs(x - 0.8)));
  }
  return history;
}

double mean_proposal(const Sampler& sampler, const SearchSpace& space, const History& history) {
  double sum = 0;
  for (std::int64_t number = 0; number < 100; ++number)
    sum += sampler.propose(space, history, {1, 1'000 + number}).value()[0];
  return sum / 100;
}

TEST(Bohb, only_the_largest_budget_with_enough_results_counts) {
  const SearchSpace space = cube(1);
  const auto sampler = bohb(space, {{"random_fraction", 0.0}});
  // Forty trials: ten reached phase 3, and four suffice in one dimension.
  EXPECT_NEAR(mean_proposal(*sampler, space, history_of_two_budgets(space, 40)), 0.8, 0.12);
  // Twelve: three are too few there.
  EXPECT_NEAR(mean_proposal(*sampler, space, history_of_two_budgets(space, 12)), 0.2, 0.12);
}

TEST(Bohb, a_third_of_the_proposals_is_random_and_all_before_there_are_enough_results) {
  const SearchSpace space = cube(1);
  const History many = history_of_two_budgets(space, 40), few = history_of_two_budgets(space, 3);
  const auto sampler = bohb(space);
  const auto random = std::move(make_sampler({"random", 100}, space)).value();
  int far = 0;
  for (std::int64_t number = 0; number < 300; ++number) {
    const Draw draw{1, 1'000 + number};
    far += std::abs(sampler->propose(space, many, draw).value()[0] - 0.8) > 0.35 ? 1 : 0;
  }
  // Of uniform draws, 45 % are farther than 0.35 from 0.8.
  EXPECT_NEAR(far / 300.0, 0.45 / 3, 0.06);
  EXPECT_NEAR(mean_proposal(*sampler, space, few), 0.5, 0.1);
}

TEST(Bohb, proposes_better_sets_than_random_search) {
  const SearchSpace space = cube(2);
  const auto loss = [](const Point& x) {
    return (x[0] - 0.3) * (x[0] - 0.3) + (x[1] - 0.6) * (x[1] - 0.6);
  };
  const auto sum_of = [&](const Sampler& sampler, std::uint64_t seed) {
    const History history = run_sweep(space, sampler, seed, 60, loss);
    double sum = 0;
    for (std::size_t trial = 30; trial < 60; ++trial) sum -= history.outcome(trial).merit;
    return sum;
  };
  const auto random = std::move(make_sampler({"random", 100}, space)).value();
  const auto model = bohb(space);
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    EXPECT_LT(sum_of(*model, seed), 0.8 * sum_of(*random, seed)) << seed;
}

TEST(Bohb, refuses_what_it_cannot_do) {
  SearchSpec search;
  search.method = "bohb";
  search.trials = 20'000;
  EXPECT_EQ(make_sampler(search, cube(1)).error().at, "/search/trials");
  search.trials = 100;
  search.settings = {{"top", 2.0}};
  EXPECT_FALSE(make_sampler(search, cube(1)).ok());
}

}  // namespace
}  // namespace hone
