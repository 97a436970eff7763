#include "server/search/samplers/tpe/surrogate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "server/search/samplers/tpe/fits.hpp"
#include "server/search/samplers/tpe/moves.hpp"
#include "server/search/samplers/tpe/process.hpp"
#include "server/search/samplers/tpe/training.hpp"
#include "server/search/space/space.hpp"

namespace hone {
namespace {

// The constants below were chosen together, by measurement on the problems of docs/search.md,
// unless a reason is given.

// Candidates: how many come from each source, and how far they lie from their seeds. Steps are in
// units of ten bandwidths, log-uniform from 0.2 down to 0.2 exp(-4).
constexpr std::size_t from_good = 12, from_steps = 16, from_shifts = 12, from_prior = 4;
constexpr std::size_t step_seeds_max = 5, shift_seeds_max = 3;  // the best trials
constexpr std::size_t shift_mates_min = 5, shift_mates_per_dimension = 2;
constexpr double step_max = 0.2, step_log_range = 4;

// Refinement: children of the best candidates, by steps that halve from round to round.
constexpr int refinements = 3;
constexpr std::size_t parents = 3, children = 4;
constexpr double first_refinement = 0.2;
constexpr double repeat_distance = 1e-3;  // candidates closer to a trial repeat it

// Candidate points, row by row, and their expected improvement.
class CandidatePool {
 public:
  CandidatePool(const SurrogateTask& task, const GaussianProcess& process, double loss_to_beat)
      : task_(task), process_(process), loss_to_beat_(loss_to_beat) {}

  std::span<double> add() {
    rows_.resize(rows_.size() + size());
    return row(rows_.size() / size() - 1);
  }
  [[nodiscard]] std::span<double> row(std::size_t i) {
    return std::span(rows_).subspan(i * size(), size());
  }
  [[nodiscard]] std::span<const double> row(std::size_t i) const {
    return std::span(rows_).subspan(i * size(), size());
  }
  // Predicts the candidates that were added since the last call.
  void judge();
  // Returns up to `wanted` candidates, best first.
  [[nodiscard]] std::vector<std::size_t> best(std::size_t wanted) const;

 private:
  [[nodiscard]] std::size_t size() const { return task_.space.dimensions().size(); }

  const SurrogateTask& task_;
  const GaussianProcess& process_;
  double loss_to_beat_;
  std::vector<double> rows_;
  std::vector<double> worth_;
};

void CandidatePool::judge() {
  const std::size_t first = worth_.size(), count = rows_.size() / size() - first;
  std::vector<double> columns(size() * count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < size(); ++j)
      columns[j * count + i] = impute(task_.space.dimensions()[j], row(first + i)[j]);
  const Prediction predicted = process_.predict({columns, count});
  std::vector<double> prices(count, 0);
  if (task_.cost.model != nullptr)
    prices = task_.cost.model->log_seconds(PointColumns{columns, count});
  const auto best = task_.evidence.point(0);
  for (std::size_t i = 0; i < count; ++i) {
    const double z = (loss_to_beat_ - predicted.mean[i]) / predicted.spread[i];
    const double worth =
        log_expected_improvement(z) + std::log(predicted.spread[i]) - task_.cost.weight * prices[i];
    const bool allowed = task_.focus.allows(task_.space, best, row(first + i));
    worth_.push_back(allowed && !std::isnan(worth) ? worth
                                                   : -std::numeric_limits<double>::infinity());
  }
}

std::vector<std::size_t> CandidatePool::best(std::size_t wanted) const {
  std::vector<std::size_t> by(worth_.size());
  std::iota(by.begin(), by.end(), 0);
  const auto end = by.begin() + static_cast<std::ptrdiff_t>(std::min(wanted, by.size()));
  std::partial_sort(by.begin(), end, by.end(), [this](std::size_t a, std::size_t b) {
    return worth_[a] > worth_[b] || (worth_[a] == worth_[b] && a < b);
  });
  by.erase(end, by.end());
  return by;
}

// The least predicted loss: of the trials in the branch that the proposal is confined to, so that a
// branch may improve before it beats the best of all; otherwise of all trials.
double loss_to_beat(const SurrogateTask& task, const TrainingSet& set,
                    const GaussianProcess& process) {
  const auto best = task.evidence.point(0), means = process.means();
  double least = std::numeric_limits<double>::infinity(), least_allowed = least;
  for (std::size_t i = 0; i < set.observed; ++i) {
    least = std::min(least, means[i]);
    const auto point = task.evidence.history().point(set.trials[i]);
    if (task.focus.kind == Focus::Kind::branch && task.focus.allows(task.space, best, point))
      least_allowed = std::min(least_allowed, means[i]);
  }
  return std::isfinite(least_allowed) ? least_allowed : least;
}

// The best trials that the focus allows, or else the best of all.
std::vector<std::uint32_t> seed_trials(const SurrogateTask& task, const TrainingSet& set) {
  std::vector<std::uint32_t> result;
  const auto best = task.evidence.point(0);
  for (std::size_t i = 0; i < set.observed && result.size() < step_seeds_max; ++i) {
    const auto point = task.evidence.history().point(set.trials[i]);
    if (task.focus.allows(task.space, best, point)) result.push_back(set.trials[i]);
  }
  if (result.empty()) result.push_back(task.evidence.order()[0]);
  return result;
}

void fill_pool(const SurrogateTask& task, const TrainingSet& set, Moves& moves, Rng& rng,
               CandidatePool& pool) {
  const History& history = task.evidence.history();
  const auto from = seed_trials(task, set);
  const auto pick = [&](std::size_t count) { return static_cast<std::size_t>(rng.below(count)); };
  for (std::size_t i = 0; i < from_good; ++i) moves.from_good(pool.add());
  for (std::size_t i = 0; i < from_steps; ++i) {
    const auto seed = history.point(from[pick(from.size())]);
    moves.step(seed, step_max * std::exp(-step_log_range * rng.uniform()), pool.add());
  }
  const std::size_t size = task.space.dimensions().size();
  const std::size_t mates =
      std::min(set.observed, std::max(shift_mates_min, shift_mates_per_dimension * size));
  for (std::size_t i = 0; i < from_shifts; ++i) {
    const auto seed = history.point(from[pick(std::min(from.size(), shift_seeds_max))]);
    const auto a = history.point(set.trials[pick(mates)]);
    const auto b = history.point(set.trials[pick(mates)]);
    moves.shift(seed, a, b, pool.add());
  }
  for (std::size_t i = 0; i < from_prior; ++i) moves.uniform(pool.add());
  pool.judge();
}

void refine_pool(Moves& moves, CandidatePool& pool) {
  double scale = first_refinement;
  for (int round = 0; round < refinements; ++round, scale /= 2) {
    for (const std::size_t parent : pool.best(parents)) {
      for (std::size_t i = 0; i < children; ++i) {
        const auto child = pool.add();  // may move the rows: look the parent up afterwards
        moves.step(pool.row(parent), scale, child);
      }
    }
    pool.judge();
  }
}

bool repeats_trial(const SurrogateTask& task, const TrainingSet& set,
                   std::span<const double> point) {
  return std::any_of(set.trials.begin(), set.trials.end(), [&](std::uint32_t trial) {
    return distance(task.space, task.evidence.history().point(trial), point) < repeat_distance;
  });
}

}  // namespace

double log_expected_improvement(double z) {
  constexpr double asymptotic_below = -25;  // phi(z) would underflow further down
  if (z > asymptotic_below)
    return std::log(std::exp(-0.5 * z * z - log_sqrt_two_pi) + z * normal_cdf(z));
  const double w = 1 / (z * z);
  return -0.5 * z * z - log_sqrt_two_pi + std::log(w * (1 - w * (3 - w * (15 - w * 105))));
}

std::optional<Point> propose_by_surrogate(const SurrogateTask& task, Rng& rng) {
  const TrainingSet set = training_set(task);
  const Fit fit = choose_fit(set, task.focus, rng);
  GaussianProcess process(set.points(), set.choice);
  if (!process.fit(fit.shape, warp(set.scaled, fit.warp).values)) return std::nullopt;
  CandidatePool pool(task, process, loss_to_beat(task, set, process));
  Moves moves(task.space, task.good, task.focus, rng);
  fill_pool(task, set, moves, rng, pool);
  refine_pool(moves, pool);
  const auto best = task.evidence.point(0);
  for (const std::size_t one : pool.best(std::numeric_limits<std::size_t>::max())) {
    const auto point = pool.row(one);
    if (!task.focus.allows(task.space, best, point) || repeats_trial(task, set, point)) continue;
    if (task.space.feasible(point)) return Point(point.begin(), point.end());
  }
  return std::nullopt;
}

}  // namespace hone
