// Rungs: numbers of phases after which runs are compared with each other. Shared by asha,
// asha_stopping, sha and hyperband.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "schemas/types/search_spec.hpp"
#include "server/search/terminators/rule_helpers.hpp"

namespace hone {

struct RungSettings {
  int eta = 3;         // one run in eta continues
  int first_rung = 1;  // phases before the first comparison
};

// Reads and checks `eta` and `first_rung`.
Result<RungSettings> rung_settings(const TerminatorSpec& spec, const SweepShape& shape);

// Returns first_rung * eta^k phases while that is less than `phases`, then `phases` itself, where
// runs are complete and are not compared.
std::vector<int> rungs_of(const RungSettings& settings, int phases);

// Returns the index of the rung at the end of `phase`, or nullopt if runs are not compared there.
std::optional<std::size_t> rung_after(const std::vector<int>& rungs, int phase);

// The verdict between rungs, and its explanation.
Verdict between_rungs(const std::vector<int>& rungs, int phase);
std::string explain_between_rungs(const std::string& rule, const Verdict& verdict);

// The expected phases of a run if exactly one in eta passes each rung.
double expected_phases(const std::vector<int>& rungs, int eta);

}  // namespace hone
