// The quadratic around the best trial: smooth optima to full precision, and silence elsewhere.
#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.hpp"
#include "server/search/samplers/tpe/quadratic.hpp"
#include "server/search/samplers/tpe/relevance.hpp"
#include "tests/unit/search/sampler_given.hpp"

namespace hone {
namespace {

// Least at 0.3, 0.35, ..., with widths that differ by dimension.
double bowl(std::span<const double> point) {
  double sum = 0;
  for (std::size_t j = 0; j < point.size(); ++j) {
    const auto place = static_cast<double>(j);
    sum += (1 + 3 * place) * std::pow(point[j] - 0.3 - 0.05 * place, 2);
  }
  return sum;
}

// Not a quadratic: its third and higher derivatives do not vanish.
double dent(const Point& point) { return 1 - std::exp(-4 * bowl(point)); }

History random_history(std::size_t dimensions, int trials,
                       const std::function<double(const Point&)>& loss) {
  History history(Goal::minimize, dimensions);
  Rng rng(3, Purpose::simulation, dimensions);
  for (int i = 0; i < trials; ++i) {
    Point point(dimensions);
    for (double& x : point) x = rng.uniform();
    finish(history, point, loss(point));
  }
  return history;
}

std::optional<Point> proposal(const SearchSpace& space, const History& history) {
  Rng rng(1, Purpose::propose, 0);
  return propose_by_quadratic(space, Evidence(history, 100, rng));
}

TEST(TpeQuadratic, finds_the_minimum_of_a_quadratic_in_one_step) {
  const auto point = proposal(cube(3), random_history(3, 60, bowl));
  ASSERT_TRUE(point);
  EXPECT_LT(bowl(*point), 1e-16);
}

TEST(TpeQuadratic, proposes_nothing_where_losses_are_noise) {
  Rng noise(5, Purpose::simulation, 0);
  const History history = random_history(2, 60, [&](const Point&) { return noise.uniform(); });
  EXPECT_FALSE(proposal(cube(2), history));
}

// Of two of the parameters, which interact.
double crossed(const Point& point) {
  const double a = point[3] - 0.3, b = point[8] - 0.6;
  return a * a + a * b + b * b;
}

TEST(TpeQuadratic, late_precision_was_lost_where_most_parameters_do_not_matter) {
  const History history = random_history(12, 100, crossed);
  const auto point = proposal(cube(12), history);
  ASSERT_TRUE(point);
  EXPECT_LT(crossed(*point), 1e-16);
  Rng rng(1, Purpose::propose, 0);
  const Evidence evidence(history, 100, rng);
  const auto best = evidence.point(0);
  for (std::size_t j = 0; j < best.size(); ++j) {
    const bool moved = (*point)[j] != best[j];
    EXPECT_EQ(moved, j == 3 || j == 8) << j;
  }
}

TEST(TpeQuadratic, finds_the_minimum_of_many_parameters_that_do_not_interact) {
  const auto point = proposal(cube(20), random_history(20, 120, bowl));
  ASSERT_TRUE(point);
  double outside = 0;  // the minimum is beyond the cube in the last dimensions
  for (std::size_t j = 0; j < point->size(); ++j)
    outside += std::pow(std::max(0.0, 0.3 + 0.05 * static_cast<double>(j) - 1), 2) *
               (1 + 3 * static_cast<double>(j));
  EXPECT_NEAR(bowl(*point), outside, 1e-6);
}

TEST(TpeQuadratic, approaches_the_tip_of_a_cone) {
  const auto cone = [](const Point& point) { return std::hypot(point[0] - 0.5, point[1] - 0.5); };
  History history = random_history(2, 60, cone);
  const double before = best_loss(history);
  for (int i = 0; i < 20; ++i)
    if (const auto point = proposal(cube(2), history)) finish(history, *point, cone(*point));
  EXPECT_LT(best_loss(history), 0.05 * before);
}

TEST(TpeQuadratic, sweeps_stayed_in_a_ripple_beside_the_middle_of_a_bowl) {
  const auto rippled = [](const Point& point) {
    double sum = 0;
    for (const double x : point)
      sum += std::pow(x - 0.4, 2) + 0.02 * (1 - std::cos(90 * (x - 0.4)));
    return sum;
  };
  for (const std::size_t dimensions : {3U, 8U}) {  // with products, and without
    const History history = random_history(dimensions, 120, rippled);
    const auto point = proposal(cube(dimensions), history);
    ASSERT_TRUE(point) << dimensions;
    for (const double x : *point) EXPECT_NEAR(x, 0.4, 0.1) << dimensions;
    History known = history;
    finish(known, *point, rippled(*point));
    const auto again = proposal(cube(dimensions), known);
    EXPECT_FALSE(again && std::abs(again->front() - point->front()) < 0.01) << dimensions;
  }
}

// Neighbours interact, so that neither a few parameters nor squares alone describe it.
double chained(const Point& point) {
  double sum = 0;
  for (std::size_t j = 1; j < point.size(); ++j)
    sum += std::pow(point[j] + point[j - 1] - 2 * point[j] * point[j - 1] - 0.3, 2);
  return sum;
}

TEST(TpeQuadratic, proposes_nothing_without_enough_trials_or_where_it_explains_too_little) {
  EXPECT_FALSE(proposal(cube(3), random_history(3, 10, bowl)));
  EXPECT_FALSE(proposal(cube(20), random_history(20, 50, bowl)));
  EXPECT_FALSE(proposal(cube(7), random_history(7, 120, chained)));
  EXPECT_FALSE(proposal(cube(2), History(Goal::minimize, 2)));
}

TEST(TpeQuadratic, the_most_relevant_rows_come_first_and_copies_are_worth_nothing) {
  Rng rng(7, Purpose::simulation, 0);
  std::vector<std::vector<double>> columns(5, std::vector<double>(50));
  std::vector<double> losses(50);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    for (auto& column : columns) column[i] = rng.uniform();
    columns[1][i] = 0.5;
    columns[4][i] = columns[2][i];
    losses[i] = 3 * columns[2][i] + std::pow(columns[3][i] - 0.5, 2);
  }
  EXPECT_EQ(most_relevant(columns, losses, 6), (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(most_relevant(columns, losses, 1), (std::vector<std::size_t>{2}));
  EXPECT_TRUE(most_relevant(columns, std::vector<double>(50, 1.0), 6).empty());
}

TEST(TpeQuadratic, does_not_propose_a_known_or_a_pending_point_again) {
  const SearchSpace space = cube(2);
  History history = random_history(2, 60, bowl);
  const Point minimum = proposal(space, history).value();
  History known = history;
  finish(known, minimum, bowl(minimum));
  EXPECT_FALSE(proposal(space, known));
  history.add_run(history.add_trial(minimum));
  EXPECT_FALSE(proposal(space, history));
}

TEST(Tpe, smooth_optima_were_missed_by_the_distance_at_which_proposals_repeat) {
  for (const std::size_t dimensions : {2U, 3U, 5U}) {
    const SearchSpace space = cube(dimensions);
    const auto sampler = tpe(space);
    for (std::uint64_t seed = 0; seed < 3; ++seed)
      EXPECT_LT(best_loss(run_sweep(space, *sampler, seed, 200, dent)), 1e-8)
          << dimensions << ", seed " << seed;
  }
}

}  // namespace
}  // namespace hone
