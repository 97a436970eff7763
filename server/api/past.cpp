#include "server/api/past.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "db/queries/queries.hpp"
#include "schemas/types/reach.hpp"
#include "schemas/types/spec.hpp"
#include "server/limits.hpp"
#include "server/search/terminators/terminator.hpp"
#include "server/sweep/state/outcome.hpp"
#include "server/sweep/state/shape.hpp"

namespace hone::api {
namespace {

void add(Past& past, const SweepSpec& spec, const RunCurveRow& row) {
  while (past.trials.size() <= static_cast<std::size_t>(row.trial_number)) {
    past.history.add_trial({});
    past.trials.emplace_back();
  }
  const auto trial = static_cast<std::size_t>(row.trial_number);
  past.trials[trial] = row.id.trial;
  const auto run = past.history.add_run(trial);
  std::vector<Score> scores;
  for (const CurvePoint& point : row.curve) {
    const double time = point.spent.value_or(static_cast<double>(point.step));
    scores.push_back(spec.objective.reach ? counted(spec.objective, point.value, time)
                                          : normalized(spec, row.id, point.value));
    const int left = spec.budget.phases - static_cast<int>(scores.size());
    for (const Score rest : settled(spec.objective, point.value, time, left))
      scores.push_back(rest);
  }
  past.history.add_curve(run, scores);
  if (is_end(row.state)) {
    const RunEnded end{row.id, row.state, row.reason, 0, {}, {}, row.failure};
    past.history.end_run(run, completes(end), informs(end), closes(end));
  } else if (row.state == RunState::paused) {
    past.history.set_state(run, RunRecord::State::paused);
  }
}

}  // namespace

Result<Past> read_past(SQLite::Database& db, const SweepRow& sweep, const SweepSpec& spec) {
  Past past{History(sweep.objective.goal, 0, 1, replication_of(spec)), {}};
  PageQuery query{limits::page_items_max, {}};
  for (std::int64_t runs = 0;;) {
    const auto page = list_curves(db, sweep.id, query, limits::page_points_max);
    if (!page) return page.error();
    for (const RunCurveRow& row : page->items) add(past, spec, row);
    runs += static_cast<std::int64_t>(page->items.size());
    if (!page->next) break;
    if (runs > limits::incumbent_runs_max)
      return refuse(Code::too_large, text(sweep.id) + " has more than " +
                                         std::to_string(limits::incumbent_runs_max) +
                                         " runs: ask for its best instead");
    query.after = *page->next;
  }
  for (const ExpectedRow& row : expected_trials(db, sweep.id))
    if (std::cmp_less(row.number, past.trials.size()))
      past.history.note_expected(static_cast<std::size_t>(row.number), row.merit);
  return past;
}

std::vector<std::vector<double>> final_merits(const Past& past, std::size_t trial,
                                              const SweepSpec& spec) {
  const auto instances = static_cast<std::size_t>(instances_of(spec));
  std::vector<std::vector<double>> rows(instances);
  for (const std::size_t index : past.history.trials()[trial].runs) {
    const RunRecord& run = past.history.runs()[index];
    const bool over = run.state == RunRecord::State::ended && run.counts && !run.evicted;
    if (!over) continue;
    const bool failed = !run.completed || run.merits.empty() || std::isinf(run.merits.back());
    const int phase = static_cast<int>(run.merits.size()) - 1;
    rows[static_cast<std::size_t>(run.replicate) % instances].push_back(
        failed           ? -std::numeric_limits<double>::infinity()
        : by_ranks(spec) ? past.history.rank_share(index, phase, run.merits.back())
                         : run.merits.back());
  }
  return rows;
}

bool is_reached(double merit, const SweepSpec& spec) {
  return !spec.objective.reach || -merit < some_not_reached_from;
}

std::vector<double> censored_as_failed(std::vector<double> merits, const SweepSpec& spec) {
  for (double& merit : merits)
    if (!is_reached(merit, spec)) merit = -std::numeric_limits<double>::infinity();
  return merits;
}

Json shown(double merit, const SweepSpec& spec) {
  if (!std::isfinite(merit)) return "diverged";
  if (!is_reached(merit, spec)) return "not_reached";
  return spec.objective.goal == Goal::maximize || rescaled(spec) ? merit : -merit;
}

}  // namespace hone::api
