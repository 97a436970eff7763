// A trial as the queries return it, and with its best run. Part of rows.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "db/further_sql.hpp"
#include "db/leaderboard.hpp"
#include "db/queries/described.hpp"
#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"
#include "schemas/types/score.hpp"
#include "schemas/types/states.hpp"

namespace hone {

// The state of a trial is that of the run that matters most, in the order running, leased, queued,
// paused, failed, canceled, stopped, completed. `reason` belongs to that run.
struct TrialRow {
  TrialId id;
  SweepId sweep;
  std::int64_t number = 0;
  std::string params;    // JSON text: an object, in order
  std::string schedule;  // JSON text
  RunState state = RunState::queued;
  EndReason reason = EndReason::none;
  std::optional<Score> value;
  std::string further{};  // JSON text
  std::optional<Score> expected{};
  std::optional<double> expected_low{}, expected_high{};
  int seeds = 0;
  int length = 0;
  std::optional<Score> best_report{};
  std::optional<Score> confirmed{};
  int confirmed_seeds = 0;
  int phase = 0;
  int runs = 1;
  std::optional<double> seconds{};
  std::optional<double> expected_seconds{};
  std::optional<double> cost_weight{};
  std::optional<std::string> creator{};
  Instant proposed_at;
  bool failed = false;            // all of its runs failed because of its parameters
  std::optional<TrialId> from{};  // the trial that it trains again
};

struct BestRow {
  TrialRow trial;
  std::int64_t rank = 1;
  RunId run;
  int phase = 0;
  std::int64_t step = 0;
  std::optional<ModelId> model;
  bool comparable = true;
};

namespace row {

void fields(auto& f, Of<TrialRow> auto& r) {
  f("id", r.id, "t.id")("number", r.number, "t.number", "Counts from 0 within the sweep");
  f("sweep", r.sweep, "t.sweep");
  f.stored("params", r.params, "t.params", "v1/common.json#/$defs/params", "", None::text);
  f.stored("schedule", r.schedule, "t.schedule", "#/components/schemas/schedule",
           "Of a confirmed schedule, the parameters that follow `params`, by phase", None::text);
  f("state", r.state, "t.state")("reason", r.reason, "t.reason");
  f.cost("value", r.value, "t.cost",
         "The aggregate over its runs of their reports at the last phase that all of them reached"
         " (docs/leaderboard.md)");
  f.stored("further", r.further, sql::further_of<"t.id", "0", "t.sweep">,
           "#/components/schemas/further_values",
           "Of a sweep with several objectives: the others in the last report of the first run",
           None::null);
  f.cost("expected", r.expected, "t.expected_cost",
         "What a model expects of the value in another training, where values of single runs are"
         " noisy: it decides the place. null elsewhere");
  f("expected_low", r.expected_low, "t.expected_low", "One standard deviation below it");
  f("expected_high", r.expected_high, "t.expected_high", "One standard deviation above it");
  f("seeds", r.seeds, "t.seeds", "Runs behind the value");
  f("length", r.length, "t.length", "Phases behind the value");
  f.cost("best_report", r.best_report, "t.best_cost", "The best report of any of its runs");
  f.cost("confirmed", r.confirmed, "t.confirmed_cost",
         "The interquartile mean of its runs in the confirmations of the sweep that have ended");
  f("confirmed_seeds", r.confirmed_seeds, "t.confirmed_seeds", "Runs behind it");
  f("phase", r.phase, "t.phase", "The most reports of any of its runs")("runs", r.runs, "t.runs");
  f("seconds", r.seconds, sql::seconds_of_trial,
    "The mean over its runs of what their phases took by the clock of the worker"
    " (docs/leaderboard.md); null where none was measured");
  f("expected_seconds", r.expected_seconds, "t.expected_seconds",
    "Of a phase, as search.cost expected it when it proposed the trial");
  f("cost_weight", r.cost_weight, "t.cost_weight",
    "The power of that by which the proposal divided expected improvement");
  f("creator", r.creator, "t.creator",
    "The name of the token with which a user enqueued, forked or edited it; null if the sampler"
    " proposed it, or without tokens");
  f.hidden(r.proposed_at, "t.proposed_at").hidden(r.failed, "t.failed").hidden(r.from, "t.origin");
}

void fields(auto& f, Of<BestRow> auto& r) {
  fields(f, r.trial);
  f.also("rank", r.rank, "1 is the best");
  f("run", r.run, "r.trial, r.replicate", "Its run with the best last report");
  f("best_phase", r.phase, "r.best_phase", "Of that run's best report");
  f("step", r.step, "r.best_step", "Of that report");
  f("model", r.model, sql::best_model, "The latest checkpoint that run saved in that phase");
  f.also("comparable", r.comparable,
         "false: trained less than half as long as the longest trial, or with less than half of"
         " the most seeds; it ranks after the others whatever its value");
}

}  // namespace row
}  // namespace hone
