// The importance of each parameter of a sweep.
#include "server/search/importance/importance.hpp"

#include <algorithm>

#include "db/queries/queries.hpp"
#include "schemas/codec/words.hpp"
#include "schemas/types/spec.hpp"
#include "server/api/arguments.hpp"
#include "server/api/find.hpp"
#include "server/api/progress.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"

namespace hone::api {
namespace {

std::vector<Objective> objectives_in(const SweepSpec& spec) {
  std::vector<Objective> objectives{spec.objective};
  objectives.insert(objectives.end(), spec.further_objectives.begin(),
                    spec.further_objectives.end());
  return objectives;
}

// The index of the requested objective; the first one by default.
Result<std::size_t> objective_asked(const Request& request,
                                    const std::vector<Objective>& objectives) {
  const auto* metric = query_value(request, Query::objective);
  if (metric == nullptr) return std::size_t{0};
  std::string known;
  for (std::size_t i = 0; i < objectives.size(); ++i) {
    if (objectives[i].metric == *metric) return i;
    known += (i == 0 ? "" : ", ") + objectives[i].metric;
  }
  return refuse(Code::invalid, "the sweep has no objective '" + *metric + "', only " + known,
                "/objective");
}

// The trials with a finite value, without those outside the space: an enqueued set may lack
// parameters.
Result<std::vector<Observation>> observations_of(const std::vector<OutcomeRow>& outcomes,
                                                 const SearchSpace& space, std::size_t objective) {
  std::vector<Observation> observations;
  for (const OutcomeRow& outcome : outcomes) {
    if (objective >= outcome.values.size() || outcome.values[objective].is_diverged()) continue;
    const auto document = parse_json(outcome.trial.params);
    if (!document) return refuse(Code::internal, "stored parameters are damaged");
    const auto params = decode_params(*document, "/params");
    if (!params) return params.error();
    if (auto point = space.point_of(*params))
      observations.push_back({*std::move(point), outcome.values[objective].value()});
  }
  return observations;
}

// The phase at whose end the trials are compared. Where a rule stops most of them, the completed
// ones are few, and good: the last phase that half of the trials have reported is more instructive.
// nullopt: the completed trials.
std::optional<int> phase_compared(SQLite::Database& db, const SweepRow& sweep,
                                  std::size_t completed) {
  const auto enough_of = [](std::int64_t trials) {
    return std::max<std::int64_t>(importance_trials_min, (trials + 1) / 2);
  };
  if (std::cmp_greater_equal(completed, enough_of(sweep.trials_proposed))) return std::nullopt;
  const auto counts = trials_by_phase(db, sweep.id);
  std::int64_t most = 0;
  for (const auto& [phase, trials] : counts) most = std::max(most, trials);
  if (std::cmp_greater_equal(completed, enough_of(most))) return std::nullopt;
  for (const auto& [phase, trials] : counts)
    if (trials >= enough_of(most)) return phase;
  return std::nullopt;
}

// Reads evenly spread trials until there are as many observations as the forest takes: few of
// 100,000 trials, unless most of them have no value.
Result<std::vector<Observation>> sampled(SQLite::Database& db, SweepId sweep,
                                         std::optional<int> phase,
                                         const std::vector<TrialId>& trials,
                                         const SearchSpace& space, std::size_t objective) {
  std::vector<Observation> observations;
  const std::size_t stride = trials.size() / importance_trials_max + 1;
  for (std::size_t first = 0; first < stride; ++first) {
    if (observations.size() >= importance_trials_max) break;
    std::vector<TrialId> some;
    for (std::size_t i = first; i < trials.size(); i += stride) some.push_back(trials[i]);
    const auto outcomes = list_outcomes(db, sweep, phase, &some);
    if (!outcomes) return outcomes.error();
    const auto found = observations_of(*outcomes, space, objective);
    if (!found) return found.error();
    observations.insert(observations.end(), found->begin(), found->end());
  }
  return observations;
}

// Leaves of the trials those that match the filter of the request, if it has one.
Status keep_matching(SQLite::Database& db, const Request& request, SweepId sweep,
                     std::vector<TrialId>& trials) {
  const auto* text = query_value(request, Query::where);
  if (text == nullptr) return Done{};
  auto matching = trials_where(db, *text, request.now, sweep);
  if (!matching) return matching.error();
  std::ranges::sort(*matching);
  std::erase_if(trials, [&](TrialId id) { return !std::ranges::binary_search(*matching, id); });
  return Done{};
}

Json items_of(const Importance& importance, const SearchSpace& space) {
  Json items = Json::array();
  for (const Effect& effect : importance.effects) {
    Json names = Json::array();
    for (const std::size_t dimension : effect.dimensions)
      names.push_back(space.dimensions()[dimension].name);
    items.push_back(
        {{"parameters", names}, {"share", effect.share}, {"deviation", effect.deviation}});
  }
  return items;
}

}  // namespace

// GET /v1/sweeps/{sweep}/importance. The phase is that of the whole sweep, so that shares with and
// without a filter can be compared.
ReadResult importance(SQLite::Database& db, const Request& request) {
  const auto id = path_id<SweepId>(request);
  if (!id) return id.error();
  const Snapshot snapshot(db);
  const auto sweep = find_sweep(db, *id);
  if (!sweep) return sweep.error();
  const auto spec = spec_of(*sweep);
  if (!spec) return spec.error();
  const auto objectives = objectives_in(*spec);
  const auto objective = objective_asked(request, objectives);
  if (!objective) return objective.error();
  const auto space = SearchSpace::make(spec->parameters, spec->constraints);
  if (!space) return refuse(Code::internal, "the stored space: " + space.error().detail);
  auto trials = outcome_trials(db, *id, std::nullopt);
  const auto completed = trials.size();
  const auto phase = phase_compared(db, *sweep, completed);
  if (phase) trials = outcome_trials(db, *id, phase);
  if (auto kept = keep_matching(db, request, *id, trials); !kept) return kept.error();
  const auto observations = sampled(db, *id, phase, trials, *space, *objective);
  if (!observations) return observations.error();
  const auto measured = measure_importance(*space, *observations, spec->seed);
  if (!measured) return measured.error();
  const Objective& judged = objectives[*objective];
  Json json;
  json["objective"] = {{"metric", judged.metric}, {"goal", word(judged.goal)}};
  json["completed"] = completed;
  json["phase"] = phase ? Json(*phase) : Json(nullptr);
  json["trials"] = measured->trials;
  json["trees"] = measured->trees;
  json["seed"] = spec->seed;
  json["explained"] = measured->explained;
  json["items"] = items_of(*measured, *space);
  json["next"] = nullptr;
  return json_response(json);
}

}  // namespace hone::api
