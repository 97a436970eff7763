// The estimate is recorded, so that every reader of the ledger ranks alike.
#include "server/sweep/verdict/expected.hpp"

#include <algorithm>

#include "base/expect.hpp"
#include "server/search/seeds/expected_merits.hpp"
#include "server/sweep/state/rules_now.hpp"
#include "server/sweep/state/shape.hpp"

namespace hone {
namespace {

// Several seeds tell their noise themselves; a fork has more than its parameters; times until a bar
// and several objectives are not ordered by one number.
bool is_modelled(const Sweep& sweep) {
  return sweep.rules > rules_by_value && !sweep.history.replication().multi_seed() &&
         !sweep.spec.confirms && !sweep.spec.objective.reach &&
         sweep.spec.further_objectives.empty() && sweep.inherited == 0 &&
         !sweep.space.dimensions().empty();
}

double value_of(double merit, Goal goal) { return goal == Goal::maximize ? merit : 0.0 - merit; }

std::optional<TrialsExpected> expect_trials(const Sweep& sweep, const History& history) {
  const EstimateEffort& effort =
      sweep.rules > rules_earlier_estimate ? estimate_effort : earlier_estimate_effort;
  const ExpectedMerits found =
      is_modelled(sweep) ? expected_merits(sweep.space, history, effort) : ExpectedMerits{};
  if (found.trials.empty() && !history.has_expected()) return std::nullopt;
  TrialsExpected e{sweep.id, found.noise, {}};
  const Goal goal = history.goal();
  for (const ExpectedMerit& one : found.trials) {
    const double low = value_of(one.low, goal), high = value_of(one.high, goal);
    e.trials.push_back({sweep.trials.at(one.trial - history.foreign()), value_of(one.merit, goal),
                        std::min(low, high), std::max(low, high)});
  }
  return e;
}

}  // namespace

std::optional<TrialsExpected> expect_trials_if_due(const Sweep& sweep) {
  if (!is_due(sweep.history.reported())) return std::nullopt;
  return expect_trials(sweep, sweep.history);
}

void expect_at_end(const Sweep& sweep, History& history, Events& events) {
  const auto expected = expect_trials(sweep, history);
  if (!expected) return;
  fold_expected(sweep, *expected, history);
  events.emplace_back(*expected);
}

void fold_expected(Sweep& sweep, const TrialsExpected& e) {
  fold_expected(sweep, e, sweep.history);
}

void fold_expected(const Sweep& sweep, const TrialsExpected& e, History& history) {
  history.forget_expected();
  for (const ExpectedValue& one : e.trials) {
    const auto found = std::ranges::lower_bound(sweep.trials, one.trial);
    expect(found != sweep.trials.end() && *found == one.trial, "values are expected of its trials");
    const double merit = history.goal() == Goal::maximize ? one.value : 0.0 - one.value;
    history.note_expected(history_index(sweep, found - sweep.trials.begin()), merit);
  }
}

}  // namespace hone
