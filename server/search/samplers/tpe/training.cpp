#include "server/search/samplers/tpe/training.hpp"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

constexpr double best_share = 0.7;  // of the surrogate's trials; the others are spread by rank
constexpr std::size_t pending_points_max = 32;
// From this many trials on the surrogate gets fewer points: those near the best tell it enough, and
// a proposal should cost less than the bookkeeping of so many trials.
constexpr std::size_t many_trials = 500;
constexpr double scaled_loss_max = 1e9;
constexpr double prior_trials = 3;        // weight of the prior's spread
constexpr double unfinished_step = 0.02;  // between scaled losses of trials that did not finish
constexpr std::size_t finite_losses_min = 4;

// The ranks of the trials to train on, ascending.
std::vector<std::size_t> chosen_places(const SurrogateTask& task) {
  const std::size_t n = task.evidence.order().size();
  const std::size_t points = task.settings.surrogate_points;
  const std::size_t wanted = std::min(n, n <= many_trials ? points : points * 5 / 8);
  std::vector<std::size_t> places;
  if (task.focus.kind == Focus::Kind::everywhere || n == wanted) {
    const std::size_t top =
        n == wanted ? n : static_cast<std::size_t>(best_share * static_cast<double>(wanted));
    for (std::size_t i = 0; i < top; ++i) places.push_back(i);
    for (std::size_t i = 0; i < wanted - top; ++i)
      places.push_back(top + (2 * i + 1) * (n - top) / (2 * (wanted - top)));
    return places;
  }
  std::vector<bool> taken(n, false);
  const auto best = task.evidence.point(0);
  for (std::size_t i = 0; i < n && places.size() < wanted / 2; ++i) {
    if (!task.focus.allows(task.space, best, task.evidence.point(i))) continue;
    places.push_back(i);
    taken[i] = true;
  }
  for (std::size_t i = 0; i < n && places.size() < wanted; ++i)
    if (!taken[i]) places.push_back(i);
  std::sort(places.begin(), places.end());
  return places;
}

void add_pending(const SurrogateTask& task, TrainingSet& set) {
  const auto pending = task.evidence.history().pending();
  const std::size_t kept = task.settings.liar ? std::min(pending.size(), pending_points_max) : 0;
  for (std::size_t i = pending.size() - kept; i < pending.size(); ++i)
    set.trials.push_back(pending[i]);
}

void fill_columns(const SurrogateTask& task, TrainingSet& set) {
  const auto dimensions = task.space.dimensions();
  set.columns.resize(dimensions.size() * set.trials.size());
  for (std::size_t i = 0; i < set.trials.size(); ++i) {
    const auto point = task.evidence.history().point(set.trials[i]);
    for (std::size_t j = 0; j < dimensions.size(); ++j)
      set.columns[j * set.trials.size() + i] = impute(dimensions[j], point[j]);
  }
  for (const Dimension& dimension : dimensions)
    set.choice.push_back(dimension.kind == Dimension::Kind::choice ? 1 : 0);
}

void fill_spreads(const SurrogateTask& task, TrainingSet& set) {
  const std::size_t n = task.evidence.order().size(), size = task.space.dimensions().size();
  const std::size_t top =
      std::max<std::size_t>(2, std::min(n / 4, std::max<std::size_t>(size + 2, 20)));
  for (std::size_t j = 0; j < size; ++j) {
    double count = 0, sum = 0, squares = 0;
    for (std::size_t i = 0; i < std::min(top, n); ++i) {
      const double x = task.evidence.point(i)[j];
      if (std::isnan(x)) continue;
      count += 1;
      sum += x;
      squares += x * x;
    }
    const double scatter = std::max(squares - sum * sum / std::max(count, 1.0), 0.0);
    set.spreads.push_back(
        std::sqrt((scatter / uniform_variance + prior_trials) / (count + prior_trials)));
  }
}

// Uses the rank of a trial as its loss.
void scale_places(TrainingSet& set) {
  for (std::size_t i = 0; i < set.observed; ++i)
    set.scaled.push_back(2 * static_cast<double>(i) / static_cast<double>(set.observed));
}

void fill_losses(const SurrogateTask& task, TrainingSet& set) {
  std::vector<double> losses, finite;
  for (std::size_t i = 0; i < set.observed; ++i) {
    losses.push_back(task.evidence.loss(set.trials[i]));
    if (std::isfinite(losses.back())) finite.push_back(losses.back());
  }
  if (finite.size() < std::max(finite_losses_min, set.observed / 3)) return scale_places(set);
  std::sort(finite.begin(), finite.end());
  const double best = finite.front(), worst = finite.back();
  double unit = finite[finite.size() / 2] - best;
  if (!(unit > 0)) unit = worst > best ? worst - best : 1;
  if (!std::isfinite(worst - best)) return scale_places(set);  // losses of 1e308
  double beyond = std::min((worst - best) / unit, scaled_loss_max);
  for (const double loss : losses) {
    if (std::isfinite(loss))
      set.scaled.push_back(std::min((loss - best) / unit, scaled_loss_max));
    else
      set.scaled.push_back(beyond += unfinished_step);
  }
}

}  // namespace

double impute(const Dimension& dimension, double x) {
  if (!std::isnan(x)) return x;
  return dimension.kind == Dimension::Kind::choice ? -1 : 0.5;
}

TrainingSet training_set(const SurrogateTask& task) {
  TrainingSet set;
  for (const std::size_t place : chosen_places(task))
    set.trials.push_back(task.evidence.order()[place]);
  set.observed = set.trials.size();
  add_pending(task, set);
  fill_columns(task, set);
  fill_spreads(task, set);
  fill_losses(task, set);
  return set;
}

WarpedLosses warp(std::span<const double> scaled, double k) {
  WarpedLosses result;
  double sum = 0, squares = 0;
  for (const double t : scaled) {
    result.values.push_back(k > 0 ? std::log1p(k * t) / k : t);
    if (k > 0) result.log_jacobian -= std::log1p(k * t);
    sum += result.values.back();
  }
  const auto count = static_cast<double>(scaled.size());
  for (double& value : result.values) {
    value -= sum / count;
    squares += value * value;
  }
  const double deviation = std::sqrt(squares / count) + 1e-12;
  for (double& value : result.values) value /= deviation;
  result.log_jacobian -= count * std::log(deviation);
  return result;
}

}  // namespace hone
