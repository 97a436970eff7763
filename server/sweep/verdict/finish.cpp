#include "server/sweep/verdict/finish.hpp"

#include <algorithm>

#include "server/search/seeds/leaders.hpp"
#include "server/sweep/state/rules.hpp"

namespace hone {
namespace {

constexpr int with_one_seed = 1, with_seeds = 2, keeps_leader = 5;  // of Sweep::rules

// Whether a run of the trial has trained to the end of its budget.
bool is_complete(const History& history, std::size_t trial) {
  return std::ranges::any_of(history.trials()[trial].runs,
                             [&](std::size_t run) { return history.runs()[run].completed; });
}

// The paused run of a trial that is furthest behind; nullopt if none is paused, or if the rule has
// stopped one. The seeds that a race added follow the first ones.
std::optional<std::size_t> furthest_behind(const History& history, std::size_t trial) {
  std::optional<std::size_t> last;
  for (const std::size_t index : history.trials()[trial].runs) {
    const RunRecord& run = history.runs()[index];
    if (run.evicted) return std::nullopt;
    if (run.state != RunRecord::State::paused || run.replicate >= history.replication().first)
      continue;
    if (!last || run.merits.size() < history.runs()[*last].merits.size()) last = index;
  }
  return last;
}

}  // namespace

bool finishes_winner(const Sweep& sweep) {
  return sweep.rules >= (sweep.history.replication().multi_seed() ? with_seeds : with_one_seed);
}

std::optional<RunId> paused_leader(const Sweep& sweep) {
  if (sweep.rules < keeps_leader) return std::nullopt;
  const auto leaders = find_leaders(sweep.history, 1);
  if (leaders.empty()) return std::nullopt;
  const auto run = furthest_behind(sweep.history, leaders.front());
  return run ? std::optional(sweep.runs.at(*run)) : std::nullopt;
}

void close_unpromotable(const Sweep& sweep, const Book& book, RunId leased, Events& events) {
  const bool with_seeds = sweep.rules > 1;
  std::vector<RunId> unpromotable;
  for (const RunId id : sweep.paused)
    if (id != leased && !(with_seeds && id.trial == leased.trial) &&
        !sweep.terminator->promotable(sweep.history, find_run(book, id)->record))
      unpromotable.push_back(id);
  const auto kept = unpromotable.empty() ? std::nullopt : paused_leader(sweep);
  for (const RunId id : unpromotable)
    if (!kept || id.trial != kept->trial)
      events.emplace_back(
          RunEnded{.run = id, .state = RunState::stopped, .reason = EndReason::not_promoted});
}

std::optional<RunId> run_to_finish(const Sweep& sweep, const History& history) {
  if (!finishes_winner(sweep)) return std::nullopt;
  // Earlier rules are content with any complete run.
  if (sweep.rules < with_seeds && std::ranges::any_of(history.runs(), &RunRecord::completed))
    return std::nullopt;
  for (const std::size_t trial : find_leaders(history, history.trials().size())) {
    if (const auto run = furthest_behind(history, trial)) return sweep.runs.at(*run);
    if (is_complete(history, trial)) break;
  }
  return std::nullopt;
}

}  // namespace hone
