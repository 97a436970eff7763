#include "server/search/seeds/leaders.hpp"

#include <algorithm>

#include "server/search/seeds/race.hpp"

namespace hone {
namespace {

Race race_of(const History& history) {
  constexpr double memory_share = 0.1;  // as the rule has it
  std::size_t longest = 1;
  for (const RunRecord& run : history.runs()) longest = std::max(longest, run.merits.size());
  return {history, memory_share * static_cast<double>(longest)};
}

// Trials of several runs by what is expected of them, so that one lucky run is not ahead of a
// proven set; what did not come far enough to be compared follows as the history has it.
std::vector<std::size_t> by_expectation(const History& history) {
  const Race race = race_of(history);
  std::vector<std::size_t> order;
  for (const Standing& one : race.standings()) order.push_back(one.trial);
  return order;
}

}  // namespace

std::vector<std::optional<double>> expectations_of(const History& history) {
  std::vector<std::optional<double>> expected(history.trials().size());
  const Race race = race_of(history);
  for (const Standing& one : race.standings()) expected[one.trial] = one.expected;
  return expected;
}

std::vector<std::size_t> find_leaders(const History& history, const Terminator& terminator,
                                      std::size_t count) {
  std::vector<std::size_t> leaders;
  const auto add = [&](std::size_t trial) {
    const bool known = std::find(leaders.begin(), leaders.end(), trial) != leaders.end();
    const bool fails = history.achievement(trial).grade == Achievement::Grade::failed ||
                       history.achievement(trial).grade == Achievement::Grade::pending;
    if (leaders.size() < count && !known && !fails && !history.trials()[trial].foreign)
      leaders.push_back(trial);
  };
  if (const auto named = terminator.incumbent(history)) add(*named);
  if (history.replication().joint())
    for (const std::size_t trial : by_expectation(history)) add(trial);
  for (const std::uint32_t trial : history.ranked()) add(trial);
  return leaders;
}

}  // namespace hone
