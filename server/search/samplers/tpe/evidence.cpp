#include "server/search/samplers/tpe/evidence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace hone {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double tchebycheff_slope = 0.05;  // Knowles (2006): ranks weakly dominated points lower

using Rows = std::span<const std::vector<double>>;

bool dominates(const std::vector<double>& a, const std::vector<double>& b) {
  bool better = false;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (a[k] < b[k]) return false;
    better = better || a[k] > b[k];
  }
  return better;
}

// Moves the non-dominated rows out of `left`, which is in descending lexicographic order, so that
// no row is dominated by a later one.
std::vector<std::size_t> take_front(Rows rows, std::vector<std::size_t>& left) {
  std::vector<std::size_t> front, rest;
  for (const std::size_t one : left) {
    const bool beaten = std::any_of(front.begin(), front.end(), [&](std::size_t other) {
      return dominates(rows[other], rows[one]);
    });
    (beaten ? rest : front).push_back(one);
  }
  left = std::move(rest);
  return front;
}

// Two objectives: the area that a member of the front dominates alone; infinite for the two ends.
std::vector<double> areas(Rows rows, std::span<const std::size_t> front) {
  std::vector<double> shares(front.size(), infinity);
  for (std::size_t i = 1; i + 1 < front.size(); ++i)
    shares[i] =
        (rows[front[i]][0] - rows[front[i + 1]][0]) * (rows[front[i]][1] - rows[front[i - 1]][1]);
  return shares;
}

// Crowding distance (Deb et al., 2002): the sum over objectives of the gap between neighbours.
std::vector<double> crowding(Rows rows, std::span<const std::size_t> front) {
  std::vector<double> gaps(front.size(), 0);
  std::vector<std::size_t> by(front.size());
  for (std::size_t k = 0; k < rows[front[0]].size(); ++k) {
    std::iota(by.begin(), by.end(), 0);
    std::stable_sort(by.begin(), by.end(), [&](std::size_t a, std::size_t b) {
      return rows[front[a]][k] < rows[front[b]][k];
    });
    const double range = rows[front[by.back()]][k] - rows[front[by.front()]][k];
    gaps[by.front()] = gaps[by.back()] = infinity;
    for (std::size_t i = 1; i + 1 < by.size() && range > 0; ++i)
      gaps[by[i]] += (rows[front[by[i + 1]]][k] - rows[front[by[i - 1]]][k]) / range;
  }
  return gaps;
}

void sort_front(Rows rows, std::vector<std::size_t>& front) {
  const auto worth = rows[front[0]].size() == 2 ? areas(rows, front) : crowding(rows, front);
  std::vector<std::size_t> by(front.size());
  std::iota(by.begin(), by.end(), 0);
  std::stable_sort(by.begin(), by.end(),
                   [&](std::size_t a, std::size_t b) { return worth[a] > worth[b]; });
  for (std::size_t& place : by) place = front[place];
  front = std::move(by);
}

std::vector<double> merits_of(const TrialOutcome& outcome) {
  std::vector<double> merits{outcome.merit};
  merits.insert(merits.end(), outcome.further.begin(), outcome.further.end());
  return merits;
}

// Uniform on the simplex.
std::vector<double> simplex_weights(std::size_t size, Rng& rng) {
  std::vector<double> weights(size);
  double sum = 0;
  for (double& weight : weights) sum += weight = -std::log(1 - rng.uniform());
  for (double& weight : weights) weight /= sum;
  return weights;
}

}  // namespace

std::vector<std::size_t> pareto_order(Rows rows, std::size_t wanted) {
  std::vector<std::size_t> left(rows.size()), order;
  std::iota(left.begin(), left.end(), 0);
  std::stable_sort(left.begin(), left.end(),
                   [&](std::size_t a, std::size_t b) { return rows[a] > rows[b]; });
  while (!left.empty() && order.size() < wanted) {
    auto front = take_front(rows, left);
    sort_front(rows, front);
    order.insert(order.end(), front.begin(), front.end());
  }
  return order;
}

Evidence::Evidence(const History& history, std::size_t sorted, Rng& rng) : history_(history) {
  if (history.objectives() < 2 || history.ranked().empty()) return;
  const auto ranked = history.ranked();
  std::vector<std::vector<double>> rows;
  for (const std::uint32_t trial : ranked) {
    if (history.outcome(trial).grade != TrialOutcome::Grade::finished) break;
    rows.push_back(merits_of(history.outcome(trial)));
  }
  std::vector<bool> placed(rows.size(), false);
  for (const std::size_t place : pareto_order(rows, sorted)) {
    own_order_.push_back(ranked[place]);
    placed[place] = true;
  }
  for (std::size_t i = 0; i < ranked.size(); ++i)
    if (i >= rows.size() || !placed[i]) own_order_.push_back(ranked[i]);
  scalarize(rng);
}

void Evidence::scalarize(Rng& rng) {
  const std::size_t objectives = history_.objectives();
  std::vector<double> best(objectives, -infinity), worst(objectives, infinity);
  own_losses_.assign(history_.trials().size(), std::numeric_limits<double>::quiet_NaN());
  for (const std::uint32_t trial : history_.ranked()) {
    if (history_.outcome(trial).grade != TrialOutcome::Grade::finished) break;
    const auto merits = merits_of(history_.outcome(trial));
    for (std::size_t k = 0; k < objectives; ++k) {
      best[k] = std::max(best[k], merits[k]);
      worst[k] = std::min(worst[k], merits[k]);
    }
  }
  const auto weights = simplex_weights(objectives, rng);
  for (const std::uint32_t trial : history_.ranked()) {
    if (history_.outcome(trial).grade != TrialOutcome::Grade::finished) break;
    const auto merits = merits_of(history_.outcome(trial));
    double most = 0, sum = 0;
    for (std::size_t k = 0; k < objectives; ++k) {
      const double range = best[k] - worst[k];
      const double part = range > 0 ? weights[k] * (best[k] - merits[k]) / range : 0;
      most = std::max(most, part);
      sum += part;
    }
    own_losses_[trial] = most + tchebycheff_slope * sum;
  }
}

double Evidence::loss(std::uint32_t trial) const {
  if (!own_losses_.empty()) return own_losses_[trial];
  const TrialOutcome& outcome = history_.outcome(trial);
  return outcome.grade == TrialOutcome::Grade::finished ? -outcome.merit
                                                        : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace hone
