// Confirmations: the request, and the result as Agarwal et al. (2021) recommend: interquartile
// means with stratified bootstrap intervals, probability of improvement, a performance profile; and
// how much better the value in tuning was.
#include <algorithm>
#include <cmath>
#include <string>

#include "db/queries/queries.hpp"
#include "db/queries/replicates.hpp"
#include "schemas/codec/words.hpp"
#include "server/api/arguments.hpp"
#include "server/api/past.hpp"
#include "server/api/progress.hpp"
#include "server/api/render.hpp"
#include "server/api/replicates.hpp"
#include "server/search/seeds/leaders.hpp"
#include "server/search/statistics/aggregate.hpp"
#include "server/search/statistics/bootstrap.hpp"
#include "server/search/statistics/tests.hpp"

namespace hone::api {

// POST /v1/sweeps/{sweep}/confirm
Result<Command> parse_confirm(const Request& request) {
  const auto id = path_id<SweepId>(request);
  if (!id) return id.error();
  auto confirm = body(request, decode_confirm_request);
  if (!confirm) return confirm.error();
  return Command(Confirm{*id, *std::move(confirm)});
}

Response render_confirm(const Reply& reply) { return render_submit(reply); }

namespace {

constexpr int thresholds = 11;

struct Candidate {
  std::size_t index = 0;  // of the confirmation's trial: its rank in tuning
  TrialId trial;
  Strata merits;             // over the instances: larger is better
  std::vector<double> flat;  // all of them
  double iqm = 0;
};

struct Confirmed {
  SweepRow tuned;                     // the sweep that was tuned
  SweepRow sweep;                     // its confirmation
  SweepSpec spec;                     // of the confirmation
  std::vector<Candidate> candidates;  // best first; those without a result last
};

double sign(const SweepSpec& spec) {
  return spec.objective.goal == Goal::maximize || rescaled(spec) ? 1 : -1;
}

Json value_json(double merit, const SweepSpec& spec) {
  return std::isfinite(merit) ? Json(sign(spec) * merit) : Json("diverged");
}

Json range_json(const Interval& merits, const SweepSpec& spec) {
  Json low = value_json(merits.low, spec), high = value_json(merits.high, spec);
  return sign(spec) > 0 ? Json::array({low, high}) : Json::array({high, low});
}

Result<Confirmed> read_confirmed(SQLite::Database& db, SweepId id) {
  auto named = find_sweep(db, id);
  if (!named) return named.error();
  const auto newest = newest_confirmation(db, id);
  if (!named->confirms && !newest)
    return refuse(Code::not_found,
                  text(id) + " has no confirmation yet: hone confirm " + text(id) + " makes one");
  auto sweep = named->confirms ? *named : *find_sweep(db, *newest);
  auto tuned = named->confirms ? *find_sweep(db, *named->confirms) : *std::move(named);
  const auto spec = spec_of(sweep);
  if (!spec) return spec.error();
  const auto past = read_past(db, sweep, *spec);
  if (!past) return past.error();
  Confirmed confirmed{std::move(tuned), std::move(sweep), *spec, {}};
  for (std::size_t i = 0; i < past->trials.size(); ++i) {
    Candidate one{i, past->trials[i], final_merits(*past, i, *spec), {}, 0};
    one.flat = flattened(one.merits);
    if (!one.flat.empty()) one.iqm = iqm_of(one.flat);
    confirmed.candidates.push_back(std::move(one));
  }
  std::stable_sort(confirmed.candidates.begin(), confirmed.candidates.end(),
                   [](const Candidate& a, const Candidate& b) {
                     if (a.flat.empty() != b.flat.empty()) return b.flat.empty();
                     return !a.flat.empty() && a.iqm > b.iqm;
                   });
  return confirmed;
}

bool complete(const Strata& strata) {
  return std::none_of(strata.begin(), strata.end(), [](const auto& row) { return row.empty(); });
}

// The value of the parameter set in tuning, in the sign of the objective.
Json tuned_value(SQLite::Database& db, const SweepRow& tuned, const Past& past, TrialId trial) {
  if (past.history.replication().multi_seed())
    for (std::size_t i = 0; i < past.trials.size(); ++i)
      if (past.trials[i] == trial) {
        const auto spec = spec_of(tuned);
        return spec ? value_json(past.history.outcome(i).merit, *spec) : Json(nullptr);
      }
  const auto row = find_trial(db, trial);
  return row ? or_null(row->value) : Json(nullptr);
}

// The value that tuning expected, corrected for luck; null if it had single runs.
Json tuned_expected(const SweepRow& tuned, const Past& past, TrialId trial) {
  const auto spec = spec_of(tuned);
  if (!spec || !past.history.replication().multi_seed()) return nullptr;
  const auto expected = expectations_of(past.history);
  for (std::size_t i = 0; i < past.trials.size(); ++i)
    if (past.trials[i] == trial && expected[i]) return value_json(*expected[i], *spec);
  return nullptr;
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

Json item_of(SQLite::Database& db, const Confirmed& confirmed, const Past& past,
             const Candidate& one) {
  const SweepSpec& spec = confirmed.spec;
  Json item;
  const auto row = find_trial(db, one.trial);
  if (!row) return item;
  const auto origin = trial_of_params(db, confirmed.tuned.id, row->params);
  item["trial"] = text(one.trial);
  item["of"] = id_or_null(origin);
  item["params"] = stored_json(row->params);
  item["tuned_rank"] = one.index + 1;
  item["tuned_value"] = origin ? tuned_value(db, confirmed.tuned, past, *origin) : Json(nullptr);
  item["tuned_expected"] = origin ? tuned_expected(confirmed.tuned, past, *origin) : Json(nullptr);
  item["seeds"] = one.flat.size();
  item["failed"] = std::count_if(one.flat.begin(), one.flat.end(),
                                 [](double merit) { return !std::isfinite(merit); });
  if (one.flat.empty()) return item;
  item["iqm"] = value_json(one.iqm, spec);
  item["mean"] = value_json(mean_of(one.flat), spec);
  item["interval"] =
      complete(one.merits)
          ? range_json(bootstrap_interval(one.merits, iqm_of, {spec.seed, resamples, 0.95}), spec)
          : Json(nullptr);
  // Ranks of two sweeps are not comparable.
  if (item["tuned_value"].is_number() && item["iqm"].is_number() && !by_ranks(spec))
    item["optimism"] = (item["tuned_value"].get<double>() - item["iqm"].get<double>()) * sign(spec);
  compare(one, confirmed.candidates.front(), spec, item);
  return item;
}

// The share of runs that reach a value, for values from the worst to the best of all runs.
Json profile_of(const std::vector<Candidate>& candidates, const SweepSpec& spec) {
  std::vector<double> finite;
  for (const Candidate& one : candidates)
    for (const double merit : one.flat)
      if (std::isfinite(merit)) finite.push_back(merit);
  Json profile = Json::array();
  if (finite.empty()) return profile;
  const auto [low, high] = std::minmax_element(finite.begin(), finite.end());
  for (int i = 0; i < thresholds; ++i) {
    const double at = i + 1 == thresholds ? *high : *low + (*high - *low) * i / (thresholds - 1);
    Json shares = Json::array();
    for (const Candidate& one : candidates)
      shares.push_back(complete(one.merits) ? Json(profile_at(one.merits, at)) : Json(nullptr));
    profile.push_back({{"value", value_json(at, spec)}, {"shares", std::move(shares)}});
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
  json["seeds"] = confirmed->spec.seeds;
  json["seed_applied"] = seed_word(count_seeds(db, confirmed->sweep.id));
  Json items = Json::array();
  for (const Candidate& one : confirmed->candidates) {
    items.push_back(item_of(db, *confirmed, *past, one));
    items.back()["rank"] = items.size();
  }
  if (!items.empty()) add_chances(confirmed->candidates, confirmed->spec, items);
  json["profile"] = profile_of(confirmed->candidates, confirmed->spec);
  json["items"] = std::move(items);
  json["next"] = nullptr;
  return json_response(json);
}

}  // namespace hone::api
