#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "server/search/samplers/tpe/evidence.hpp"
#include "tests/unit/search/sampler_given.hpp"

namespace hone {
namespace {

using Places = std::vector<std::size_t>;

TEST(ParetoOrder, puts_fronts_in_order_and_ends_of_a_front_first) {
  // The first front is {0, 1, 2, 5}; it alone dominates areas of 2 (place 1) and 4 (place 2).
  const std::vector<std::vector<double>> rows{{5, 1}, {4, 2}, {2, 4}, {2, 2}, {1, 1}, {0, 5}};
  EXPECT_EQ(pareto_order(rows, 1), (Places{0, 5, 2, 1}));
  EXPECT_EQ(pareto_order(rows, 6), (Places{0, 5, 2, 1, 3, 4}));
}

TEST(ParetoOrder, uses_crowding_distance_for_three_objectives) {
  const std::vector<std::vector<double>> rows{{9, 0, 1}, {5, 5, 1}, {5.5, 4.5, 1},
                                              {0, 9, 1}, {2, 6, 1}, {0, 0, 0}};
  const Places order = pareto_order(rows, 6);
  EXPECT_EQ(order.back(), 5U);
  EXPECT_TRUE((order[0] == 0 && order[1] == 3) || (order[0] == 3 && order[1] == 0));
}

TEST(Evidence, one_objective_keeps_the_order_of_the_history) {
  History history(Goal::minimize, 1);
  for (int i = 0; i < 5; ++i) finish(history, std::array{0.1 * i}, (i * 2) % 5);
  Rng rng(1, Purpose::propose, 0), untouched(1, Purpose::propose, 0);
  const Evidence evidence(history, 10, rng);
  EXPECT_TRUE(std::ranges::equal(evidence.order(), history.ranked()));
  EXPECT_EQ(evidence.loss(evidence.order()[0]), 0);
  EXPECT_EQ(rng.bits(), untouched.bits());
}

TEST(Evidence, several_objectives_put_the_front_first_and_failures_last) {
  History history(Goal::maximize, 1, 2);
  finish(history, std::array{0.1}, 1, std::array{1.0});
  finish(history, std::array{0.2}, 5, std::array{2.0});
  fail(history, std::array{0.3});
  finish(history, std::array{0.4}, 2, std::array{5.0});
  Rng rng(1, Purpose::propose, 0);
  const Evidence evidence(history, 10, rng);
  ASSERT_EQ(evidence.order().size(), 4U);
  EXPECT_EQ(evidence.order()[2], 0U);
  EXPECT_EQ(evidence.order()[3], 2U);
  EXPECT_TRUE(std::isnan(evidence.loss(2)));
  EXPECT_GT(evidence.loss(0), evidence.loss(1));
  EXPECT_GT(evidence.loss(0), evidence.loss(3));
}

// The area between the front and (1, 1), both objectives minimized.
double hypervolume(const History& history) {
  std::vector<std::array<double, 2>> losses;
  for (const std::uint32_t trial : history.ranked())
    losses.push_back({-history.outcome(trial).merit, -history.outcome(trial).further[0]});
  std::sort(losses.begin(), losses.end());
  double area = 0, height = 1;
  for (const auto& [first, second] : losses) {
    if (first >= 1 || second >= height) continue;
    area += (1 - first) * (height - second);
    height = second;
  }
  return area;
}

double hypervolume_after(const SearchSpace& space, const Sampler& sampler, std::uint64_t seed) {
  History history(Goal::minimize, space.dimensions().size(), 2);
  for (int number = 0; number < 60; ++number) {
    const Point point = sampler.propose(space, history, {seed, number}).value();
    const double rest = 3 * (std::abs(point[1] - 0.3) + std::abs(point[2] - 0.6));
    const double merit = -(1 - std::sqrt(point[0]) + rest);
    finish(history, point, point[0] + rest, std::array{merit});
  }
  return hypervolume(history);
}

TEST(Tpe, approaches_the_front_of_two_objectives) {
  const SearchSpace space =
      space_of({{"x", unit_float(), ""}, {"y", unit_float(), ""}, {"z", unit_float(), ""}});
  const auto random = std::move(make_sampler({.method = "random"}, space)).value();
  for (const bool surrogate : {false, true}) {
    const auto sampler = tpe(space, {{"surrogate", surrogate}});
    double sum = 0, by_random = 0;
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      sum += hypervolume_after(space, *sampler, seed) / 5;
      by_random += hypervolume_after(space, *random, seed) / 5;
    }
    EXPECT_GT(sum, by_random + 0.1) << surrogate;
  }
}

}  // namespace
}  // namespace hone
