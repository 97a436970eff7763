#include "server/search/terminators/curve/earlier.hpp"

#include <algorithm>
#include <cmath>

namespace hone {

Verdict judge_by_share(const History& history, int phase, double merit, double share) {
  const auto column = history.merits(phase);
  const auto reports = static_cast<double>(column.size());
  const auto no_better =
      static_cast<double>(std::upper_bound(column.begin(), column.end(), merit) - column.begin());
  // The tolerance keeps ceil(0.75 * 4) at 3 if the product comes out slightly larger.
  const double bar = std::ceil(share * reports - 1e-9);
  const bool stop = no_better < bar;
  return {stop ? Action::stop : Action::go_on,
          stop ? VerdictReason::evicted : VerdictReason::good_enough,
          {{"reports", reports}, {"no_better", no_better}, {"bar", bar}}};
}

Action recompute_by_share(const std::vector<VerdictInput>& inputs) {
  return input(inputs, "no_better") < input(inputs, "bar") ? Action::stop : Action::go_on;
}

std::string explain_by_share(const std::string& title, const std::string& what,
                             const Verdict& verdict) {
  return title + (verdict.action == Action::stop ? " stopped it: " : " kept it: ") +
         number_text(input(verdict.inputs, "no_better")) + " of the " +
         counted(input(verdict.inputs, "reports"), "earlier report") +
         " of the phase were no better than " + what + ", and a run needs at least " +
         number_text(input(verdict.inputs, "bar")) + " to continue";
}

}  // namespace hone
