#include "server/search/terminators/hone/field.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace hone {
namespace {

// Exponentially weighted mean of the first 1, 2, ... values, the newest weighing most. Updated so
// that equal values give exactly that value: ties must survive rounding.
std::vector<double> smoothed(std::span<const double> values, double keep) {
  std::vector<double> means;
  means.reserve(values.size());
  double mean = 0, weight = 0;
  for (const double value : values) {
    weight = keep * weight + 1;
    mean += (value - mean) / weight;
    means.push_back(mean);
  }
  return means;
}

}  // namespace

Field::Field(const History& history, int first_runs, double memory_phases, int phases,
             std::optional<NewReport> report)
    : phases_(phases) {
  const double keep = std::exp(-1 / memory_phases);
  runners_.reserve(history.runs().size());
  for (std::size_t index = 0; index < history.runs().size(); ++index) {
    const RunRecord& record = history.runs()[index];
    Runner runner;
    runner.run = index;
    runner.trial = record.trial;
    runner.first = record.replicate < first_runs;
    runner.paused = record.standing == RunRecord::Standing::paused;
    runner.ended = record.standing == RunRecord::Standing::ended;
    runner.merits = record.merits;
    if (report && report->run == index) {
      runner.merits.push_back(report->merit);
      runner.paused = true;
    }
    runner.reports = static_cast<int>(runner.merits.size());
    if (!runner.merits.empty() && std::isinf(runner.merits.back())) {
      runner.diverged = true;
      runner.merits.pop_back();
    }
    runner.scores = smoothed(runner.merits, keep);
    runners_.push_back(std::move(runner));
  }
}

double Field::efficiency() const {
  // Before the runs say otherwise: what learning curves of many kinds had in the middle, with the
  // weight of four runs.
  constexpr double before = 0.6, before_weight = 4;
  const int grain = std::max(1, static_cast<int>(std::lround(phases_ / 10.0)));
  std::vector<const Runner*> long_enough;
  for (const Runner& runner : runners_)
    if (!runner.diverged && runner.length() > grain) long_enough.push_back(&runner);
  if (long_enough.size() < 3) return before;
  const std::size_t best = std::max<std::size_t>(3, long_enough.size() / 3);
  std::partial_sort(long_enough.begin(), long_enough.begin() + static_cast<std::ptrdiff_t>(best),
                    long_enough.end(), [](const Runner* a, const Runner* b) {
                      if (a->scores.back() != b->scores.back())
                        return a->scores.back() > b->scores.back();
                      return a->run < b->run;
                    });
  double gained = 0, moved = 0;
  for (std::size_t i = 0; i < best; ++i) {
    const auto& values = long_enough[i]->merits;
    for (auto k = static_cast<std::ptrdiff_t>(values.size()) - 1; k - grain >= 0; k -= grain) {
      const double step =
          values[static_cast<std::size_t>(k)] - values[static_cast<std::size_t>(k - grain)];
      gained += step;
      moved += std::abs(step);
    }
  }
  if (!(moved > 0)) return before;
  const auto weight = static_cast<double>(best);
  return (weight * std::max(0.0, gained) / moved + before_weight * before) /
         (weight + before_weight);
}

namespace {

struct Standing {  // of one trial
  Field::Leader trial;
  double sum = 0;
  int longest = 0;  // runs of that length
  bool diverged = false;
  [[nodiscard]] double mean() const { return sum / longest; }
  [[nodiscard]] double weight(int phases) const {
    return static_cast<double>(longest) * trial.length / phases;
  }
};

std::vector<Standing> standings_of(std::span<const Field::Runner> runners) {
  std::map<std::size_t, Standing> by_trial;
  for (const Field::Runner& runner : runners) {
    Standing& standing = by_trial[runner.trial];
    standing.trial.trial = runner.trial;
    ++standing.trial.runs;
    standing.diverged = standing.diverged || runner.diverged;
    if (runner.length() > standing.trial.length)
      standing.trial.length = runner.length(), standing.sum = 0, standing.longest = 0;
    if (runner.length() == 0 || runner.length() < standing.trial.length) continue;
    standing.sum += runner.scores.back();
    ++standing.longest;
  }
  std::vector<Standing> eligible;
  for (const auto& [trial, standing] : by_trial)
    if (!standing.diverged && standing.longest > 0) eligible.push_back(standing);
  return eligible;
}

// The upper median score of the trials that came at least half as far as the longest.
double middle_of(const std::vector<Standing>& standings) {
  int longest = 0;
  for (const Standing& one : standings) longest = std::max(longest, one.trial.length);
  std::vector<double> means;
  for (const Standing& one : standings)
    if (2 * one.trial.length >= longest) means.push_back(one.mean());
  const auto middle = means.begin() + static_cast<std::ptrdiff_t>(means.size() / 2);
  std::nth_element(means.begin(), middle, means.end());
  return *middle;
}

}  // namespace

std::optional<Field::Leader> Field::leader(double doubt) const {
  const std::vector<Standing> standings = standings_of(runners_);
  if (standings.empty()) return std::nullopt;
  const double middle = middle_of(standings);
  const Standing* best = nullptr;
  double most = 0, most_weight = 0;
  for (const Standing& one : standings) {
    const double weight = one.weight(phases_);
    // Written so that equal means stay equal: ties must survive rounding.
    const double value = middle + (one.mean() - middle) * (weight / (weight + doubt));
    if (best != nullptr && (value < most || (value == most && weight <= most_weight))) continue;
    best = &one, most = value, most_weight = weight;
  }
  return best->trial;
}

int Field::reported() const {
  int total = 0;
  for (const Runner& runner : runners_) total += runner.length();
  return total;
}

int Field::committed_to_second_looks() const {
  int total = 0;
  for (const Runner& runner : runners_)
    if (!runner.first) total += runner.ended ? runner.length() : phases_;
  return total;
}

}  // namespace hone
