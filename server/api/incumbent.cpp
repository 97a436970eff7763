// The parameter set that a sweep's method would name best now, and how long its runs train. The
// engine owns the Book, so the history is read off the tables again.
#include "db/queries.hpp"
#include "server/api/arguments.hpp"
#include "server/api/progress.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"
#include "server/engine/limits.hpp"
#include "server/search/terminators/work.hpp"

namespace hone::api {
namespace {

struct Past {
  History history;
  std::vector<TrialId> trials;  // by number
};

void add(Past& past, const RunCurveRow& row) {
  while (past.trials.size() <= static_cast<std::size_t>(row.trial_number)) {
    past.history.add_trial({});
    past.trials.emplace_back();
  }
  const auto trial = static_cast<std::size_t>(row.trial_number);
  past.trials[trial] = row.id.trial;
  const auto run = past.history.add_run(trial);
  for (const CurvePoint& point : row.curve) past.history.add_report(run, point.phase, point.value);
  if (is_end(row.state))
    past.history.end_run(run, row.state == RunState::completed, row.state != RunState::canceled);
  else if (row.state == RunState::paused)
    past.history.set_standing(run, RunRecord::Standing::paused);
}

Result<Past> read_past(SQLite::Database& db, const SweepRow& sweep) {
  Past past{History(sweep.objective.goal, 0), {}};
  PageQuery query{limits::page_items_max, {}};
  for (std::int64_t runs = 0;;) {
    const auto page = list_curves(db, sweep.id, query, limits::page_points_max);
    if (!page) return page.error();
    for (const RunCurveRow& row : page->items) add(past, row);
    runs += static_cast<std::int64_t>(page->items.size());
    if (!page->next) return past;
    if (runs > limits::incumbent_runs_max)
      return refuse(Code::too_large, text(sweep.id) + " has more than " +
                                         std::to_string(limits::incumbent_runs_max) +
                                         " runs: ask for its best instead");
    query.after = *page->next;
  }
}

}  // namespace

// GET /v1/sweeps/{sweep}/incumbent
ReadResult incumbent(SQLite::Database& db, const Request& request) {
  const auto id = path_id<SweepId>(request);
  if (!id) return id.error();
  const Snapshot snapshot(db);
  const auto sweep = find_sweep(db, *id);
  if (!sweep) return sweep.error();
  const auto terminator = terminator_of(*sweep);
  if (!terminator) return terminator.error();
  const auto past = read_past(db, *sweep);
  if (!past) return past.error();
  const auto named = (*terminator)->incumbent(past->history);
  Json json;
  json["sweep"] = text(sweep->id);
  json["trial"] = nullptr;
  const auto trained = measured_phases(past->history, sweep->phases_per_run);
  json["phases_per_run"] = trained ? Json(*trained) : Json(nullptr);
  if (named) {
    const auto trial = find_trial(db, past->trials.at(*named));
    if (!trial) return trial.error();
    json["trial"] = render(*trial);
  }
  return json_response(json);
}

}  // namespace hone::api
