#include "server/search/samplers/tpe/moves.hpp"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

constexpr double changed_coordinates = 4;  // of a step, on average
constexpr int step_draws_max = 4;          // until a step changes any coordinate
constexpr double choice_change = 0.3;      // chance that a step draws a new choice
constexpr double least_grid_step = 0.7;    // in cells, so that steps leave their cell
constexpr double shift_max = 1.2;          // F of differential evolution is uniform up to this
constexpr double bandwidths_per_step = 10;

double reflected_once(double x) {
  if (x < 0) return std::min(1.0, -x);
  return x > 1 ? std::max(0.0, 2 - x) : x;
}

}  // namespace

void Moves::finish(std::span<double> to) {
  focus_.confine(to);
  space_.settle(to);
}

void Moves::from_good(std::span<double> to) {
  good_.draw(rng_, true, to);
  finish(to);
}

void Moves::uniform(std::span<double> to) {
  for (std::size_t j = 0; j < to.size(); ++j) {
    const Dimension& dimension = space_.dimensions()[j];
    to[j] = dimension.kind == Dimension::Kind::choice
                ? static_cast<double>(rng_.below(static_cast<std::uint64_t>(dimension.levels)))
                : rng_.uniform();
  }
  finish(to);
}

void Moves::step_coordinate(std::size_t j, double scale, double& x) {
  const Dimension& dimension = space_.dimensions()[j];
  if (dimension.kind == Dimension::Kind::choice) {
    if (rng_.uniform() < choice_change || std::isnan(x))
      x = static_cast<double>(rng_.below(static_cast<std::uint64_t>(dimension.levels)));
    return;
  }
  double spread = bandwidths_per_step * scale * good_.bandwidths()[j];
  if (dimension.kind == Dimension::Kind::grid)
    spread = std::max(spread, least_grid_step / static_cast<double>(dimension.levels));
  const double from = std::isnan(x) ? rng_.uniform() : x;
  x = reflected_once(from + spread * rng_.normal());
}

void Moves::step(std::span<const double> from, double scale, std::span<double> to) {
  std::copy(from.begin(), from.end(), to.begin());
  const double chance = std::min(1.0, changed_coordinates / static_cast<double>(to.size()));
  bool changed = false;
  for (int tries = 0; tries < step_draws_max && !changed; ++tries) {
    for (std::size_t j = 0; j < to.size(); ++j) {
      if (rng_.uniform() >= chance) continue;
      changed = true;
      step_coordinate(j, scale, to[j]);
    }
  }
  finish(to);
}

void Moves::shift(std::span<const double> from, std::span<const double> a,
                  std::span<const double> b, std::span<double> to) {
  const double factor = shift_max * rng_.uniform();
  for (std::size_t j = 0; j < to.size(); ++j) {
    to[j] = from[j];
    if (space_.dimensions()[j].kind == Dimension::Kind::choice) {
      if (rng_.uniform() < 0.5 && !std::isnan(a[j])) to[j] = a[j];
    } else if (!std::isnan(from[j]) && !std::isnan(a[j]) && !std::isnan(b[j])) {
      to[j] = std::clamp(from[j] + factor * (a[j] - b[j]), 0.0, 1.0);
    }
  }
  finish(to);
}

}  // namespace hone
