// The leaderboard (docs/leaderboard.md), with what is known of how certain it is.
#include <algorithm>
#include <cmath>

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
#include "server/api/sweeps/front.hpp"
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
  item["interval"] = nullptr;
  item["ranks"] = nullptr;
  return item;
}

// What is asked for: the first trials of the leaderboard, or the best value by cost.
struct View {
  std::int64_t limit = 0;
  bool by_cost = false;
  std::optional<double> within{};  // seconds
};

constexpr std::int64_t shown_by_default = 10;

Result<View> view_of(const Request& request) {
  View view;
  const auto* by = query_value(request, Query::by);
  if (by != nullptr && *by != "cost") return refuse(Code::invalid, "by must be cost", "/by");
  view.by_cost = by != nullptr;
  const auto limit =
      integer_query(request, Query::limit, view.by_cost ? limits::page_items_max : shown_by_default,
                    1, limits::page_items_max);
  if (!limit) return limit.error();
  view.limit = *limit;
  if (view.by_cost && query_value(request, Query::where) != nullptr)
    return refuse(Code::invalid, "where selects of the leaderboard: leave out by or where",
                  "/where");
  if (query_value(request, Query::within) == nullptr) return view;
  if (!view.by_cost) return refuse(Code::invalid, "within is a cost: it needs by=cost", "/within");
  const auto within = integer_query(request, Query::within, 0, 0, limits::within_seconds_max);
  if (!within) return within.error();
  view.within = static_cast<double>(*within);
  return view;
}

// How many trials have a cost, and how many have a value without one.
struct Priced {
  std::int64_t trials = 0, without = 0;
};

// The best value by cost; of more than the limit, the best. `past`: of a sweep whose values are
// rescaled.
std::vector<BestRow> front_rows(SQLite::Database& db, const SweepRow& sweep, const SweepSpec& spec,
                                const View& view, const Past* past, Priced& priced) {
  std::vector<PricedTrial> trials;
  for (const PricedRow& row : priced_trials(db, sweep.id)) {
    const double merit = past == nullptr
                             ? row.merit
                             : past->history.outcome(static_cast<std::size_t>(row.number)).merit;
    if (!std::isfinite(merit) || !is_reached(merit, spec)) continue;
    ++(row.seconds ? priced.trials : priced.without);
    if (row.seconds) trials.push_back({row.trial, *row.seconds, merit});
  }
  const auto front = front_by_cost(std::move(trials), view.within);
  std::vector<BestRow> rows;
  const auto most = static_cast<std::size_t>(view.limit);
  for (std::size_t i = front.size() - std::min(front.size(), most); i < front.size(); ++i) {
    auto row = best_of_trial(db, front[i].id, sweep.objective.goal);
    if (!row) continue;
    row->rank = static_cast<std::int64_t>(front.size() - i);
    rows.push_back(*std::move(row));
  }
  return rows;
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
                         const View& view, Priced& priced) {
  const auto past = read_past(db, sweep, spec);
  if (!past) return past.error();
  const Certainty certainty(*past, spec);
  std::vector<BestRow> rows;
  if (view.by_cost) {
    rows = front_rows(db, sweep, spec, view, rescaled(spec) ? &*past : nullptr, priced);
  } else if (rescaled(spec)) {
    rows = rescaled_rows(db, *past, certainty, view.limit, sweep.objective.goal);
  } else {
    auto ranked = best_trials(db, sweep.id, view.limit);
    if (!ranked) return ranked.error();
    rows = *std::move(ranked);
  }
  // The ranges are those of ranks by tuning.
  const bool ranked = !view.by_cost && !(sweep.best && sweep.best->confirmed);
  const auto ranges = ranked ? certainty.ranges(ranges_max) : std::vector<Interval>{};
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

Result<Json> single_items(SQLite::Database& db, const SweepRow& sweep, const SweepSpec& spec,
                          const View& view, Priced& priced) {
  const auto rows =
      view.by_cost
          ? Result<std::vector<BestRow>>(front_rows(db, sweep, spec, view, nullptr, priced))
          : best_trials(db, sweep.id, view.limit);
  if (!rows) return rows.error();
  Json items = Json::array();
  for (const BestRow& row : *rows) items.push_back(row_json(row));
  return items;
}

}  // namespace

// GET /v1/sweeps/{sweep}/best
ReadResult best(SQLite::Database& db, const Request& request) {
  const auto id = path_id<SweepId>(request);
  if (!id) return id.error();
  const auto view = view_of(request);
  if (!view) return view.error();
  if (const auto* where = query_value(request, Query::where))
    return best_where(db, *where, request.now, *id, view->limit);
  const Snapshot snapshot(db);
  const auto sweep = find_sweep(db, *id);
  if (!sweep) return sweep.error();
  const auto spec = spec_of(*sweep);
  if (!spec) return spec.error();
  const bool joint = replication_of(*spec).multi_seed() && spec->further_objectives.empty();
  Priced priced;
  auto items = joint ? joint_items(db, *sweep, *spec, *view, priced)
                     : single_items(db, *sweep, *spec, *view, priced);
  if (!items) return items.error();
  Json json;
  json["aggregate"] = joint ? Json(word(spec->replicates.aggregate)) : Json(nullptr);
  json["scale"] = joint ? scale_json(*spec) : Json(nullptr);
  json["trials"] = sweep->trials_proposed;
  if (view->by_cost) json["cost"] = {{"trials", priced.trials}, {"without", priced.without}};
  const auto confirmed = newest_confirmation(db, *id);
  json["confirmation"] = or_null(confirmed);
  json["confirms"] = or_null(sweep->confirms);
  json["remarks"] = render_outcome(db, *sweep, *spec)["remarks"];
  json["items"] = *std::move(items);
  json["next"] = nullptr;
  return json_response(json);
}

}  // namespace hone::api
