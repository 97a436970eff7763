#include "server/search/seeds/leaders.hpp"

#include <algorithm>

#include "server/search/seeds/race.hpp"

namespace hone {
namespace {

Race race_of(const History& history) {
  std::size_t longest = 1;
  for (const RunRecord& run : history.runs()) longest = std::max(longest, run.merits.size());
  return {history, smoothing_share * static_cast<double>(longest)};
}

// Trials of several runs by their expected merit, so that a lucky run does not rank above a proven
// set. Trials that are too short to be compared follow in the order of the history.
std::vector<std::size_t> by_expectation(const History& history) {
  const Race race = race_of(history);
  std::vector<std::size_t> order;
  for (const TrialRank& one : race.ranking()) order.push_back(one.trial);
  return order;
}

}  // namespace

std::vector<std::optional<double>> expectations_of(const History& history) {
  std::vector<std::optional<double>> expected(history.trials().size());
  const Race race = race_of(history);
  for (const TrialRank& one : race.ranking()) expected[one.trial] = one.expected;
  return expected;
}

std::vector<std::size_t> find_leaders(const History& history, const Terminator& terminator,
                                      std::size_t count) {
  std::vector<std::size_t> leaders;
  const auto add = [&](std::size_t trial) {
    const bool listed = std::find(leaders.begin(), leaders.end(), trial) != leaders.end();
    const bool fails = history.outcome(trial).grade == TrialOutcome::Grade::failed ||
                       history.outcome(trial).grade == TrialOutcome::Grade::pending;
    if (leaders.size() < count && !listed && !fails && !history.trials()[trial].foreign)
      leaders.push_back(trial);
  };
  if (const auto named = terminator.incumbent(history)) add(*named);
  if (history.replication().multi_seed())
    for (const std::size_t trial : by_expectation(history)) add(trial);
  for (const std::uint32_t trial : history.ranked()) add(trial);
  return leaders;
}

}  // namespace hone
