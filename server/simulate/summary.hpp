// Summarizes repetitions of a simulated sweep by means and standard errors.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "server/simulate/world.hpp"

namespace hone::simulate {

struct Estimate {
  double mean = 0;
  double standard_error = 0;  // of the mean; 0 for a single repetition
};

struct Summary {
  std::int64_t repetitions = 0;
  std::array<Estimate, anytime_points> named{};   // normalized regret of the incumbent
  std::array<Estimate, anytime_points> single{};  // of the parameter set of the best single report
  Estimate true_value;                            // of the incumbent at the deadline
  Estimate trials, runs, work_per_run, busy;
  double found = 0;    // share of the repetitions that reached the target
  Estimate to_target;  // full runs until they did, over those that did
  Estimate phases, gap, expected_gap, confirmed, confirmed_gap;  // as in Outcome
  double lost_best = 0, diverged = 0;                            // share of the repetitions
};

class Tally {
 public:
  void add(const Outcome& outcome) { outcomes_.push_back(outcome); }
  [[nodiscard]] std::int64_t repetitions() const {
    return static_cast<std::int64_t>(outcomes_.size());
  }
  [[nodiscard]] Summary summary() const;

 private:
  std::vector<Outcome> outcomes_;
};

}  // namespace hone::simulate
