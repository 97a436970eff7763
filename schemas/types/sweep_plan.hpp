// The amounts of training that a sweep file asks for, before it is submitted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hone {

// What the confirmation trains after the sweep.
struct ConfirmPlan {
  int top = 0, seeds = 0;
  std::int64_t runs = 0, phases = 0, work = 0;
  friend bool operator==(const ConfirmPlan&, const ConfirmPlan&) = default;
};

// work: in units of the budget. "At most" counts the runs that racing or second looks may add.
struct SweepPlan {
  std::int64_t trials = 0, runs = 0, runs_at_most = 0, phases_at_most = 0;
  std::int64_t phases_expected = 0;
  // 90 % of simulated sweeps lie between; nullopt: not simulated.
  std::optional<std::vector<std::int64_t>> phases_range{};
  double phases_per_run = 0;
  std::int64_t work_at_most = 0, work_expected = 0;
  std::string unit;
  std::optional<ConfirmPlan> confirm{};
  friend bool operator==(const SweepPlan&, const SweepPlan&) = default;
};

}  // namespace hone
