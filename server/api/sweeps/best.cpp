// The leaderboard (docs/leaderboard.md), with what is known of how certain it is.
#include <algorithm>

#include "db/queries/queries.hpp"
#include "db/queries/replicates.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/words.hpp"
#include "schemas/types/spec.hpp"
#include "server/api/arguments.hpp"
#include "server/api/find.hpp"
#include "server/api/outcome.hpp"
#include "server/api/past.hpp"
#include "server/api/progress.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"
#include "server/api/sweeps/certainty.hpp"
#include "server/limits.hpp"
#include "server/sweep/state/shape.hpp"

namespace hone::api {
namespace {

// The scale of the values, if it is not that of the objective.
Json scale_json(const SweepSpec& spec) {
  if (by_ranks(spec)) return "ranks";
  return rescaled(spec) ? Json("references") : Json(nullptr);
}

constexpr std::size_t ranges_max = 100;  // further rows have no range of ranks

// Adds the members that the query tables do not have.
void add_certainty(const Past& past, const Certainty& certainty, const SweepSpec& spec,
                   std::size_t trial, Json& item) {
  if (!certainty.place_of(trial)) return;
  if (rescaled(spec)) item["value"] = shown(past.history.outcome(trial).merit, spec);
  item["seeds"] = certainty.values_of(trial).size();
  if (const auto interval = certainty.interval_of(trial))
    item["interval"] = interval_json(*interval, spec);
  if (const auto expected = certainty.expected_of(trial)) item["expected"] = shown(*expected, spec);
}

Json row_json(const BestRow& row) {
  Json item = render(row);
  item["expected"] = nullptr;
  item["interval"] = nullptr;
  item["ranks"] = nullptr;
  return item;
}

// Rescaled values are not those of the query tables, nor is their order.
std::vector<BestRow> rescaled_rows(SQLite::Database& db, const Past& past,
                                   const Certainty& certainty, std::int64_t limit, Goal goal) {
  std::vector<BestRow> rows;
  for (const std::size_t trial : certainty.order()) {
    if (std::cmp_equal(rows.size(), limit)) break;
    auto row = best_of_trial(db, past.trials[trial], goal);
    if (!row) continue;
    row->rank = static_cast<std::int64_t>(rows.size()) + 1;
    rows.push_back(*std::move(row));
  }
  return rows;
}

Result<Json> joint_items(SQLite::Database& db, const SweepRow& sweep, const SweepSpec& spec,
                         std::int64_t limit) {
  const auto past = read_past(db, sweep, spec);
  if (!past) return past.error();
  const Certainty certainty(*past, spec);
  std::vector<BestRow> rows;
  if (rescaled(spec)) {
    rows = rescaled_rows(db, *past, certainty, limit, sweep.objective.goal);
  } else {
    auto ranked = best_trials(db, sweep.id, limit);
    if (!ranked) return ranked.error();
    rows = *std::move(ranked);
  }
  // The ranges are those of ranks by tuning.
  const bool confirmed = sweep.best && sweep.best->confirmed;
  const auto ranges = confirmed ? std::vector<Interval>{} : certainty.ranges(ranges_max);
  Json items = Json::array();
  for (const BestRow& row : rows) {
    const auto trial = static_cast<std::size_t>(row.trial.number);
    items.push_back(row_json(row));
    add_certainty(*past, certainty, spec, trial, items.back());
    if (const auto place = certainty.place_of(trial); place && *place < ranges.size())
      items.back()["ranks"] = Json::array({ranges[*place].low, ranges[*place].high});
  }
  return items;
}

// The further objectives of a trial: one that diverged in them ranks by its first one.
Json further_json(SQLite::Database& db, TrialId trial, const SweepSpec& spec) {
  const auto values = last_values(db, trial);
  Json further = Json::object();
  for (std::size_t i = 0; i < spec.further_objectives.size() && i + 1 < values.size(); ++i)
    further[spec.further_objectives[i].metric] = encode(values[i + 1]);
  return further;
}

Result<Json> single_items(SQLite::Database& db, SweepId sweep, const SweepSpec& spec,
                          std::int64_t limit) {
  const auto rows = best_trials(db, sweep, limit);
  if (!rows) return rows.error();
  Json items = Json::array();
  for (const BestRow& row : *rows) {
    items.push_back(row_json(row));
    if (!spec.further_objectives.empty())
      items.back()["further"] = further_json(db, row.trial.id, spec);
  }
  return items;
}

}  // namespace

// GET /v1/sweeps/{sweep}/best
ReadResult best(SQLite::Database& db, const Request& request) {
  constexpr std::int64_t shown_by_default = 10;
  const auto id = path_id<SweepId>(request);
  if (!id) return id.error();
  const auto limit =
      integer_query(request, Query::limit, shown_by_default, 1, limits::page_items_max);
  if (!limit) return limit.error();
  if (const auto* where = query_value(request, Query::where))
    return best_where(db, *where, request.now, *id, *limit);
  const Snapshot snapshot(db);
  const auto sweep = find_sweep(db, *id);
  if (!sweep) return sweep.error();
  const auto spec = spec_of(*sweep);
  if (!spec) return spec.error();
  const bool joint = replication_of(*spec).multi_seed() && spec->further_objectives.empty();
  auto items =
      joint ? joint_items(db, *sweep, *spec, *limit) : single_items(db, *id, *spec, *limit);
  if (!items) return items.error();
  Json json;
  json["aggregate"] = joint ? Json(word(spec->replicates.aggregate)) : Json(nullptr);
  json["scale"] = joint ? scale_json(*spec) : Json(nullptr);
  json["trials"] = sweep->trials_proposed;
  const auto confirmed = newest_confirmation(db, *id);
  json["confirmation"] = or_null(confirmed);
  json["confirms"] = or_null(sweep->confirms);
  json["remarks"] = render_outcome(db, *sweep, *spec)["remarks"];
  json["items"] = *std::move(items);
  json["next"] = nullptr;
  return json_response(json);
}

}  // namespace hone::api
