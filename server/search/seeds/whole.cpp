#include "server/search/seeds/whole.hpp"

#include <algorithm>

#include "server/search/statistics/aggregate.hpp"

namespace hone {
namespace {

void add_whole(const History& history, std::size_t trial, const Panel& panel, int phases,
               History& whole) {
  const std::size_t run = whole.add_run(whole.add_trial({}));
  for (int phase = 0; phase < phases; ++phase) {
    const auto values = panel.values(phase);
    if (values.empty()) break;
    const Score merit = Score::of(aggregate_of(history.replication().aggregate, values));
    whole.add_report(run, phase, merit);
    if (merit.is_diverged()) break;
  }
  const auto& runs = history.trials()[trial].runs;
  const auto any = [&](auto holds) {
    return std::any_of(runs.begin(), runs.end(),
                       [&](std::size_t i) { return holds(history.runs()[i]); });
  };
  const bool open =
      any([](const RunRecord& r) { return r.standing != RunRecord::Standing::ended; });
  if (!open)
    whole.end_run(run, any([](const RunRecord& r) { return r.completed; }),
                  any([](const RunRecord& r) { return r.counts; }),
                  any([](const RunRecord& r) { return r.evicted; }));
  else if (!any([](const RunRecord& r) { return r.standing == RunRecord::Standing::active; }))
    whole.set_standing(run, RunRecord::Standing::paused);
}

}  // namespace

History whole_trials(const History& history, std::optional<Ahead> ahead) {
  History whole(Goal::maximize, 0, history.objectives());
  for (std::size_t trial = 0; trial < history.foreign(); ++trial)
    whole.add_foreign({}, history.achievement(trial));
  for (std::size_t trial = history.foreign(); trial < history.trials().size(); ++trial) {
    const Panel panel(history, trial);
    const bool early = ahead && ahead->trial == trial;
    add_whole(history, trial, panel, early ? ahead->phases : panel.length(), whole);
  }
  return whole;
}

bool goes_beyond(const History& history, std::size_t trial, int length) {
  const auto& runs = history.trials()[trial].runs;
  return std::any_of(runs.begin(), runs.end(), [&](std::size_t index) {
    const RunRecord& run = history.runs()[index];
    const auto trained = static_cast<int>(run.merits.size());
    if (run.replicate >= history.replication().first) return false;
    return trained > length || run.completed ||
           (trained == length && run.standing == RunRecord::Standing::active);
  });
}

}  // namespace hone
