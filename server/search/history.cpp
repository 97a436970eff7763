#include "server/search/history.hpp"

#include <algorithm>
#include <utility>

#include "schemas/types/expect.hpp"

namespace hone {

void History::add_trial(Params params) { trials_.push_back({std::move(params), {}, false}); }

void History::add_report(std::size_t trial, int phase, Score score) {
  expect(trial < trials_.size() && phase >= 0, "a report belongs to a known trial and phase");
  const auto column = static_cast<std::size_t>(phase);
  if (column >= merits_by_phase_.size()) merits_by_phase_.resize(column + 1);
  auto& merits = merits_by_phase_[column];
  const double merit = score.merit(goal_);
  merits.insert(std::upper_bound(merits.begin(), merits.end(), merit), merit);
  auto& reports = trials_[trial].reports;
  if (reports.size() == column) reports.push_back(score);
}

void History::end_trial(std::size_t trial) {
  expect(trial < trials_.size(), "an ended trial is known");
  trials_[trial].ended = true;
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
