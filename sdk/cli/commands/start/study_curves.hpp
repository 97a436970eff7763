// The intermediate values of a study as the phases of runs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "server/upkeep/optuna_study.hpp"

namespace hone::cli {

// Phase p of a trial is its intermediate value at step first + p * distance.
struct StudyCurves {
  std::int64_t first = 0, distance = 1;
  int phases = 1;
  bool has_curves = false;  // else a trial has its final value alone, as phase 0
  bool ends_apart = false;  // the last phase is the final value, which is no intermediate one

  // The values of the phases that the trial has reported without a gap, its final value last where
  // it has one. nullopt: an infinite final value.
  [[nodiscard]] std::vector<std::optional<double>> of(const upkeep::OptunaTrial& trial) const;
};

// Values are phases if the study has one objective and all complete trials report the same evenly
// spaced steps: then a pruned trial is compared at its own phase. Otherwise there are no curves.
StudyCurves curves_of(const upkeep::OptunaStudy& study);

}  // namespace hone::cli
