#include "server/simulate/promise.hpp"

#include <limits>

#include "schemas/types/reach.hpp"
#include "server/search/seeds/leaders.hpp"

namespace hone::simulate {

std::optional<Promise> promised_by(const History& history) {
  if (history.replication().multi_seed()) {
    const auto first = find_leaders(history, 1);
    if (first.empty()) return std::nullopt;
    const double merit = history.outcome(first[0]).merit;
    return Promise{first[0], merit, expectations_of(history)[first[0]].value_or(merit)};
  }
  std::optional<Promise> best;
  const double least = history.goal() == Goal::soonest ? -some_not_reached_from
                                                       : -std::numeric_limits<double>::infinity();
  for (const RunRecord& run : history.runs())
    for (const double merit : run.merits)
      if (merit > least && (!best || merit > best->merit)) best = {run.trial, merit, merit};
  return best;
}

}  // namespace hone::simulate
