// Rungs: numbers of phases after which runs are compared with each other. Shared by asha,
// asha_stopping, sha and hyperband.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "server/search/terminators/rows.hpp"

namespace hone {

struct RungSettings {
  int eta = 3;         // one in eta goes on
  int first_rung = 1;  // phases before the first comparison
};

// Reads and checks `eta` and `first_rung`.
Result<RungSettings> rung_settings(const TerminatorSpec& spec, const Plan& plan);

// first_rung * eta^k phases while that is less than `phases`, then `phases` itself: there runs are
// complete, and nobody is compared.
std::vector<int> rungs_of(const RungSettings& settings, int phases);

// Which rung, of those where runs are compared, lies at the end of `phase`.
std::optional<std::size_t> rung_after(const std::vector<int>& rungs, int phase);

// The verdict between rungs, and what it says to people.
Verdict between_rungs(const std::vector<int>& rungs, int phase);
std::string explain_between_rungs(const std::string& rule, const Verdict& verdict);

// Phases of one run when exactly one in eta passes each rung.
double expected_phases(const std::vector<int>& rungs, int eta);

}  // namespace hone
