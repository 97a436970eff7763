// The best trials, and how certain their ranks are. A trial of several runs ranks by their
// aggregate. The best of single runs is mostly the luckiest, so the table marks them as single.
#include <algorithm>
#include <cmath>

#include "db/queries/queries.hpp"
#include "db/queries/replicates.hpp"
#include "schemas/codec/words.hpp"
#include "server/api/arguments.hpp"
#include "server/api/find.hpp"
#include "server/api/past.hpp"
#include "server/api/progress.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"
#include "server/limits.hpp"
#include "server/search/history/seed_curves.hpp"
#include "server/search/seeds/leaders.hpp"
#include "server/search/statistics/aggregate.hpp"
#include "server/search/statistics/bootstrap.hpp"

namespace hone::api {
namespace {

constexpr double share = 0.95;

struct Ranked {
  std::size_t index = 0;       // of the trial in the history
  std::vector<double> values;  // merits of its runs in the phase it has reached
};

// Ranks by expected value, so that a single lucky run does not precede a proven set.
std::vector<Ranked> ranking(const History& history, const Terminator& terminator,
                            std::size_t limit) {
  std::vector<Ranked> ranked;
  for (const std::size_t trial : find_leaders(history, terminator, limit)) {
    const SeedCurves panel(history, trial);
    ranked.push_back({trial, panel.values(history.outcome(trial).phase)});
  }
  return ranked;
}

// The interval of each listed trial's rank in 95 of 100 resamples of their runs.
std::vector<Interval> rank_ranges(const std::vector<Ranked>& ranked, Aggregate aggregate,
                                  std::uint64_t seed) {
  std::vector<std::vector<double>> places(ranked.size());
  for (int i = 0; i < resamples; ++i) {
    std::vector<double> merits;
    for (std::size_t k = 0; k < ranked.size(); ++k) {
      const auto drawn =
          resampled({ranked[k].values}, seed, static_cast<std::uint64_t>(i) * ranked.size() + k);
      merits.push_back(aggregate_of(aggregate, drawn[0]));
    }
    for (std::size_t k = 0; k < ranked.size(); ++k)
      places[k].push_back(
          1 + static_cast<double>(std::count_if(merits.begin(), merits.end(),
                                                [&](double other) { return other > merits[k]; })));
  }
  std::vector<Interval> ranges;
  for (auto& own : places) {
    std::sort(own.begin(), own.end());
    ranges.push_back({std::floor(quantile_of(own, (1 - share) / 2)),
                      std::ceil(quantile_of(own, (1 + share) / 2))});
  }
  return ranges;
}

// In the sign of the objective; values between references keep their scale.
Json shown(double merit, const SweepSpec& spec) {
  if (!std::isfinite(merit)) return "diverged";
  return spec.objective.goal == Goal::maximize || rescaled(spec) ? merit : -merit;
}

// The scale of the values, if it is not that of the objective.
Json scale_json(const SweepSpec& spec) {
  if (by_ranks(spec)) return "ranks";
  return rescaled(spec) ? Json("references") : Json(nullptr);
}

Json interval_json(const Ranked& one, const SweepSpec& spec) {
  if (one.values.size() < 2) return nullptr;
  const auto statistic = [&](std::span<const double> values) {
    return aggregate_of(spec.replicates.aggregate, values);
  };
  const Interval found = bootstrap_interval({one.values}, statistic, {spec.seed, resamples, share});
  Json low = shown(found.low, spec), high = shown(found.high, spec);
  if (low.is_number() && high.is_number() && low > high) std::swap(low, high);
  return Json::array({low, high});
}

Result<Json> joint_items(SQLite::Database& db, const SweepRow& sweep, const SweepSpec& spec,
                         std::int64_t limit) {
  const auto past = read_past(db, sweep, spec);
  if (!past) return past.error();
  const auto terminator = terminator_of(sweep);
  if (!terminator) return terminator.error();
  const auto ranked = ranking(past->history, **terminator, static_cast<std::size_t>(limit));
  const auto ranges = rank_ranges(ranked, spec.replicates.aggregate, spec.seed);
  const auto expected = expectations_of(past->history);
  const bool single = std::any_of(ranked.begin(), ranked.end(),
                                  [](const Ranked& one) { return one.values.size() < 2; });
  Json items = Json::array();
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    auto row = best_of_trial(db, past->trials[ranked[i].index], sweep.objective.goal);
    if (!row) continue;
    row->rank = static_cast<std::int64_t>(items.size()) + 1;
    Json item = render(*row);
    item["value"] = shown(past->history.outcome(ranked[i].index).merit, spec);
    const auto& own = expected[ranked[i].index];
    item["expected"] = own ? shown(*own, spec) : Json(nullptr);
    item["seeds"] = ranked[i].values.size();
    item["interval"] = interval_json(ranked[i], spec);
    // A single run says nothing about its repetition.
    item["ranks"] = single ? Json(nullptr) : Json::array({ranges[i].low, ranges[i].high});
    items.push_back(std::move(item));
  }
  return items;
}

Result<Json> single_items(SQLite::Database& db, SweepId sweep, std::int64_t limit) {
  const auto rows = best_trials(db, sweep, limit);
  if (!rows) return rows.error();
  Json items = Json::array();
  for (const BestRow& row : *rows) {
    Json item = render(row);
    item["expected"] = nullptr;
    item["seeds"] = row.trial.runs;
    item["interval"] = nullptr;
    item["ranks"] = nullptr;
    items.push_back(std::move(item));
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
  auto items = joint ? joint_items(db, *sweep, *spec, *limit) : single_items(db, *id, *limit);
  if (!items) return items.error();
  Json json;
  json["aggregate"] = joint ? Json(word(spec->replicates.aggregate)) : Json(nullptr);
  json["scale"] = joint ? scale_json(*spec) : Json(nullptr);
  json["trials"] = sweep->trials_proposed;
  const auto confirmed = newest_confirmation(db, *id);
  json["confirmation"] = id_or_null(confirmed);
  json["confirms"] = id_or_null(sweep->confirms);
  json["items"] = *std::move(items);
  json["next"] = nullptr;
  return json_response(json);
}

}  // namespace hone::api
