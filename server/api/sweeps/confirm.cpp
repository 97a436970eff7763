// Confirmations: the request, and the result as Agarwal et al. (2021) recommend: interquartile
// means with intervals, probability of improvement, a performance profile; what an interquartile
// mean hides; and how much better the value in tuning was.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "db/queries/past.hpp"
#include "db/queries/queries.hpp"
#include "db/queries/replicates.hpp"
#include "schemas/codec/words.hpp"
#include "schemas/types/aggregate.hpp"
#include "schemas/types/spec.hpp"
#include "server/api/arguments.hpp"
#include "server/api/past.hpp"
#include "server/api/progress.hpp"
#include "server/api/render.hpp"
#include "server/api/replicates.hpp"
#include "server/api/sweeps/certainty.hpp"
#include "server/search/statistics/bootstrap.hpp"
#include "server/search/statistics/tests.hpp"

namespace hone::api {

namespace {

constexpr int thresholds = 11;

struct Candidate {
  TrialId trial;                // of the newest confirmation that trained it
  std::string params;           // JSON text
  std::string schedule;         // JSON text: what follows them
  std::optional<TrialId> of{};  // the tuned trial
  Strata merits;                // over the instances: larger is better
  std::vector<double> flat;     // all of them
  double iqm = 0;
};

struct Confirmed {
  SweepRow tuned;                     // the sweep that was tuned
  SweepRow sweep;                     // its newest confirmation
  SweepSpec spec;                     // of the newest confirmation
  std::vector<SweepId> counted;       // the confirmations whose runs count
  std::vector<Candidate> candidates;  // best first; those without a result last
  PooledSpread pooled;                // of the candidates
  std::optional<double> bar;  // merit; nine tenths of the way from the worst run to the best
};

double sign(const SweepSpec& spec) {
  return spec.objective.goal == Goal::maximize || rescaled(spec) ? 1 : -1;
}

Json worth_json(const Candidate& one, double bar, const SweepSpec& spec) {
  const auto reached =
      std::count_if(one.flat.begin(), one.flat.end(), [&](double merit) { return merit >= bar; });
  Json json;
  json["value"] = shown(bar, spec);
  json["share"] = static_cast<double>(reached) / static_cast<double>(one.flat.size());
  return json;
}

// The merits of all runs that have a value.
std::vector<double> all_values(const std::vector<Candidate>& candidates, const SweepSpec& spec) {
  std::vector<double> values;
  for (const Candidate& one : candidates)
    std::ranges::copy_if(one.flat, std::back_inserter(values), [&](double merit) {
      return std::isfinite(merit) && is_reached(merit, spec);
    });
  return values;
}

std::optional<double> bar_of(const std::vector<Candidate>& candidates, const SweepSpec& spec) {
  constexpr double share = 0.9;
  const auto finite = all_values(candidates, spec);
  if (finite.empty()) return std::nullopt;
  const auto [low, high] = std::minmax_element(finite.begin(), finite.end());
  return *low + share * (*high - *low);
}

// The confirmations whose runs count: those that have ended, since they share no seed; the newest
// if none has ended, or if values are ranks within a confirmation.
std::vector<SweepId> counted_of(SQLite::Database& db, const Confirmed& confirmed) {
  auto ended = ended_confirmations(db, confirmed.tuned.id);
  if (ended.empty() || by_ranks(confirmed.spec)) return {confirmed.sweep.id};
  return ended;
}

// Adds the runs of a confirmation to the candidates with the same parameters.
Status add_runs(SQLite::Database& db, SweepId id, Confirmed& confirmed) {
  const auto sweep = find_sweep(db, id);
  if (!sweep) return sweep.error();
  const auto spec = spec_of(*sweep);
  if (!spec) return spec.error();
  const auto past = read_past(db, *sweep, *spec);
  if (!past) return past.error();
  for (std::size_t i = 0; i < past->trials.size(); ++i) {
    const auto row = find_trial(db, past->trials[i]);
    if (!row) return row.error();
    auto& all = confirmed.candidates;
    auto known = std::ranges::find_if(all, [&](const Candidate& one) {
      return one.params == row->params && one.schedule == row->schedule;
    });
    if (known == all.end())
      known = all.insert(all.end(), {row->id, row->params, row->schedule, {}, {}, {}, 0});
    known->trial = row->id;
    // Several trials may have begun with the same parameters.
    known->of = row->from ? row->from : trial_of_params(db, confirmed.tuned.id, row->params);
    const Strata merits = final_merits(*past, i, *spec);
    known->merits.resize(std::max(known->merits.size(), merits.size()));
    for (std::size_t k = 0; k < merits.size(); ++k)
      known->merits[k].insert(known->merits[k].end(), merits[k].begin(), merits[k].end());
  }
  return Done{};
}

// The merits between which a difference is a number.
Strata comparable(const Candidate& one, const SweepSpec& spec) {
  Strata strata;
  for (const auto& row : one.merits) strata.push_back(censored_as_failed(row, spec));
  return strata;
}

void rank_candidates(Confirmed& confirmed) {
  for (Candidate& one : confirmed.candidates) {
    one.flat = flattened(one.merits);
    if (!one.flat.empty()) one.iqm = iqm_of(one.flat);
    confirmed.pooled.add(comparable(one, confirmed.spec));
  }
  confirmed.bar = bar_of(confirmed.candidates, confirmed.spec);
  const auto number = [](const Candidate& one) { return one.of ? one.of->value : 0; };
  std::stable_sort(confirmed.candidates.begin(), confirmed.candidates.end(),
                   [&](const Candidate& a, const Candidate& b) {
                     if (a.flat.empty() != b.flat.empty()) return b.flat.empty();
                     if (a.flat.empty() || a.iqm == b.iqm) return number(a) < number(b);
                     return a.iqm > b.iqm;
                   });
}

Result<Confirmed> read_confirmed(SQLite::Database& db, SweepId id) {
  auto named = find_sweep(db, id);
  if (!named) return named.error();
  auto tuned = named->confirms ? find_sweep(db, *named->confirms) : named;
  if (!tuned) return tuned.error();
  const auto newest = newest_confirmation(db, tuned->id);
  if (!newest)
    return refuse(Code::not_found, text(id) + " has no confirmation yet: hone confirm " + text(id) +
                                       " --start trains its leaders on new seeds");
  auto sweep = find_sweep(db, *newest);
  if (!sweep) return sweep.error();
  const auto spec = spec_of(*sweep);
  if (!spec) return spec.error();
  Confirmed confirmed{*std::move(tuned), *std::move(sweep), *spec, {}, {}, {}, {}};
  confirmed.counted = counted_of(db, confirmed);
  for (const SweepId counted : confirmed.counted)
    if (auto added = add_runs(db, counted, confirmed); !added) return added.error();
  rank_candidates(confirmed);
  return confirmed;
}

bool complete(const Strata& strata) {
  return std::none_of(strata.begin(), strata.end(), [](const auto& row) { return row.empty(); });
}

// What the tuning knew of its trials.
struct Tuned {
  const Past& past;
  const SweepSpec& spec;
  Certainty certainty;
};

// Adds what the tuning knew of the parameter set.
void add_tuned(SQLite::Database& db, const Tuned& tuned, std::optional<TrialId> trial, Json& item) {
  item["tuned_rank"] = item["tuned_value"] = item["tuned_expected"] = nullptr;
  if (!trial) return;
  const auto& trials = tuned.past.trials;
  const auto at =
      static_cast<std::size_t>(std::find(trials.begin(), trials.end(), *trial) - trials.begin());
  if (at == trials.size()) return;
  if (const auto place = tuned.certainty.place_of(at)) item["tuned_rank"] = *place + 1;
  const auto row = find_trial(db, *trial);
  if (rescaled(tuned.spec))
    item["tuned_value"] = shown(tuned.past.history.outcome(at).merit, tuned.spec);
  else if (row)
    item["tuned_value"] = or_null(row->value);
  if (row) item["tuned_expected"] = or_null(row->expected);
  const auto expected = tuned.certainty.expected_of(at);
  if (tuned.past.history.replication().multi_seed() && expected)
    item["tuned_expected"] = shown(*expected, tuned.spec);
}

// Compares with the winner: how often it would be better, and whether it is worse seed by seed.
void compare(const Candidate& one, const Candidate& winner, const SweepSpec& spec, Json& item) {
  item["improvement"] = nullptr;
  item["p_worse"] = nullptr;
  if (one.trial == winner.trial || !complete(one.merits) || !complete(winner.merits)) return;
  const Interval range =
      improvement_interval(winner.merits, one.merits, {spec.seed, resamples, 0.95});
  item["improvement"] = {{"probability", probability_of_improvement(winner.merits, one.merits)},
                         {"interval", Json::array({range.low, range.high})}};
  if (one.flat.size() == winner.flat.size())
    item["p_worse"] = signed_rank_p_worse(one.flat, winner.flat);
}

Json item_of(SQLite::Database& db, const Confirmed& confirmed, const Tuned& tuned,
             const Candidate& one) {
  const SweepSpec& spec = confirmed.spec;
  Json item;
  item["trial"] = text(one.trial);
  item["of"] = or_null(one.of);
  item["params"] = stored_json(one.params);
  item["schedule"] = stored_json(one.schedule);
  add_tuned(db, tuned, one.of, item);
  item["model"] = nullptr;
  if (const auto best = best_of_trial(db, one.trial, spec.objective.goal))
    item["model"] = or_null(best->model);
  item["seeds"] = one.flat.size();
  item["failed"] = std::count_if(one.flat.begin(), one.flat.end(),
                                 [](double merit) { return !std::isfinite(merit); });
  if (one.flat.empty()) return item;
  item["iqm"] = shown(one.iqm, spec);
  item["mean"] = shown(mean_of(one.flat), spec);
  item["min"] = shown(*std::min_element(one.flat.begin(), one.flat.end()), spec);
  item["max"] = shown(*std::max_element(one.flat.begin(), one.flat.end()), spec);
  item["bar"] = confirmed.bar ? worth_json(one, *confirmed.bar, spec) : Json(nullptr);
  const auto interval = complete(one.merits) ? interval_of_seeds(comparable(one, spec), spec,
                                                                 Aggregate::iqm, confirmed.pooled)
                                             : std::nullopt;
  item["interval"] = interval ? interval_json(*interval, spec) : Json(nullptr);
  // Ranks of two sweeps are not comparable.
  if (item["tuned_value"].is_number() && item["iqm"].is_number() && !by_ranks(spec))
    item["optimism"] = (item["tuned_value"].get<double>() - item["iqm"].get<double>()) * sign(spec);
  compare(one, confirmed.candidates.front(), spec, item);
  if (confirmed.counted.size() > 1) item["p_worse"] = nullptr;  // the seeds need not be paired
  return item;
}

// The share of runs that reach a value, for values from the worst to the best of all runs.
Json profile_of(const std::vector<Candidate>& candidates, const SweepSpec& spec) {
  const auto finite = all_values(candidates, spec);
  Json profile = Json::array();
  if (finite.empty()) return profile;
  const auto [low, high] = std::minmax_element(finite.begin(), finite.end());
  for (int i = 0; i < thresholds; ++i) {
    const double at = i + 1 == thresholds ? *high : *low + (*high - *low) * i / (thresholds - 1);
    Json shares = Json::array();
    for (const Candidate& one : candidates)
      shares.push_back(complete(one.merits) ? Json(profile_at(one.merits, at)) : Json(nullptr));
    profile.push_back({{"value", shown(at, spec)}, {"shares", std::move(shares)}});
  }
  return profile;
}

void add_chances(const std::vector<Candidate>& candidates, const SweepSpec& spec, Json& items) {
  std::vector<Strata> sets;
  for (const Candidate& one : candidates) {
    if (!complete(one.merits)) return;
    sets.push_back(one.merits);
  }
  const auto chances = chances_to_be_best(sets, iqm_of, {spec.seed, resamples, 0.95});
  for (std::size_t i = 0; i < chances.size(); ++i) items[i]["chance_best"] = chances[i];
}

// Without applied seeds, the runs are plain repetitions.
const char* seed_word(const SeedCounts& counts) {
  if (counts.said == 0) return "unknown";
  if (counts.applied == counts.said && counts.said == counts.runs) return "yes";
  return counts.applied == 0 ? "no" : "partly";
}

}  // namespace

// GET /v1/sweeps/{sweep}/confirm
ReadResult confirmation(SQLite::Database& db, const Request& request) {
  const auto id = path_id<SweepId>(request);
  if (!id) return id.error();
  const Snapshot snapshot(db);
  const auto confirmed = read_confirmed(db, *id);
  if (!confirmed) return confirmed.error();
  const auto spec = spec_of(confirmed->tuned);
  if (!spec) return spec.error();
  const auto past = read_past(db, confirmed->tuned, *spec);
  if (!past) return past.error();
  Json json;
  json["sweep"] = text(confirmed->tuned.id);
  json["confirmation"] = text(confirmed->sweep.id);
  json["state"] = word(confirmed->sweep.state);
  json["objective"]["metric"] = confirmed->spec.objective.metric;
  json["objective"]["goal"] = word(confirmed->spec.objective.goal);
  json["confirmations"] = Json::array();
  for (const SweepId counted : confirmed->counted) json["confirmations"].push_back(text(counted));
  const std::string ledger = own_link(db, confirmed->counted);
  json["ledger"] = ledger.empty() ? Json(nullptr) : Json(ledger);
  std::size_t runs = 0;
  for (const Candidate& one : confirmed->candidates) runs = std::max(runs, one.flat.size());
  json["seeds"] = runs / static_cast<std::size_t>(instances_of(confirmed->spec));
  json["seed_applied"] = seed_word(count_seeds(db, confirmed->sweep.id));
  Json items = Json::array();
  const Tuned tuned{*past, *spec, Certainty(*past, *spec)};
  for (const Candidate& one : confirmed->candidates) {
    items.push_back(item_of(db, *confirmed, tuned, one));
    items.back()["rank"] = items.size();
  }
  if (!items.empty()) add_chances(confirmed->candidates, confirmed->spec, items);
  json["profile"] = profile_of(confirmed->candidates, confirmed->spec);
  json["items"] = std::move(items);
  json["next"] = nullptr;
  return json_response(json);
}

}  // namespace hone::api
