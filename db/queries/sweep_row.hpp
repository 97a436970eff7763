// A sweep as the queries return it. Part of rows.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "db/queries/described.hpp"
#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"
#include "schemas/types/score.hpp"
#include "schemas/types/states.hpp"

namespace hone {

struct RunCounts {
  std::int64_t queued = 0;
  std::int64_t leased = 0;
  std::int64_t running = 0;
  std::int64_t paused = 0;
  std::int64_t completed = 0;
  std::int64_t stopped = 0;
  std::int64_t failed = 0;
  std::int64_t canceled = 0;
  [[nodiscard]] std::int64_t all() const {
    return queued + leased + running + paused + completed + stopped + failed + canceled;
  }
  friend bool operator==(const RunCounts&, const RunCounts&) = default;
};

// The first trial of the leaderboard (docs/leaderboard.md).
struct BestOfSweep {
  TrialId trial;
  RunId run;
  Score value = Score::diverged();
  Score report = Score::diverged();
  std::optional<Score> confirmed{};
  std::optional<Score> expected{};
  int seeds = 0;
  int confirmed_seeds = 0;
  int phase = 0;
  std::int64_t step = 0;
};

struct SweepRow {
  SweepId id;
  std::string name;
  std::string project;
  SweepState state = SweepState::running;
  EndReason reason = EndReason::none;
  Instant submitted_at;
  std::optional<Instant> ended_at;
  Objective objective;
  std::int64_t trials_total = 0;
  std::int64_t trials_proposed = 0;
  RunCounts runs;  // of the proposed trials
  std::int64_t phases_done = 0;
  std::int64_t phases_repeated = 0;
  std::int64_t phases_unsaved = 0;  // of phases_done: reports of runs without a checkpoint
  std::string detail;
  int seeds = 1;           // runs of every trial
  int phases_per_run = 1;  // spec.budget.phases
  std::optional<BestOfSweep> best;
  WorkflowId workflow;
  std::optional<DatasetId> dataset;
  std::string spec;  // JSON text as encode(SweepSpec) wrote it: decode_recorded reads it back
  std::optional<SweepId> confirms{};
  std::string learned{};  // JSON text
  std::optional<double> noise{};
};

namespace row {

void fields(auto& f, Of<RunCounts> auto& r) {
  f("queued", r.queued, "s.runs_queued")("leased", r.leased, "s.runs_leased");
  f("running", r.running, "s.runs_running")("paused", r.paused, "s.runs_paused");
  f("completed", r.completed, "s.runs_completed")("stopped", r.stopped, "s.runs_stopped");
  f("failed", r.failed, "s.runs_failed")("canceled", r.canceled, "s.runs_canceled");
}

void fields(auto& f, Of<BestOfSweep> auto& r) {
  f("trial", r.trial, "b.id");
  f("run", r.run, "b.id, r.replicate", "Its run with the best last report");
  f.cost("value", r.value, "b.cost", "As of the trial");
  f("seeds", r.seeds, "b.seeds", "Runs behind the value");
  f.cost("confirmed", r.confirmed, "b.confirmed_cost", "As of the trial");
  f.cost("expected", r.expected, "b.expected_cost", "As of the trial");
  f("confirmed_seeds", r.confirmed_seeds, "b.confirmed_seeds");
  f.cost("best_report", r.report, "b.best_cost", "Of any of its runs");
  f("phase", r.phase, "r.best_phase", "Of the best report of `run`")("step", r.step, "r.best_step");
}

void fields(auto& f, Of<SweepRow> auto& r) {
  f.goal("s.goal")("id", r.id, "s.id")("name", r.name, "s.name")("project", r.project, "s.project");
  f("state", r.state, "iif(q.sweep IS NULL, s.state, 'quarantined')")("reason", r.reason,
                                                                      "s.reason");
  f("detail", r.detail, "coalesce(q.why, s.detail)",
    "Why it failed: how many runs did, and the most frequent error; empty otherwise");
  f("submitted_at", r.submitted_at, "s.submitted_at")("ended_at", r.ended_at, "s.ended_at");
  f.group("objective", [&](auto& o) {
    o("metric", r.objective.metric, "s.metric")("goal", r.objective.goal, "s.goal");
  });
  f.group("trials", [&](auto& o) {
    o("total", r.trials_total, "s.trials", "As search.trials");
    o("proposed", r.trials_proposed, "s.proposed", "So far");
  });
  f.nested("runs", r.runs, "How many are in each state");
  f.group("phases", [&](auto& o) {
    o("done", r.phases_done, "s.reports", "Reports recorded, over all runs");
    o.computed("expected", "number",
               "Runs times the phases that a run is expected to last under the terminator");
    o("repeated", r.phases_repeated, "s.repeated",
      "Phases that were trained again, where a run was resumed without its checkpoint; done and"
      " expected do not count them");
  });
  f.of_one("eta", "#/components/schemas/eta").of_one("outcome", "#/components/schemas/outcome");
  f.of_one("work", "#/components/schemas/work");
  f.nested("best", r.best, "The first trial of the leaderboard; null until something was reported");
  f("workflow", r.workflow, "s.workflow")("dataset", r.dataset, "s.dataset");
  f("noise", r.noise, "s.noise",
    "The share of noise in the variance of values, where single runs are so noisy that a model's"
    " expectation ranks them; null elsewhere");
  f("confirms", r.confirms, "s.confirms", "The sweep whose leaders it trains again");
  f.stored(
      "learned", r.learned, "s.learned", "#/components/schemas/learned",
      "How many trials of each sweep of search.warm_start it learned from when it was submitted",
      None::list);
  f.of_one("spec", "v1/sweep.json", "With every default filled in").hidden(r.spec, "s.spec");
  f.hidden(r.phases_unsaved, "s.unsaved").hidden(r.seeds, "s.seeds");
  f.hidden(r.phases_per_run, "s.phases");
}

}  // namespace row
}  // namespace hone
