#include "server/search/samplers/tpe/surrogate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "server/search/samplers/tpe/moves.hpp"
#include "server/search/samplers/tpe/process.hpp"
#include "server/search/samplers/tpe/training.hpp"
#include "server/search/space/space.hpp"

namespace hone {
namespace {

constexpr int shapes_tried = 4;
constexpr std::size_t scoring_points = 32;  // of the trials, on which shapes are compared
constexpr double shape_temperature = 3;
constexpr double shortest = 0.15, longest = 4;  // widths, in units of sqrt(d) / 2
constexpr double choice_width = 0.4;
constexpr double least_noise = 1e-4, most_noise = 0.3;

constexpr std::size_t from_good = 12, from_steps = 16, from_shifts = 12, from_prior = 4;
constexpr std::size_t seeds_max = 5;
constexpr double widest_step = 0.2;
constexpr int refinements = 3;
constexpr std::size_t parents = 3, children = 4;
constexpr double first_refinement = 0.2;  // halved by every further one
constexpr double same = 1e-3;             // points closer than this are the same trial again

// How a fit is to be made.
struct Draft {
  ProcessShape shape;
  double warp = 1;
  double log_prior = 0;
};

Draft draw_draft(const TrainingSet& set, const Focus& focus, Rng& rng) {
  Draft draft;
  const double power = rng.uniform();
  const double width = shortest * std::exp(rng.uniform() * std::log(longest / shortest));
  const double noise_step = rng.uniform() < 0.5 ? 0 : rng.uniform();
  const double warp_draw = rng.uniform();
  const std::size_t size = set.spreads.size();
  const double unit = width * 0.5 * std::sqrt(static_cast<double>(size));
  for (std::size_t j = 0; j < size; ++j) {
    double q = set.choice[j] != 0 ? choice_width : std::pow(set.spreads[j], -power);
    // A branch looked at by itself borrows less from the others.
    if (focus.kind == Focus::Kind::branch && focus.dimension == j) q *= 2;
    draft.shape.weights.push_back((q / unit) * (q / unit));
  }
  draft.shape.noise = least_noise * std::exp(noise_step * std::log(most_noise / least_noise));
  draft.warp = warp_draw < 0.2 ? 0 : warp_draw < 0.8 ? 1 : 10;
  const double width_z = std::log(width / 0.6), noise_z = noise_step * std::log(3e3) / 4;
  draft.log_prior = -0.25 * width_z * width_z - 0.5 * noise_z * noise_z;
  return draft;
}

// Every so many of the observed trials, as columns of their own.
struct Sample {
  std::vector<double> columns;
  std::vector<double> scaled;
};

Sample thinned(const TrainingSet& set) {
  const std::size_t n = std::min(set.observed, scoring_points), all = set.trials.size();
  Sample sample;
  sample.columns.resize(set.choice.size() * n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t from = i * set.observed / n;
    sample.scaled.push_back(set.scaled[from]);
    for (std::size_t j = 0; j < set.choice.size(); ++j)
      sample.columns[j * n + i] = set.columns[j * all + from];
  }
  return sample;
}

Draft choose_draft(const TrainingSet& set, const Focus& focus, Rng& rng) {
  const Sample sample = thinned(set);
  GaussianProcess process({sample.columns, sample.scaled.size()}, set.choice);
  Draft chosen;
  double most = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < shapes_tried; ++i) {
    Draft draft = draw_draft(set, focus, rng);
    const double gumbel = -std::log(-std::log(std::max(rng.uniform(), 1e-300)));
    const WarpedLosses losses = warp(sample.scaled, draft.warp);
    double score = -1e9;  // a singular fit is better than none
    if (process.fit(draft.shape, losses.values))
      score = process.log_likelihood() + losses.log_jacobian + draft.log_prior;
    score = score / shape_temperature + gumbel;
    if (i == 0 || score > most) {
      most = score;
      chosen = std::move(draft);
    }
  }
  return chosen;
}

// Candidates, row by row, and what they are worth.
class Pool {
 public:
  // `goal` is the loss to improve on.
  Pool(const SurrogateTask& task, const GaussianProcess& process, double goal)
      : task_(task), process_(process), goal_(goal) {}

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
  void judge();                                                           // those not judged yet
  [[nodiscard]] std::vector<std::size_t> best(std::size_t wanted) const;  // best first

 private:
  [[nodiscard]] std::size_t size() const { return task_.space.dimensions().size(); }

  const SurrogateTask& task_;
  const GaussianProcess& process_;
  double goal_;
  std::vector<double> rows_;
  std::vector<double> worth_;
};

void Pool::judge() {
  const std::size_t first = worth_.size(), count = rows_.size() / size() - first;
  std::vector<double> columns(size() * count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < size(); ++j)
      columns[j * count + i] = impute(task_.space.dimensions()[j], row(first + i)[j]);
  const Prediction predicted = process_.predict({columns, count});
  const auto best = task_.evidence.point(0);
  for (std::size_t i = 0; i < count; ++i) {
    const double z = (goal_ - predicted.mean[i]) / predicted.spread[i];
    const double worth = log_expected_improvement(z) + std::log(predicted.spread[i]);
    const bool allowed = task_.focus.allows(task_.space, best, row(first + i));
    worth_.push_back(allowed && !std::isnan(worth) ? worth
                                                   : -std::numeric_limits<double>::infinity());
  }
}

std::vector<std::size_t> Pool::best(std::size_t wanted) const {
  std::vector<std::size_t> by(worth_.size());
  std::iota(by.begin(), by.end(), 0);
  const auto end = by.begin() + static_cast<std::ptrdiff_t>(std::min(wanted, by.size()));
  std::partial_sort(by.begin(), end, by.end(), [this](std::size_t a, std::size_t b) {
    return worth_[a] > worth_[b] || (worth_[a] == worth_[b] && a < b);
  });
  by.erase(end, by.end());
  return by;
}

// The least predicted loss: of all trials, or of those in the branch that the proposal is confined
// to. A branch is to find its own best setting, by steps that do not yet beat the best of all.
double goal_of(const SurrogateTask& task, const TrainingSet& set, const GaussianProcess& process) {
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

// The best trials that the focus allows, or the best of all.
std::vector<std::uint32_t> seeds(const SurrogateTask& task, const TrainingSet& set) {
  std::vector<std::uint32_t> result;
  const auto best = task.evidence.point(0);
  for (std::size_t i = 0; i < set.observed && result.size() < seeds_max; ++i) {
    const auto point = task.evidence.history().point(set.trials[i]);
    if (task.focus.allows(task.space, best, point)) result.push_back(set.trials[i]);
  }
  if (result.empty()) result.push_back(task.evidence.order()[0]);
  return result;
}

void fill(const SurrogateTask& task, const TrainingSet& set, Moves& moves, Rng& rng, Pool& pool) {
  const History& history = task.evidence.history();
  const auto from = seeds(task, set);
  const auto pick = [&](std::size_t count) { return static_cast<std::size_t>(rng.below(count)); };
  for (std::size_t i = 0; i < from_good; ++i) moves.from_good(pool.add());
  for (std::size_t i = 0; i < from_steps; ++i) {
    const auto seed = history.point(from[pick(from.size())]);
    moves.step(seed, widest_step * std::exp(-4 * rng.uniform()), pool.add());
  }
  const std::size_t size = task.space.dimensions().size();
  const std::size_t mates = std::min(set.observed, std::max<std::size_t>(5, 2 * size));
  for (std::size_t i = 0; i < from_shifts; ++i) {
    const auto seed = history.point(from[pick(std::min<std::size_t>(from.size(), 3))]);
    const auto a = history.point(set.trials[pick(mates)]);
    const auto b = history.point(set.trials[pick(mates)]);
    moves.shift(seed, a, b, pool.add());
  }
  for (std::size_t i = 0; i < from_prior; ++i) moves.uniform(pool.add());
  pool.judge();
}

void refine(Moves& moves, Pool& pool) {
  double scale = first_refinement;
  for (int round = 0; round < refinements; ++round, scale /= 2) {
    for (const std::size_t parent : pool.best(parents)) {
      for (std::size_t i = 0; i < children; ++i) {
        const auto child = pool.add();  // this may move the rows: the parent is looked up after it
        moves.step(pool.row(parent), scale, child);
      }
    }
    pool.judge();
  }
}

bool known(const SurrogateTask& task, const TrainingSet& set, std::span<const double> point) {
  return std::any_of(set.trials.begin(), set.trials.end(), [&](std::uint32_t trial) {
    return distance(task.space, task.evidence.history().point(trial), point) < same;
  });
}

}  // namespace

double log_expected_improvement(double z) {
  constexpr double log_sqrt_two_pi = 0.91893853320467274178;
  if (z > -25) return std::log(std::exp(-0.5 * z * z - log_sqrt_two_pi) + z * normal_cdf(z));
  const double w = 1 / (z * z);  // the asymptotic series: phi(z) would underflow further down
  return -0.5 * z * z - log_sqrt_two_pi + std::log(w * (1 - w * (3 - w * (15 - w * 105))));
}

std::optional<Point> propose_by_surrogate(const SurrogateTask& task, Rng& rng) {
  const TrainingSet set = training_set(task);
  const Draft draft = choose_draft(set, task.focus, rng);
  GaussianProcess process(set.points(), set.choice);
  if (!process.fit(draft.shape, warp(set.scaled, draft.warp).values)) return std::nullopt;
  Pool pool(task, process, goal_of(task, set, process));
  Moves moves(task.space, task.good, task.focus, rng);
  fill(task, set, moves, rng, pool);
  refine(moves, pool);
  const auto best = task.evidence.point(0);
  for (const std::size_t one : pool.best(std::numeric_limits<std::size_t>::max())) {
    const auto point = pool.row(one);
    if (!task.focus.allows(task.space, best, point) || known(task, set, point)) continue;
    if (task.space.feasible(point)) return Point(point.begin(), point.end());
  }
  return std::nullopt;
}

}  // namespace hone
