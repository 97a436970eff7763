#include "server/search/seeds/leaders.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "schemas/types/aggregate.hpp"
#include "schemas/types/reach.hpp"
#include "server/search/seeds/race.hpp"

namespace hone {
namespace {

// Whether every run of the trial failed because of its parameters.
bool all_failed(const History& history, std::size_t trial) {
  const auto& runs = history.trials()[trial].runs;
  return std::all_of(runs.begin(), runs.end(), [&](std::size_t index) {
    const RunRecord& run = history.runs()[index];
    const bool diverged = !run.merits.empty() && std::isinf(run.merits.back());
    const bool ended = run.state == RunRecord::State::ended;
    return diverged || (ended && run.counts && !run.completed && !run.evicted);
  });
}

bool ranks(const History& history, std::size_t trial) {
  const TrialOutcome& outcome = history.outcome(trial);
  return outcome.phase >= 0 && std::isfinite(outcome.merit) && !all_failed(history, trial);
}

std::vector<std::size_t> own_trials(const History& history) {
  std::vector<std::size_t> trials(history.trials().size() - history.foreign());
  std::iota(trials.begin(), trials.end(), history.foreign());
  return trials;
}

// All trials or, where they are more than `most`, as many with a result: the first half of them in
// the order of their outcomes, and others spread over that order.
std::vector<std::size_t> bounded_trials(const History& history, std::size_t most) {
  if (history.trials().size() - history.foreign() <= most) return own_trials(history);
  const auto ranked = history.ranked();
  const std::size_t first = std::min(most / 2, ranked.size()), rest = ranked.size() - first;
  const std::size_t spread = std::min(most - first, rest);
  std::vector<std::size_t> trials;
  for (std::size_t i = 0; i < first + spread; ++i) {
    const std::size_t trial = ranked[i < first ? i : first + (i - first) * rest / spread];
    if (trial >= history.foreign()) trials.push_back(trial);
  }
  return trials;
}

// Which trials have trained for long enough, on enough seeds, to be compared by their values.
class Comparable {
 public:
  explicit Comparable(const History& history) : Comparable(history, own_trials(history)) {}
  // Among these.
  Comparable(const History& history, const std::vector<std::size_t>& trials) : history_(&history) {
    for (const std::size_t trial : trials) {
      longest_ = std::max(longest_, history.outcome(trial).phase + 1);
      const std::size_t runs = history.trials()[trial].runs.size();
      // Runs beyond the first ones were added to a contender.
      if (history.replication().multi_seed() && std::cmp_greater(runs, history.replication().first))
        most_runs_ = std::max(most_runs_, runs);
    }
  }
  [[nodiscard]] bool operator()(std::size_t trial) const {
    return 2 * (history_->outcome(trial).phase + 1) >= longest_ &&
           2 * history_->trials()[trial].runs.size() >= most_runs_;
  }

 private:
  const History* history_;
  int longest_ = 0;
  std::size_t most_runs_ = 0;
};

// A trial's variance, known from few values, moderated by the noise of all trials: as if the noise
// had been seen in so many values more (Smyth, 2004).
constexpr double noise_values = 2;

// Whether no number is expected of the trial: of an objective of time, a seed is below the bar.
bool censored(const History& history, const TrialRank& one) {
  const auto below = [](double merit) { return -merit >= some_not_reached_from; };
  return history.goal() == Goal::soonest &&
         (below(history.outcome(one.trial).merit) || std::ranges::any_of(one.values, below));
}

double moderated(const TrialRank& one, const Noise& noise) {
  if (one.values.size() < 2) return noise.variance;
  const auto degrees = static_cast<double>(one.values.size() - 1);
  return (noise_values * noise.variance + degrees * variance_of(one.values)) /
         (noise_values + degrees);
}

}  // namespace

std::vector<std::size_t> find_leaders(const History& history, std::size_t count) {
  std::vector<std::size_t> leaders;
  for (std::size_t trial = history.foreign(); trial < history.trials().size(); ++trial)
    if (ranks(history, trial)) leaders.push_back(trial);
  const Comparable comparable(history);
  std::stable_sort(leaders.begin(), leaders.end(), [&](std::size_t a, std::size_t b) {
    if (comparable(a) != comparable(b)) return comparable(a);
    const auto own = comparable(a) ? history.expected(a) : std::nullopt;
    const auto other = comparable(b) ? history.expected(b) : std::nullopt;
    if (own && other) return *own > *other;
    if (own || other) return own.has_value();
    return history.outcome(a).merit > history.outcome(b).merit;
  });
  leaders.resize(std::min(count, leaders.size()));
  return leaders;
}

std::vector<std::size_t> comparable_trials(const History& history, std::size_t most) {
  const std::vector<std::size_t> all = bounded_trials(history, most);
  const Comparable comparable(history, all);
  std::vector<std::size_t> trials;
  for (const std::size_t trial : all)
    if (ranks(history, trial) && comparable(trial)) trials.push_back(trial);
  std::ranges::sort(trials, [&](std::size_t a, std::size_t b) {
    const double left = history.outcome(a).merit, right = history.outcome(b).merit;
    return left > right || (left == right && a < b);
  });
  return trials;
}

std::vector<std::optional<double>> expectations_of(const History& history) {
  std::size_t longest = 1;
  for (const RunRecord& run : history.runs()) longest = std::max(longest, run.merits.size());
  const Race race(history, smoothing_share * static_cast<double>(longest));
  std::vector<std::optional<double>> expected(history.trials().size());
  std::vector<double> merits;
  for (const TrialRank& one : race.ranking()) merits.push_back(history.outcome(one.trial).merit);
  if (merits.empty() || !all_finite(merits)) return expected;
  for (const TrialRank& one : race.ranking())
    if (censored(history, one)) return expected;
  const double middle = mean_of(merits);
  for (const TrialRank& one : race.ranking()) {
    const double merit = history.outcome(one.trial).merit;
    const double noise = moderated(one, race.noise()) / static_cast<double>(one.values.size());
    const double between = race.between();
    const double weight = between + noise > 0 ? between / (between + noise) : 1;
    expected[one.trial] = middle + (merit - middle) * weight;
    if (weight == 1) expected[one.trial] = merit;
  }
  return expected;
}

}  // namespace hone
