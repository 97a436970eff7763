// Simulates one sweep under a virtual clock: the real rules (decide, evolve, answer), and workers
// that replay recorded curves instead of training. The result depends on the arguments alone.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "server/simulate/curve_table.hpp"

namespace hone {
struct SweepSpec;
}

namespace hone::simulate {

struct Setting {
  int workers = 4;
  double deadline = 2;     // in full runs: the table's mean time of a complete run
  double target = 0.05;    // normalized regret that counts as found
  std::uint64_t seed = 0;  // of this repetition
  // Not null: the sweep of this spec is played first, with the same workers and as much time, and
  // the simulated one learns from it (search.warm_start).
  const SweepSpec* before = nullptr;
  bool counts = false;  // record Outcome::counts, after each report
};

// How good the sweep's answer was at some time: the normalized regret of its true value.
struct IncumbentRegret {
  double named = 0;   // of the incumbent by the method
  double single = 0;  // of the parameter set of the best single report
};

// The counts of a sweep at some time.
struct Counts {
  double seconds = 0;
  std::int64_t started = 0, training = 0, paused = 0, ended = 0;  // runs
  std::int64_t phases = 0;                                        // reported
};

struct Outcome {
  std::vector<IncumbentRegret> anytime;  // at 1/20, 2/20, ... 20/20 of the deadline
  double true_value = 0;                 // of the incumbent at the deadline, from the table
  std::int64_t trials = 0;               // proposed
  std::int64_t runs = 0;                 // started
  std::int64_t reports = 0;
  double work_per_run = 0;  // phases trained a run, as a share of a complete run
  double busy = 0;          // share of the workers' time until the deadline spent training
  double to_target = -1;    // full runs until `named` reached the target; -1: it did not
  double ended = 0;         // full runs until the sweep ended, or the deadline
  double phases = 0;        // trained in all, in full runs: tuning and confirmation
  // By how much the best observed value exceeds the true value of its set, in units of regret: the
  // best report of a single run, or the aggregate of several.
  double gap = 0;
  double expected_gap = 0;  // the same for the expected merit of multi-seed sweeps; else the gap
  // The truly best one of the tried sets never trained to its end.
  bool lost_best = false;
  bool diverged = false;         // the named set diverges (curve_table.hpp)
  double confirmed = 0;          // regret of the best confirmed set; `named` without a confirmation
  std::vector<Counts> counts{};  // if the setting asks for them; the last ones are of the end
  double confirmed_gap = 0;  // gap of its interquartile mean; `expected_gap` without a confirmation
};

inline constexpr int anytime_points = 20;

// Simulates one repetition. Refuses a sweep that the server would refuse, or whose parameters the
// table does not cover. Phase p of P ends at the checkpoint that completes its share of a curve.
// With spec.confirm, the tuning ends early enough for the confirmation to finish before the
// deadline; its runs replay seeds that the tuning of that set has not used, while the table has
// some.
Result<Outcome> simulate(const SweepSpec& spec, const CurveTable& table, const Setting& setting);

}  // namespace hone::simulate
