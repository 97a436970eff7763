#include "server/search/seeds/collapse_seeds.hpp"

#include <algorithm>

#include "schemas/types/aggregate.hpp"

namespace hone {
namespace {

void add_collapsed(const History& history, std::size_t trial, const SeedCurves& curves, int phases,
                   History& collapsed) {
  const std::size_t run = collapsed.add_run(collapsed.add_trial({}));
  for (int phase = 0; phase < phases; ++phase) {
    const auto values = curves.values(phase);
    if (values.empty()) break;
    const double merit = aggregate_of(history.replication().aggregate, values);
    const Score value = Score::of(collapsed.goal() == Goal::maximize ? merit : -merit);
    collapsed.add_report(run, phase, value);
    if (value.is_diverged()) break;
  }
  const auto& runs = history.trials()[trial].runs;
  const auto any = [&](auto holds) {
    return std::any_of(runs.begin(), runs.end(),
                       [&](std::size_t i) { return holds(history.runs()[i]); });
  };
  const bool open = any([](const RunRecord& r) { return r.state != RunRecord::State::ended; });
  if (!open)
    collapsed.end_run(run, any([](const RunRecord& r) { return r.completed; }),
                      any([](const RunRecord& r) { return r.counts; }),
                      any([](const RunRecord& r) { return r.evicted; }));
  else if (!any([](const RunRecord& r) { return r.state == RunRecord::State::active; }))
    collapsed.set_state(run, RunRecord::State::paused);
}

}  // namespace

History collapse_seeds(const History& history, std::optional<EarlyTrial> early) {
  const Goal goal = history.replication().in_units ? history.goal() : Goal::maximize;
  History collapsed(goal, 0, history.objectives());
  for (std::size_t trial = 0; trial < history.foreign(); ++trial)
    collapsed.add_foreign({}, history.outcome(trial));
  for (std::size_t trial = history.foreign(); trial < history.trials().size(); ++trial) {
    const SeedCurves curves(history, trial);
    const bool is_early = early && early->trial == trial;
    add_collapsed(history, trial, curves, is_early ? early->phases : curves.length(), collapsed);
  }
  return collapsed;
}

bool goes_beyond(const History& history, std::size_t trial, int length) {
  const auto& runs = history.trials()[trial].runs;
  return std::any_of(runs.begin(), runs.end(), [&](std::size_t index) {
    const RunRecord& run = history.runs()[index];
    const auto trained = static_cast<int>(run.merits.size());
    if (run.replicate >= history.replication().first) return false;
    return trained > length || run.completed ||
           (trained == length && run.state == RunRecord::State::active);
  });
}

}  // namespace hone
