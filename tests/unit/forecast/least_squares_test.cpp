#include "server/forecast/least_squares.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>

#include "base/rng.hpp"

namespace hone::forecast {
namespace {

Design random_design(std::uint64_t index, std::size_t rows, std::size_t columns) {
  Rng rng(7, Purpose::simulation, index);
  Design design;
  design.columns = columns;
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<double> line(columns);
    for (double& value : line) value = rng.normal();
    design.add(line, rng.normal());
  }
  return design;
}

Design with_columns(const Design& design, std::uint64_t chosen) {
  Design part;
  for (std::size_t j = 0; j < design.columns; ++j) part.columns += chosen >> j & 1U;
  for (std::size_t i = 0; i < design.rows(); ++i) {
    std::vector<double> line;
    for (std::size_t j = 0; j < design.columns; ++j)
      if (chosen >> j & 1U) line.push_back(design.row(i)[j]);
    part.add(line, design.targets[i]);
  }
  return part;
}

// The least error over every set of columns whose solution has no negative coefficient.
double least_error(const Design& design) {
  double least = std::numeric_limits<double>::infinity();
  for (std::uint64_t chosen = 0; chosen < 1U << design.columns; ++chosen) {
    const Design part = with_columns(design, chosen);
    const auto x = least_squares(part);
    bool valid = true;
    for (const double value : x) valid = valid && value >= 0;
    if (valid) least = std::min(least, squared_error(part, x));
  }
  return least;
}

TEST(LeastSquares, nonnegative_solutions_are_the_best_of_all_sets_of_columns) {
  int bounded = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const Design design = random_design(i, 12, 5);
    const auto x = nonnegative_least_squares(design);
    for (const double value : x) {
      EXPECT_GE(value, 0);
      bounded += value == 0 ? 1 : 0;
    }
    EXPECT_NEAR(squared_error(design, x), least_error(design), 1e-9) << i;
  }
  EXPECT_GT(bounded, 100);  // the constraint matters in these problems
}

TEST(LeastSquares, solve_exact_systems_and_survive_dependent_columns) {
  Design design;
  design.columns = 3;
  for (const double t : {1.0, 2.0, 3.0, 4.0})
    design.add(std::array{1.0, t, 2 * t}, 5 + 3 * t);  // the third column is twice the second
  const auto x = least_squares(design);
  EXPECT_NEAR(x[0], 5, 1e-9);
  EXPECT_NEAR(x[1] + 2 * x[2], 3, 1e-9);
  EXPECT_NEAR(squared_error(design, nonnegative_least_squares(design)), 0, 1e-12);
}

TEST(LeastSquares, an_empty_or_constant_column_gets_no_coefficient) {
  Design design;
  design.columns = 2;
  design.add(std::array{0.0, 1.0}, 2);
  design.add(std::array{0.0, 2.0}, 4);
  EXPECT_EQ(nonnegative_least_squares(design), (std::vector<double>{0, 2}));
  EXPECT_EQ(lasso(design, 0.001).coefficients[0], 0);
}

TEST(LeastSquares, lasso_keeps_the_columns_that_matter) {
  Rng rng(3, Purpose::simulation, 0);
  Design design;
  design.columns = 6;
  for (int i = 0; i < 200; ++i) {
    std::vector<double> line(6);
    for (double& value : line) value = rng.normal();
    design.add(line, 1 + 2 * line[0] - 3 * line[3] + 0.01 * rng.normal());
  }
  const LassoFit fit = lasso(design, 0.05);
  EXPECT_NEAR(fit.intercept, 1, 0.05);
  EXPECT_NEAR(fit.coefficients[0], 2, 0.1);
  EXPECT_NEAR(fit.coefficients[3], -3, 0.1);
  for (const std::size_t j : {1U, 2U, 4U, 5U}) EXPECT_EQ(fit.coefficients[j], 0) << j;
}

TEST(LeastSquares, lasso_without_penalty_is_least_squares_and_with_all_of_it_the_mean) {
  const Design design = random_design(1, 40, 3);
  Design with_ones;
  with_ones.columns = 4;
  for (std::size_t i = 0; i < design.rows(); ++i) {
    const auto line = design.row(i);
    with_ones.add(std::array{1.0, line[0], line[1], line[2]}, design.targets[i]);
  }
  const auto x = least_squares(with_ones);
  const LassoFit fit = lasso(design, 0);
  EXPECT_NEAR(fit.intercept, x[0], 1e-6);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(fit.coefficients[j], x[j + 1], 1e-6);
  for (const double value : lasso(design, 1e3).coefficients) EXPECT_EQ(value, 0);
}

}  // namespace
}  // namespace hone::forecast
