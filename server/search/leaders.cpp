#include "server/search/leaders.hpp"

namespace hone {

std::vector<std::size_t> find_leaders(const History& history, const Terminator& terminator,
                                      std::size_t count) {
  std::vector<std::size_t> leaders;
  const auto named = terminator.incumbent(history);
  if (named && *named >= history.foreign()) leaders.push_back(*named);
  for (const std::uint32_t trial : history.ranked()) {
    if (leaders.size() >= count) break;
    const bool fails = history.achievement(trial).grade == Achievement::Grade::failed;
    if (fails || history.trials()[trial].foreign || (named && trial == *named)) continue;
    leaders.push_back(trial);
  }
  return leaders;
}

}  // namespace hone
