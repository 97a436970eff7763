#include "server/search/terminators/run_budget.hpp"

#include <algorithm>
#include <cmath>

namespace hone {

std::optional<double> measured_phases(const History& history, int phases) {
  const auto ended = [](const RunRecord& run) {
    return run.state == RunRecord::State::ended && run.counts && !run.merits.empty();
  };
  if (std::none_of(history.runs().begin(), history.runs().end(), ended)) return std::nullopt;
  double mean = 1, share = 1;
  for (int length = 1; length < phases; ++length) {
    std::int64_t beyond = 0, stayed = 0;
    for (const RunRecord& run : history.runs()) {
      const auto trained = static_cast<int>(run.merits.size());
      if (trained > length) ++beyond;
      if (trained == length && ended(run)) ++stayed;
    }
    if (beyond + stayed == 0) break;
    share *= static_cast<double>(beyond) / static_cast<double>(beyond + stayed);
    mean += share;
  }
  return mean;
}

std::int64_t runs_that_fit(double budget_phases, double phases_per_run) {
  // The tolerance keeps 0.3 / 0.1 at 3.
  return std::max<std::int64_t>(
      1, static_cast<std::int64_t>(std::floor(budget_phases / phases_per_run + 1e-9)));
}

}  // namespace hone
