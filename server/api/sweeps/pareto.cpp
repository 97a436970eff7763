// The Pareto front of a sweep with several objectives.
#include <algorithm>

#include "db/queries/queries.hpp"
#include "schemas/codec/words.hpp"
#include "server/api/arguments.hpp"
#include "server/api/progress.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"
#include "server/limits.hpp"

namespace hone::api {
namespace {

// A completed trial with its values as merits: larger is better.
struct RankedTrial {
  const OutcomeRow* row = nullptr;
  std::vector<double> merits;
};

// Whether `a` is at least as good in every objective, and better in one.
bool dominates(const std::vector<double>& a, const std::vector<double>& b) {
  bool better = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] < b[i]) return false;
    better = better || a[i] > b[i];
  }
  return better;
}

// The trials with a finite value for every objective, in descending lexicographic order, so that no
// trial is dominated by a later one. Equal trials keep their order by number.
std::vector<RankedTrial> ranked(const std::vector<OutcomeRow>& rows,
                                const std::vector<Objective>& objectives) {
  std::vector<RankedTrial> candidates;
  for (const OutcomeRow& row : rows) {
    RankedTrial one{&row, {}};
    for (std::size_t i = 0; i < std::min(objectives.size(), row.values.size()); ++i)
      if (!row.values[i].is_diverged())
        one.merits.push_back(row.values[i].merit(objectives[i].goal));
    if (one.merits.size() == objectives.size()) candidates.push_back(std::move(one));
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const RankedTrial& a, const RankedTrial& b) { return a.merits > b.merits; });
  return candidates;
}

// In ranked order.
std::vector<const OutcomeRow*> front_of(const std::vector<RankedTrial>& candidates) {
  std::vector<const RankedTrial*> front;
  for (const RankedTrial& one : candidates)
    if (std::none_of(front.begin(), front.end(), [&](const RankedTrial* other) {
          return dominates(other->merits, one.merits);
        }))
      front.push_back(&one);
  std::vector<const OutcomeRow*> rows;
  for (const RankedTrial* one : front) rows.push_back(one->row);
  return rows;
}

Json item_of(const OutcomeRow& row, const std::vector<Objective>& objectives) {
  Json json = render(row.trial);
  json["values"] = Json::object();
  for (std::size_t i = 0; i < objectives.size(); ++i)
    json["values"][objectives[i].metric] = encode(row.values[i]);
  json["model"] = or_null(row.model);
  return json;
}

Json goals_of(const std::vector<Objective>& objectives) {
  Json items = Json::array();
  for (const Objective& one : objectives)
    items.push_back({{"metric", one.metric}, {"goal", word(one.goal)}});
  return items;
}

}  // namespace

// GET /v1/sweeps/{sweep}/pareto
ReadResult pareto(SQLite::Database& db, const Request& request) {
  const auto id = path_id<SweepId>(request);
  if (!id) return id.error();
  const auto limit =
      integer_query(request, Query::limit, limits::page_items_max, 1, limits::page_items_max);
  if (!limit) return limit.error();
  const Snapshot snapshot(db);
  const auto sweep = find_sweep(db, *id);
  if (!sweep) return sweep.error();
  const auto objectives = objectives_of(*sweep);
  if (!objectives) return objectives.error();
  if (objectives->size() < 2)
    return refuse(Code::invalid, text(*id) + " has one objective, " + objectives->front().metric +
                                     ": its trials are ranked, not traded off; ask for its best");
  const auto outcomes = list_outcomes(db, *id);
  if (!outcomes) return outcomes.error();
  const auto front = front_of(ranked(*outcomes, *objectives));
  Json json;
  json["objectives"] = goals_of(*objectives);
  json["completed"] = outcomes->size();
  json["front"] = front.size();
  json["items"] = Json::array();
  for (const OutcomeRow* row : front)
    if (json["items"].size() < static_cast<std::size_t>(*limit))
      json["items"].push_back(item_of(*row, *objectives));
  json["next"] = nullptr;
  return json_response(json);
}

}  // namespace hone::api
