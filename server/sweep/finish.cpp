// The last rule of a sweep: its winner trains to the end of its budget, even where the terminator
// has nothing left to promote.
#include <algorithm>

#include "server/search/seeds/leaders.hpp"
#include "server/sweep/rules.hpp"

namespace hone {

std::optional<RunId> run_to_finish(const Sweep& sweep, const History& history) {
  if (sweep.rules < 1) return std::nullopt;
  // Seeds of a trial pause and stop together: one of them cannot continue alone.
  if (history.replication().multi_seed()) return std::nullopt;
  const auto runs = history.runs();
  if (std::ranges::any_of(runs, &RunRecord::completed)) return std::nullopt;
  for (const std::size_t trial : find_leaders(history, history.trials().size())) {
    const std::size_t run = history.trials()[trial].runs.front();
    if (runs[run].state == RunRecord::State::paused) return sweep.runs.at(run);
  }
  return std::nullopt;
}

}  // namespace hone
