#include "server/search/history/history.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/expect.hpp"
#include "schemas/types/aggregate.hpp"
#include "server/search/history/seed_curves.hpp"

namespace hone {

History::History(Goal goal, std::size_t dimensions, std::size_t objectives,
                 const Replication& replication)
    : goal_(goal), dimensions_(dimensions), objectives_(objectives), replication_(replication) {}

std::size_t History::add_trial(std::span<const double> point, bool forked) {
  expect(point.size() == dimensions_, "a point has a coordinate for every dimension");
  const std::size_t trial = trials_.size();
  points_.insert(points_.end(), point.begin(), point.end());
  trials_.emplace_back().forked = forked;
  outcomes_.emplace_back();
  pending_.push_back(static_cast<std::uint32_t>(trial));
  return trial;
}

void History::add_foreign(std::span<const double> point, const TrialOutcome& outcome) {
  expect(foreign_ == trials_.size(), "warm-started trials come first");
  expect(outcome.grade != TrialOutcome::Grade::pending, "an earlier trial has a result");
  const std::size_t trial = add_trial(point);
  trials_[trial].foreign = true;
  ++foreign_;
  pending_.pop_back();
  outcomes_[trial] = outcome;
  rank(static_cast<std::uint32_t>(trial));
}

std::size_t History::add_run(std::size_t trial) {
  expect(trial < trials_.size(), "a run belongs to a known trial");
  auto& runs = trials_[trial].runs;
  runs.push_back(runs_.size());
  further_.emplace_back();
  runs_.emplace_back();
  runs_.back().trial = trial;
  runs_.back().replicate = static_cast<int>(runs.size()) - 1;
  return runs_.size() - 1;
}

void History::add_report(std::size_t run, int phase, Score score, std::span<const double> further) {
  expect(run < runs_.size() && phase == static_cast<int>(runs_[run].merits.size()),
         "a report is of a known run's next phase");
  record(run, phase, score.merit(goal_));
  further_[run].assign(further.begin(), further.end());
  reassess_from(runs_[run].trial, phase);
}

void History::add_curve(std::size_t run, std::span<const Score> scores) {
  expect(run < runs_.size(), "a curve is of a known run");
  const auto next = static_cast<int>(runs_[run].merits.size());
  for (std::size_t i = 0; i < scores.size(); ++i)
    record(run, next + static_cast<int>(i), scores[i].merit(goal_));
  if (!scores.empty()) reassess_from(runs_[run].trial, next);
}

void History::inherit(std::size_t run, std::span<const Score> scores) {
  expect(run < runs_.size() && runs_[run].merits.empty(), "a fork begins with what it inherits");
  add_curve(run, scores);
  runs_[run].inherited = static_cast<int>(scores.size());
}

void History::add_seconds(std::size_t run, double seconds) {
  expect(run < runs_.size(), "a phase is of a known run");
  runs_[run].seconds += seconds;
  ++runs_[run].timed;
}

std::optional<double> History::phase_seconds(std::size_t trial) const {
  double seconds = 0;
  int timed = 0;
  for (const std::size_t run : trials_[trial].runs) {
    seconds += runs_[run].seconds;
    timed += runs_[run].timed;
  }
  if (timed == 0) return std::nullopt;
  return seconds / timed;
}

void History::record(std::size_t run, int phase, double merit) {
  const auto column = static_cast<std::size_t>(phase);
  if (column >= merits_by_phase_.size()) merits_by_phase_.resize(column + 1);
  auto& merits = merits_by_phase_[column];
  merits.insert(std::upper_bound(merits.begin(), merits.end(), merit), merit);
  if (replication_.ranks) count(run, phase, merit);
  runs_[run].merits.push_back(merit);
  ++reported_;
}

void History::anticipate(std::size_t run, int phase, double merit) {
  if (replication_.ranks) count(run, phase, merit);
}

void History::count(std::size_t run, int phase, double merit) {
  const RunRecord& record = runs_[run];
  if (record.replicate >= replication_.first) return;
  const auto instances = static_cast<std::size_t>(replication_.instances);
  const std::size_t instance = static_cast<std::size_t>(record.replicate) % instances;
  while (latest_merits_.size() <= static_cast<std::size_t>(phase) * instances + instance)
    latest_merits_.push_back(latest_merits_.size() < instances
                                 ? std::vector<double>{}
                                 : latest_merits_[latest_merits_.size() - instances]);
  for (std::size_t i = static_cast<std::size_t>(phase) * instances + instance;
       i < latest_merits_.size(); i += instances) {
    std::vector<double>& column = latest_merits_[i];
    if (!record.merits.empty())
      column.erase(std::lower_bound(column.begin(), column.end(), record.merits.back()));
    column.insert(std::upper_bound(column.begin(), column.end(), merit), merit);
  }
}

double History::rank_share(std::size_t run, int phase, double merit) const {
  const RunRecord& record = runs_[run];
  const auto instances = static_cast<std::size_t>(replication_.instances);
  const std::size_t instance = static_cast<std::size_t>(record.replicate) % instances;
  std::size_t index = static_cast<std::size_t>(phase) * instances + instance;
  // Beyond the furthest phase of any first run, each keeps its latest merit.
  while (index >= latest_merits_.size() && index >= instances) index -= instances;
  // A further seed is not in the table it is compared with: it counts on top.
  const double extra = record.replicate < replication_.first ? 0 : 1;
  if (index >= latest_merits_.size()) return 0.5;
  const auto [from, to] =
      std::equal_range(latest_merits_[index].begin(), latest_merits_[index].end(), merit);
  const auto below = static_cast<double>(from - latest_merits_[index].begin());
  const auto same = static_cast<double>(to - from) + extra;
  return (below + same / 2) / (static_cast<double>(latest_merits_[index].size()) + extra);
}

void History::set_state(std::size_t run, RunRecord::State state) {
  expect(run < runs_.size() && state != RunRecord::State::ended, "ends go through end_run");
  runs_[run].state = state;
}

void History::end_run(std::size_t run, bool completed, bool counts, bool evicted) {
  expect(run < runs_.size(), "an ended run is known");
  runs_[run].state = RunRecord::State::ended;
  runs_[run].completed = completed;
  runs_[run].counts = counts;
  runs_[run].evicted = evicted;
  reassess(runs_[run].trial);
}

void History::move_trial(std::size_t trial, std::span<const double> point) {
  std::ranges::copy(point, points_.begin() + static_cast<std::ptrdiff_t>(trial * dimensions_));
}

std::span<const double> History::point(std::size_t trial) const {
  return std::span(points_).subspan(trial * dimensions_, dimensions_);
}

const TrialOutcome& History::outcome(std::size_t trial) const { return outcomes_[trial]; }

// Over the runs whose latest report is of this phase or a later one; earlier values are not kept.
std::vector<double> History::further_means(std::size_t trial, int phase) const {
  std::vector<double> means(objectives_ - 1, 0);
  double count = 0;
  for (const std::size_t index : trials_[trial].runs) {
    if (static_cast<int>(runs_[index].merits.size()) <= phase) continue;
    for (std::size_t k = 0; k < std::min(means.size(), further_[index].size()); ++k)
      means[k] += further_[index][k];
    ++count;
  }
  for (double& one : means) one /= count;
  return means;
}

// The latest merits of the runs that reported the trial's furthest phase, in the order of the runs.
std::vector<double> History::furthest_merits(std::size_t trial) const {
  std::size_t furthest = 1;
  for (const std::size_t run : trials_[trial].runs)
    furthest = std::max(furthest, runs_[run].merits.size());
  std::vector<double> merits;
  for (const std::size_t run : trials_[trial].runs)
    if (runs_[run].merits.size() == furthest) merits.push_back(runs_[run].merits.back());
  return merits;
}

// The phase that counts, and the trial's merit there. The runs of a multi-seed sweep are
// aggregated. Elsewhere a second look at a leader counts where it came as far, by the plain mean,
// summed in the order of the runs.
TrialOutcome History::values_of(std::size_t trial) const {
  TrialOutcome result;
  std::vector<double> values;
  if (replication_.multi_seed()) {
    const SeedCurves curves(*this, trial);
    if (curves.length() > 0) values = curves.values(curves.length() - 1);
    result.phase = curves.length() - 1;
    if (!values.empty()) result.merit = aggregate_of(replication_.aggregate, values);
    result.error = standard_error_of(values);
  } else {
    values = furthest_merits(trial);
    for (const std::size_t run : trials_[trial].runs)
      result.phase = std::max(result.phase, static_cast<int>(runs_[run].merits.size()) - 1);
    if (!values.empty())
      result.merit =
          std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  }
  result.values = static_cast<int>(values.size());
  return result;
}

TrialOutcome History::assess(std::size_t trial) const {
  const auto& runs = trials_[trial].runs;
  const auto any = [&](auto holds) {
    return std::any_of(runs.begin(), runs.end(),
                       [&](std::size_t run) { return holds(runs_[run]); });
  };
  TrialOutcome result = values_of(trial);
  if (result.phase < 0) {
    const bool failed = any(
        [](const RunRecord& run) { return run.state == RunRecord::State::ended && run.counts; });
    if (failed && all_ended(trial)) result.grade = TrialOutcome::Grade::failed;
    return result;
  }
  result.further = further_means(trial, result.phase);
  result.grade = std::isinf(result.merit) ? TrialOutcome::Grade::failed
                 : any([](const RunRecord& run) { return run.completed; })
                     ? TrialOutcome::Grade::finished
                     : TrialOutcome::Grade::stopped;
  return result;
}

bool History::all_ended(std::size_t trial) const {
  const auto& runs = trials_[trial].runs;
  return !runs.empty() && std::all_of(runs.begin(), runs.end(), [this](std::size_t run) {
    return runs_[run].state == RunRecord::State::ended;
  });
}

// With ranks, a report changes the values of every trial at its phase or beyond.
void History::reassess_from(std::size_t trial, int phase) {
  reassess(trial);
  if (!replication_.ranks) return;
  for (std::size_t other = foreign_; other < trials_.size(); ++other)
    if (other != trial && outcomes_[other].phase >= phase) reassess(other);
}

void History::reassess(std::size_t trial) {
  const auto number = static_cast<std::uint32_t>(trial);
  unrank(number);
  outcomes_[trial] = assess(trial);
  rank(number);
}

bool History::before(std::uint32_t left, std::uint32_t right) const {
  const TrialOutcome& a = outcomes_[left];
  const TrialOutcome& b = outcomes_[right];
  if (a.grade != b.grade) return a.grade < b.grade;
  if (a.phase != b.phase) return a.phase > b.phase;
  if (a.merit != b.merit) return a.merit > b.merit;
  return left < right;
}

void History::unrank(std::uint32_t trial) {
  auto& list = outcomes_[trial].grade == TrialOutcome::Grade::pending ? pending_ : ranked_;
  const auto found =
      &list == &pending_
          ? std::lower_bound(list.begin(), list.end(), trial)
          : std::lower_bound(list.begin(), list.end(), trial,
                             [this](std::uint32_t l, std::uint32_t r) { return before(l, r); });
  if (found != list.end() && *found == trial) list.erase(found);
}

void History::rank(std::uint32_t trial) {
  if (outcomes_[trial].grade == TrialOutcome::Grade::pending) {
    if (all_ended(trial)) return;  // canceled before its first report: no result will come
    pending_.insert(std::lower_bound(pending_.begin(), pending_.end(), trial), trial);
    return;
  }
  const auto place =
      std::lower_bound(ranked_.begin(), ranked_.end(), trial,
                       [this](std::uint32_t l, std::uint32_t r) { return before(l, r); });
  ranked_.insert(place, trial);
}

std::span<const double> History::merits(int phase) const {
  const auto column = static_cast<std::size_t>(phase);
  if (phase < 0 || column >= merits_by_phase_.size()) return {};
  return merits_by_phase_[column];
}

std::int64_t History::reports(int phase) const {
  return static_cast<std::int64_t>(merits(phase).size());
}

std::int64_t History::rank_below(int phase, Score score) const {
  const auto column = merits(phase);
  return std::lower_bound(column.begin(), column.end(), score.merit(goal_)) - column.begin();
}

}  // namespace hone
