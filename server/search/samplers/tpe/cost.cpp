#include "server/search/samplers/tpe/cost.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/expect.hpp"
#include "server/search/samplers/tpe/training.hpp"

namespace hone {
namespace {

constexpr std::size_t costs_min = 4, costs_max = 64;
constexpr std::int64_t start_candidates = 8;
// Costs are mostly products of powers of parameters: their logarithm is smooth over the whole cube.
constexpr std::array<double, 3> widths{0.5, 1, 2};
constexpr std::array<double, 2> noises{1e-3, 1e-1};

// The best trials with a cost, and others evenly by rank.
std::vector<std::uint32_t> trials_with_cost(const History& history) {
  const auto ranked = history.ranked();
  std::vector<std::uint32_t> trials;
  const auto add = [&](std::size_t place) {
    if (history.phase_seconds(ranked[place])) trials.push_back(ranked[place]);
  };
  const std::size_t best = std::min(ranked.size(), costs_max / 2);
  for (std::size_t i = 0; i < best; ++i) add(i);
  const std::size_t rest = ranked.size() - best, most = std::min(rest, costs_max - best);
  for (std::size_t i = 0; i < most; ++i) add(best + i * rest / most);
  return trials;
}

}  // namespace

CostModel::CostModel(const SearchSpace& space, const History& history) : space_(space) {
  const auto trials = trials_with_cost(history);
  const auto dimensions = space.dimensions();
  if (trials.size() < costs_min || dimensions.empty()) return;
  columns_.resize(dimensions.size() * trials.size());
  std::vector<double> values;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    values.push_back(std::log(std::max(*history.phase_seconds(trials[i]), 1e-3)));
    for (std::size_t j = 0; j < dimensions.size(); ++j)
      columns_[j * trials.size() + i] = impute(dimensions[j], history.point(trials[i])[j]);
  }
  for (const Dimension& one : dimensions)
    choice_.push_back(one.kind == Dimension::Kind::choice ? 1 : 0);
  double best = -std::numeric_limits<double>::infinity();
  for (const double width : widths)
    for (const double noise : noises) {
      GaussianProcess process({columns_, trials.size()}, choice_);
      const double weight = 1 / (width * width * std::sqrt(static_cast<double>(choice_.size())));
      if (!process.fit({std::vector<double>(choice_.size(), weight), noise}, values)) continue;
      if (process.log_likelihood() <= best) continue;
      best = process.log_likelihood();
      process_ = std::move(process);
    }
}

std::vector<double> CostModel::log_seconds(PointColumns at) const {
  return process_->predict(at).mean;
}

double CostModel::log_seconds(std::span<const double> point) const {
  std::vector<double> column;
  for (std::size_t j = 0; j < point.size(); ++j)
    column.push_back(impute(space_.dimensions()[j], point[j]));
  return log_seconds(PointColumns{column, 1}).front();
}

double cost_weight(const Draw& draw) {
  constexpr std::uint64_t own_draws = std::uint64_t{1} << 32U;  // from the choice of rule hone
  return Rng(draw.seed, Purpose::mixture, static_cast<std::uint64_t>(draw.number) + own_draws)
      .uniform();
}

Point cheap_start(const Sampler& spread, const SearchSpace& space, const History& history,
                  const Draw& draw, const CostModel& model) {
  Point cheapest;
  double least = std::numeric_limits<double>::infinity();
  for (std::int64_t i = 0; i < start_candidates; ++i) {
    Draw one = draw;
    one.number = start_candidates * draw.number + i;
    auto point = spread.propose(space, history, one);
    expect(point.has_value(), "an evenly spread sequence has no end");
    const double cost = model.log_seconds(*point);
    if (i > 0 && !(cost < least)) continue;
    least = cost;
    cheapest = *std::move(point);
  }
  return cheapest;
}

}  // namespace hone
