#include "server/search/samplers/tpe/quadratic.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace hone {
namespace {

constexpr std::size_t parameters_max = 6;  // 28 coefficients, which take about 20 us to fit
constexpr std::size_t places_max = 128;    // the best trials, among which the nearest are found
constexpr std::size_t spare_trials_min = 5;
constexpr double unexplained_max = 0.05;  // of the variance of the losses
constexpr double ridge = 1e-12;           // relative to the largest diagonal element
constexpr double repeat_share = 1e-3;     // of the radius: a nearer point repeats a trial

// A symmetric matrix, row by row; solved in place by Cholesky's method.
class SymmetricSystem {
 public:
  explicit SymmetricSystem(std::size_t size) : size_(size), rows_(size * size, 0) {}

  double& at(std::size_t i, std::size_t j) { return rows_[i * size_ + j]; }
  [[nodiscard]] std::size_t size() const { return size_; }
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

// Trials near the best one: their steps from it in the free coordinates, in units of the largest,
// and what they lose on it.
struct Neighbourhood {
  std::vector<std::size_t> free;  // dimensions
  double radius = 0;
  std::vector<std::vector<double>> steps;
  std::vector<double> losses;

  // 1, every coordinate, every product of two.
  [[nodiscard]] std::size_t terms() const { return (free.size() + 1) * (free.size() + 2) / 2; }
  [[nodiscard]] std::size_t wanted() const {
    return terms() + std::max(spare_trials_min, terms() / 2);
  }
};

double length_of(std::span<const double> step) {
  double squares = 0;
  for (const double x : step) squares += x * x;
  return std::sqrt(squares);
}

// Whether the points agree outside of the free dimensions.
bool shares_rest(std::span<const double> a, std::span<const double> b,
                 const std::vector<std::size_t>& free) {
  for (std::size_t j = 0; j < a.size(); ++j) {
    if (std::isnan(a[j]) != std::isnan(b[j])) return false;
    const bool is_free = std::find(free.begin(), free.end(), j) != free.end();
    if (!is_free && !std::isnan(a[j]) && a[j] != b[j]) return false;
  }
  return true;
}

std::optional<Neighbourhood> neighbourhood_of(const SearchSpace& space, const Evidence& evidence) {
  Neighbourhood near;
  const auto best = evidence.point(0);
  const double least = evidence.loss(evidence.order()[0]);
  for (std::size_t j = 0; j < best.size(); ++j)
    if (space.dimensions()[j].kind == Dimension::Kind::real && !std::isnan(best[j]))
      near.free.push_back(j);
  if (near.free.empty() || near.free.size() > parameters_max || !std::isfinite(least))
    return std::nullopt;
  struct Neighbour {
    double distance;
    std::size_t place;
  };
  std::vector<Neighbour> found;
  const auto step_to = [&](std::size_t place) {
    std::vector<double> step;
    for (const std::size_t j : near.free) step.push_back(evidence.point(place)[j] - best[j]);
    return step;
  };
  for (std::size_t i = 1; i < std::min(evidence.order().size(), places_max); ++i)
    if (std::isfinite(evidence.loss(evidence.order()[i])) &&
        shares_rest(best, evidence.point(i), near.free))
      found.push_back({length_of(step_to(i)), i});
  if (found.size() < near.wanted()) return std::nullopt;
  std::sort(found.begin(), found.end(), [](const Neighbour& a, const Neighbour& b) {
    return a.distance < b.distance || (a.distance == b.distance && a.place < b.place);
  });
  found.resize(near.wanted());
  near.radius = found.back().distance;
  if (!(near.radius > 0)) return std::nullopt;
  for (const Neighbour& one : found) {
    near.steps.push_back(step_to(one.place));
    for (double& x : near.steps.back()) x /= near.radius;
    near.losses.push_back(evidence.loss(evidence.order()[one.place]) - least);
  }
  near.steps.emplace_back(near.free.size(), 0.0);  // the best trial
  near.losses.push_back(0);
  return near;
}

std::vector<double> terms_at(std::span<const double> step) {
  std::vector<double> terms{1};
  terms.insert(terms.end(), step.begin(), step.end());
  for (std::size_t i = 0; i < step.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) terms.push_back(step[i] * step[j]);
  return terms;
}

// The coefficients of the terms by least squares, or nothing if they explain too little.
std::optional<std::vector<double>> fitted(const Neighbourhood& near) {
  SymmetricSystem normal(near.terms());
  std::vector<double> right(near.terms(), 0);
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < near.steps.size(); ++i) {
    rows.push_back(terms_at(near.steps[i]));
    for (std::size_t a = 0; a < right.size(); ++a) {
      right[a] += rows[i][a] * near.losses[i];
      for (std::size_t b = 0; b <= a; ++b) normal.at(a, b) += rows[i][a] * rows[i][b];
    }
  }
  const auto count = static_cast<double>(rows.size());
  for (std::size_t a = 0; a < right.size(); ++a) normal.at(a, a) += ridge * count;
  if (!normal.solve(right)) return std::nullopt;
  double mean = 0, left = 0, all = 0;
  for (const double loss : near.losses) mean += loss / count;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double predicted = 0;
    for (std::size_t a = 0; a < right.size(); ++a) predicted += right[a] * rows[i][a];
    left += (near.losses[i] - predicted) * (near.losses[i] - predicted);
    all += (near.losses[i] - mean) * (near.losses[i] - mean);
  }
  const double spare = count - static_cast<double>(right.size());
  if (!(left / spare <= unexplained_max * all / (count - 1))) return std::nullopt;
  return right;
}

// The minimum of the quadratic within the unit ball: a Newton step, with as much added to the
// diagonal as keeps it inside.
std::optional<std::vector<double>> least_step(const std::vector<double>& coefficients,
                                              std::size_t size) {
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
      for (std::size_t b = 0; b <= a; ++b)
        curvature.at(a, b) = coefficients[term++] * (a == b ? 2 : 1);
      curvature.at(a, a) += added;
      step.push_back(-coefficients[a + 1]);
    }
    if (curvature.solve(step) && length_of(step) <= 1) return step;
    added = added == 0 ? 1e-3 * largest : 2.5 * added;
  }
  return std::nullopt;
}

bool repeats(const Evidence& evidence, const Neighbourhood& near, std::span<const double> point) {
  const auto close = [&](std::uint32_t trial) {
    const auto other = evidence.history().point(trial);
    if (!shares_rest(point, other, near.free)) return false;
    std::vector<double> step;
    for (const std::size_t j : near.free) step.push_back(other[j] - point[j]);
    return length_of(step) < repeat_share * near.radius;
  };
  const auto order = evidence.order().first(std::min(evidence.order().size(), places_max));
  const auto pending = evidence.history().pending();
  return std::any_of(order.begin(), order.end(), close) ||
         std::any_of(pending.begin(), pending.end(), close);
}

}  // namespace

std::optional<Point> propose_by_quadratic(const SearchSpace& space, const Evidence& evidence) {
  if (evidence.history().objectives() > 1 || evidence.order().empty()) return std::nullopt;
  const auto near = neighbourhood_of(space, evidence);
  if (!near) return std::nullopt;
  const auto coefficients = fitted(*near);
  if (!coefficients) return std::nullopt;
  const auto step = least_step(*coefficients, near->free.size());
  if (!step) return std::nullopt;
  const auto best = evidence.point(0);
  Point point(best.begin(), best.end());
  for (std::size_t i = 0; i < near->free.size(); ++i) {
    double& x = point[near->free[i]];
    x = std::clamp(x + near->radius * (*step)[i], 0.0, 1.0);
  }
  space.settle(point);
  if (!space.feasible(point) || repeats(evidence, *near, point)) return std::nullopt;
  return point;
}

}  // namespace hone
