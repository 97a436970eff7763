// The incumbent: the parameter set that the method considers best now, and the length of its runs.
#include <optional>

#include "db/queries/queries.hpp"
#include "schemas/types/spec.hpp"
#include "server/api/arguments.hpp"
#include "server/api/past.hpp"
#include "server/api/progress.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"
#include "server/search/terminators/run_budget.hpp"

namespace hone::api {

// GET /v1/sweeps/{sweep}/incumbent
ReadResult incumbent(SQLite::Database& db, const Request& request) {
  const auto id = path_id<SweepId>(request);
  if (!id) return id.error();
  const Snapshot snapshot(db);
  const auto sweep = find_sweep(db, *id);
  if (!sweep) return sweep.error();
  const auto terminator = terminator_of(*sweep);
  if (!terminator) return terminator.error();
  const auto spec = spec_of(*sweep);
  if (!spec) return spec.error();
  const auto past = read_past(db, *sweep, *spec);
  if (!past) return past.error();
  std::optional<TrialId> named;
  if (const auto place = (*terminator)->incumbent(past->history)) named = past->trials.at(*place);
  // Where single runs are so noisy that a model ranks trials, the method's names are the luckiest.
  if (sweep->noise && sweep->best) named = sweep->best->trial;
  Json json;
  json["sweep"] = text(sweep->id);
  json["trial"] = nullptr;
  const auto trained = measured_phases(past->history, sweep->phases_per_run);
  json["phases_per_run"] = trained ? Json(*trained) : Json(nullptr);
  if (named) {
    const auto trial = find_trial(db, *named);
    if (!trial) return trial.error();
    json["trial"] = render(*trial);
  }
  return json_response(json);
}

}  // namespace hone::api
