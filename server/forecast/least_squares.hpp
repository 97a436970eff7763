// Linear least squares of few columns: without constraint, with non-negative coefficients (Lawson
// and Hanson, "Solving Least Squares Problems", 1974, chapter 23) and with an L1 penalty
// (Tibshirani, 1996, by coordinate descent as in Friedman et al., 2010).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hone::forecast {

// Rows of a linear model: targets[i] is about sum_j terms[i * columns + j] x[j].
struct Design {
  std::size_t columns = 0;
  std::vector<double> terms;    // [rows][columns]
  std::vector<double> targets;  // [rows]

  [[nodiscard]] std::size_t rows() const { return targets.size(); }
  [[nodiscard]] std::span<const double> row(std::size_t i) const {
    return std::span(terms).subspan(i * columns, columns);
  }
  // Adds a row, all of it multiplied by `weight`: the square root of how much its error counts.
  // Precondition: line has `columns` values.
  void add(std::span<const double> line, double target, double weight = 1);
};

// The x that minimises the sum of squared errors (Householder QR). A column that depends on those
// before it gets 0.
std::vector<double> least_squares(const Design& design);

// The same under x >= 0.
std::vector<double> nonnegative_least_squares(const Design& design);

// Minimises the mean squared error / 2 + penalty * sum |x_j|, for standardised columns: a column
// without variance gets 0. Add no column of ones: the intercept is separate and not penalised.
struct LassoFit {
  double intercept = 0;
  std::vector<double> coefficients;  // of the columns as they were given
  [[nodiscard]] double at(std::span<const double> line) const;
};
LassoFit lasso(const Design& design, double penalty);

double squared_error(const Design& design, std::span<const double> x);

}  // namespace hone::forecast
