#include "server/search/samplers/tpe/quadratic_fit.hpp"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

constexpr double ridge = 1e-12;  // relative to the largest diagonal element

// A symmetric matrix, row by row; solved in place by Cholesky's method.
class SymmetricSystem {
 public:
  explicit SymmetricSystem(std::size_t size) : size_(size), rows_(size * size, 0) {}

  double& at(std::size_t i, std::size_t j) { return rows_[i * size_ + j]; }
  // Replaces `right` by the solution. Returns false unless the matrix is positive definite. Uses
  // the lower triangle, and destroys it.
  bool solve(std::vector<double>& right);

 private:
  bool factor();

  std::size_t size_;
  std::vector<double> rows_;
};

bool SymmetricSystem::factor() {
  for (std::size_t i = 0; i < size_; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = at(i, j);
      for (std::size_t k = 0; k < j; ++k) sum -= at(i, k) * at(j, k);
      if (i == j && !(sum > 0)) return false;
      at(i, j) = i == j ? std::sqrt(sum) : sum / at(j, j);
    }
  return true;
}

bool SymmetricSystem::solve(std::vector<double>& right) {
  if (!factor()) return false;
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t k = 0; k < i; ++k) right[i] -= at(i, k) * right[k];
    right[i] /= at(i, i);
  }
  for (std::size_t i = size_; i-- > 0;) {
    for (std::size_t k = i + 1; k < size_; ++k) right[i] -= at(k, i) * right[k];
    right[i] /= at(i, i);
  }
  return true;
}

std::vector<double> terms_at(std::span<const double> step, Terms kind) {
  std::vector<double> terms{1};
  terms.insert(terms.end(), step.begin(), step.end());
  for (std::size_t i = 0; i < step.size(); ++i)
    for (std::size_t j = kind == Terms::squares ? i : 0; j <= i; ++j)
      terms.push_back(step[i] * step[j]);
  return terms;
}

// The coefficients of the terms by least squares, or nothing if they explain too little.
std::optional<std::vector<double>> fitted(const std::vector<std::vector<double>>& steps,
                                          std::span<const double> losses, Terms kind,
                                          double unexplained_max) {
  const std::size_t terms = term_count(steps.front().size(), kind);
  SymmetricSystem normal(terms);
  std::vector<double> right(terms, 0);
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    rows.push_back(terms_at(steps[i], kind));
    for (std::size_t a = 0; a < right.size(); ++a) {
      right[a] += rows[i][a] * losses[i];
      for (std::size_t b = 0; b <= a; ++b) normal.at(a, b) += rows[i][a] * rows[i][b];
    }
  }
  const auto count = static_cast<double>(rows.size());
  for (std::size_t a = 0; a < right.size(); ++a) normal.at(a, a) += ridge * count;
  if (!normal.solve(right)) return std::nullopt;
  double mean = 0, left = 0, all = 0;
  for (const double loss : losses) mean += loss / count;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double predicted = 0;
    for (std::size_t a = 0; a < right.size(); ++a) predicted += right[a] * rows[i][a];
    left += (losses[i] - predicted) * (losses[i] - predicted);
    all += (losses[i] - mean) * (losses[i] - mean);
  }
  const double spare = count - static_cast<double>(right.size());
  if (!(left / spare <= unexplained_max * all / (count - 1))) return std::nullopt;
  return right;
}

// The minimum of the quadratic within the unit ball: a Newton step, with as much added to the
// diagonal as keeps it inside.
std::optional<std::vector<double>> minimum_of(const std::vector<double>& coefficients,
                                              std::size_t size, Terms kind) {
  double largest = 0;
  for (std::size_t i = size + 1; i < coefficients.size(); ++i)
    largest = std::max(largest, std::abs(coefficients[i]));
  if (!(largest > 0)) return std::nullopt;
  constexpr int tries = 24;
  double added = 0;
  for (int i = 0; i < tries; ++i) {
    SymmetricSystem curvature(size);
    std::vector<double> step;
    std::size_t term = size + 1;
    for (std::size_t a = 0; a < size; ++a) {
      for (std::size_t b = kind == Terms::squares ? a : 0; b <= a; ++b)
        curvature.at(a, b) = coefficients[term++] * (a == b ? 2 : 1);
      curvature.at(a, a) += added;
      step.push_back(-coefficients[a + 1]);
    }
    if (curvature.solve(step) && length_of(step) <= 1) return step;
    added = added == 0 ? 1e-3 * largest : 2.5 * added;
  }
  return std::nullopt;
}

}  // namespace

std::size_t term_count(std::size_t size, Terms kind) {
  return kind == Terms::squares ? 2 * size + 1 : (size + 1) * (size + 2) / 2;
}

std::optional<std::vector<double>> least_step(const std::vector<std::vector<double>>& steps,
                                              std::span<const double> losses, Terms kind,
                                              double unexplained_max) {
  const auto coefficients = fitted(steps, losses, kind, unexplained_max);
  if (!coefficients) return std::nullopt;
  return minimum_of(*coefficients, steps.front().size(), kind);
}

double length_of(std::span<const double> step) {
  double squares = 0;
  for (const double x : step) squares += x * x;
  return std::sqrt(squares);
}

}  // namespace hone
