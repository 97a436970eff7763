#include "server/search/terminators/hone/smoothed_curves.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "schemas/types/reach.hpp"
#include "server/search/terminators/hone/rank_prior.hpp"

namespace hone {
namespace {

// Whether a merit under Goal::soonest is a time, and does not stand for a bar that is not reached.
bool holds_time(double merit) { return -merit < some_not_reached_from; }

// The exponentially weighted means of the first 1, 2, ... values; the newest value weighs most. The
// update keeps equal values exactly equal, so that ties survive rounding. With
// `times_apart`, the means begin again with the first time.
std::vector<double> smoothed(std::span<const double> values, double keep, bool times_apart) {
  std::vector<double> means;
  means.reserve(values.size());
  double mean = 0, weight = 0;
  for (const double value : values) {
    if (times_apart && !means.empty() && holds_time(value) != holds_time(means.back()))
      mean = weight = 0;
    weight = keep * weight + 1;
    mean += (value - mean) / weight;
    means.push_back(mean);
  }
  return means;
}

}  // namespace

SmoothedCurves::SmoothedCurves(const History& history, int first_runs, double memory_phases,
                               int phases, std::optional<NewReport> report, bool times_apart)
    : phases_(phases), times_apart_(times_apart) {
  const double keep = std::exp(-1 / memory_phases);
  curves_.reserve(history.runs().size());
  for (std::size_t index = 0; index < history.runs().size(); ++index) {
    const RunRecord& record = history.runs()[index];
    Curve curve;
    curve.run = index;
    curve.trial = record.trial;
    curve.first = record.replicate < first_runs;
    curve.paused = record.state == RunRecord::State::paused;
    curve.ended = record.state == RunRecord::State::ended;
    curve.inherited = record.inherited;
    curve.merits = record.merits;
    if (report && report->run == index) {
      curve.merits.push_back(report->merit);
      curve.paused = true;
    }
    curve.reports = static_cast<int>(curve.merits.size());
    if (!curve.merits.empty() && std::isinf(curve.merits.back())) {
      curve.diverged = true;
      curve.merits.pop_back();
    }
    curve.scores = smoothed(curve.merits, keep, times_apart_);
    curves_.push_back(std::move(curve));
  }
}

bool SmoothedCurves::alike(double left, double right) const {
  return !times_apart_ || holds_time(left) == holds_time(right);
}

int tenth_of(int phases) { return std::max(1, static_cast<int>(std::lround(phases / 10.0))); }

double SmoothedCurves::efficiency() const {
  constexpr double prior = usual_efficiency, prior_weight = 4;  // of so many runs
  const int step_phases = tenth_of(phases_);
  std::vector<const Curve*> long_enough;
  for (const Curve& curve : curves_)
    if (!curve.diverged && curve.length() > step_phases) long_enough.push_back(&curve);
  if (long_enough.size() < 3) return prior;
  const std::size_t best = std::max<std::size_t>(3, long_enough.size() / 3);
  std::partial_sort(long_enough.begin(), long_enough.begin() + static_cast<std::ptrdiff_t>(best),
                    long_enough.end(), [](const Curve* a, const Curve* b) {
                      if (a->scores.back() != b->scores.back())
                        return a->scores.back() > b->scores.back();
                      return a->run < b->run;
                    });
  double gained = 0, moved = 0;
  for (std::size_t i = 0; i < best; ++i) {
    const auto& values = long_enough[i]->merits;
    for (auto k = static_cast<std::ptrdiff_t>(values.size()) - 1; k - step_phases >= 0;
         k -= step_phases) {
      const double now = values[static_cast<std::size_t>(k)];
      const double before = values[static_cast<std::size_t>(k - step_phases)];
      if (!alike(before, now)) continue;
      const double step = now - before;
      gained += step;
      moved += std::abs(step);
    }
  }
  if (!(moved > 0)) return prior;
  const auto weight = static_cast<double>(best);
  return (weight * std::max(0.0, gained) / moved + prior_weight * prior) / (weight + prior_weight);
}

namespace {

constexpr std::size_t middle_trials = 5;  // of version 2 of the rule, at least

struct TrialScore {
  SmoothedCurves::Leader trial;
  double sum = 0;
  int longest = 0;  // number of runs of the trial's length
  bool diverged = false;
  [[nodiscard]] double mean() const { return sum / longest; }
  [[nodiscard]] double weight(int phases) const {
    return static_cast<double>(longest) * trial.length / phases;
  }
};

// Adds the last score of one of the trial's longest runs.
void add_score(TrialScore& trial, double score, bool times_apart) {
  if (times_apart && trial.longest > 0 && holds_time(score) != holds_time(trial.mean())) {
    if (holds_time(score)) return;
    trial.sum = 0, trial.longest = 0;
  }
  trial.sum += score;
  ++trial.longest;
}

std::vector<TrialScore> scores_of(std::span<const SmoothedCurves::Curve> curves, bool times_apart) {
  std::map<std::size_t, TrialScore> by_trial;
  for (const SmoothedCurves::Curve& curve : curves) {
    TrialScore& score = by_trial[curve.trial];
    score.trial.trial = curve.trial;
    ++score.trial.runs;
    score.diverged = score.diverged || curve.diverged;
    if (curve.length() > score.trial.length)
      score.trial.length = curve.length(), score.sum = 0, score.longest = 0;
    if (curve.length() == 0 || curve.length() < score.trial.length) continue;
    add_score(score, curve.scores.back(), times_apart);
  }
  std::vector<TrialScore> eligible;
  for (const auto& [trial, score] : by_trial)
    if (!score.diverged && score.longest > 0) eligible.push_back(score);
  const auto is_first = [](const TrialScore& one) { return holds_time(one.mean()); };
  if (times_apart && std::ranges::any_of(eligible, is_first))
    std::erase_if(eligible, std::not_fn(is_first));
  return eligible;
}

// The upper median score of the trials that trained at least half as long as the longest, and of
// the `least` longest ones if those are fewer: a single exploded run must not become the middle.
double middle_of(const std::vector<TrialScore>& scores, std::size_t least) {
  std::vector<int> lengths;
  for (const TrialScore& one : scores) lengths.push_back(one.trial.length);
  std::sort(lengths.begin(), lengths.end(), std::greater<>());
  const int last = lengths[std::min(least, lengths.size()) - 1];
  std::vector<double> means;
  for (const TrialScore& one : scores)
    if (2 * one.trial.length >= lengths.front() || one.trial.length >= last)
      means.push_back(one.mean());
  const auto middle = means.begin() + static_cast<std::ptrdiff_t>(means.size() / 2);
  std::nth_element(means.begin(), middle, means.end());
  return *middle;
}

}  // namespace

double SmoothedCurves::change_after(int length) const {
  struct Passed {
    double score = 0;
    double change = 0;
    auto operator<=>(const Passed&) const = default;
  };
  std::vector<Passed> passed;
  for (const Curve& curve : curves_) {
    if (curve.diverged || curve.length() < std::min(length + tenth_of(phases_), phases_)) continue;
    const double then = curve.scores[static_cast<std::size_t>(length - 1)];
    if (!alike(then, curve.scores.back())) continue;
    passed.push_back({then, curve.scores.back() - then});
  }
  std::sort(passed.begin(), passed.end(), std::greater<>());
  std::vector<double> changes{0};
  for (std::size_t i = 0; i < (passed.size() + 1) / 2; ++i) changes.push_back(passed[i].change);
  const auto middle = changes.begin() + static_cast<std::ptrdiff_t>(changes.size() / 2);
  std::nth_element(changes.begin(), middle, changes.end());
  return std::min(0.0, *middle);
}

std::optional<SmoothedCurves::Leader> SmoothedCurves::leader(
    double doubt, bool expect_decline, const std::optional<RankPrior>& prior) const {
  const std::vector<TrialScore> scores = scores_of(curves_, times_apart_);
  if (scores.empty()) return std::nullopt;
  const double middle = middle_of(scores, expect_decline ? middle_trials : 1);
  const TrialScore* best = nullptr;
  double most = 0, most_weight = 0;
  std::map<int, double> changes;  // by length
  for (const TrialScore& one : scores) {
    const double weight = one.weight(phases_);
    const int length = one.trial.length;
    if (expect_decline && length < phases_ && !changes.contains(length))
      changes[length] = change_after(length);
    const double trusted = prior && length < phases_ ? trust(*prior, length, phases_) : 1;
    // Written so that equal means stay equal and ties survive rounding.
    const double value = middle + (one.mean() - middle) * (trusted * weight / (weight + doubt)) +
                         (changes.contains(length) ? changes[length] : 0);
    if (best != nullptr && (value < most || (value == most && weight <= most_weight))) continue;
    best = &one, most = value, most_weight = weight;
  }
  return best->trial;
}

int SmoothedCurves::reported() const {
  int total = 0;
  for (const Curve& curve : curves_) total += curve.length();
  return total;
}

int SmoothedCurves::committed_to_second_looks() const {
  int total = 0;
  for (const Curve& curve : curves_)
    if (!curve.first) total += curve.ended ? curve.length() : phases_;
  return total;
}

}  // namespace hone
