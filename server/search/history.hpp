// What search may know of a sweep: columns that evolve() fills and samplers and terminators read.
// No clock, no ids of workers, no order of arrival beyond the order of reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schemas/types/score.hpp"
#include "schemas/types/value.hpp"

namespace hone {

// One trial as search sees it.
struct TrialRecord {
  Params params;
  std::vector<Score> reports;  // of its first run, by phase
  bool ended = false;
};

class History {
 public:
  explicit History(Goal goal) : goal_(goal) {}

  void add_trial(Params params);                               // trial numbers count from 0
  void add_report(std::size_t trial, int phase, Score score);  // phase may exceed those seen
  void end_trial(std::size_t trial);

  [[nodiscard]] Goal goal() const { return goal_; }
  [[nodiscard]] std::span<const TrialRecord> trials() const { return trials_; }

  // Merits (larger is better, diverged = -inf) of every recorded report of the phase, ascending.
  [[nodiscard]] std::span<const double> merits(int phase) const;
  [[nodiscard]] std::int64_t reports(int phase) const;
  // Reports of the phase with a strictly smaller merit.
  [[nodiscard]] std::int64_t rank_below(int phase, Score score) const;

 private:
  Goal goal_;
  std::vector<TrialRecord> trials_;
  std::vector<std::vector<double>> merits_by_phase_;
};

}  // namespace hone
