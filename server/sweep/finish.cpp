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
    std::optional<std::size_t> behind;  // its paused run with the fewest reports
    for (const std::size_t run : history.trials()[trial].runs)
      if (runs[run].state == RunRecord::State::paused &&
          (!behind || runs[run].merits.size() < runs[*behind].merits.size()))
        behind = run;
    if (behind) return sweep.runs.at(*behind);
  }
  return std::nullopt;
}

}  // namespace hone
