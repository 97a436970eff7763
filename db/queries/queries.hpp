// Every read of the API: read-only functions over one connection, each a few indexed SELECTs. They
// refuse (not_found) an object that does not exist and (invalid, at "/after") a cursor that no page
// returned. An SQLite failure throws SQLite::Exception. A connection belongs to one thread at a
// time.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "db/queries/rows.hpp"

namespace hone {

// During its lifetime every query on the connection sees the same state of the file. May be nested.
class Snapshot {
 public:
  explicit Snapshot(SQLite::Database& db);
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

 private:
  SQLite::Database& db_;
};

// sweeps.cpp; outcomes: outcomes.cpp
// Newest first; with `archived`, archived sweeps as well.
Result<Page<SweepRow>> list_sweeps(SQLite::Database& db, const PageQuery& page,
                                   bool archived = true);
// Sweeps that may get slots now or after they are resumed, the oldest first, at most `limit`.
std::vector<SweepRow> open_sweeps(SQLite::Database& db, std::int64_t limit);
Result<SweepRow> find_sweep(SQLite::Database& db, SweepId id);
enum class TrialSort {
  number,
  value  // in the order of the leaderboard, then those without a report
};
Result<Page<TrialRow>> list_trials(SQLite::Database& db, SweepId sweep, TrialSort sort,
                                   const PageQuery& page);
Result<TrialRow> find_trial(SQLite::Database& db, TrialId id);
// The leaderboard without trials that failed or diverged. At most `limit`.
Result<std::vector<BestRow>> best_trials(SQLite::Database& db, SweepId sweep, std::int64_t limit);
// The trials with a value that did not fail or diverge, by number. seconds: of a training; nullopt
// if no phase was measured.
struct PricedRow {
  TrialId trial;
  std::int64_t number = 0;
  double merit = 0;
  std::optional<double> seconds{};
};
std::vector<PricedRow> priced_trials(SQLite::Database& db, SweepId sweep);
// What a model expects of the merits of noisy single runs (docs/leaderboard.md).
struct ExpectedRow {
  std::int64_t number = 0;  // of the trial
  double merit = 0;
};
std::vector<ExpectedRow> expected_trials(SQLite::Database& db, SweepId sweep);
// The completed trials by number; with `phase`, the trials that reported it, with those reports.
// `only`: those of them with these ids, in this order.
Result<std::vector<OutcomeRow>> list_outcomes(SQLite::Database& db, SweepId sweep,
                                              std::optional<int> phase = {},
                                              const std::vector<TrialId>* only = nullptr);
// The ids of what list_outcomes returns.
std::vector<TrialId> outcome_trials(SQLite::Database& db, SweepId sweep, std::optional<int> phase);
// How many trials have a finite report of each phase, the last phase first.
std::vector<std::pair<int, std::int64_t>> trials_by_phase(SQLite::Database& db, SweepId sweep);

// runs.cpp
// Queued runs of a sweep, the first in the order of their trials.
std::optional<RunRow> first_queued_run(SQLite::Database& db, SweepId sweep);
Result<Page<RunRow>> list_runs(SQLite::Database& db, TrialId trial, const PageQuery& page);
Result<RunRow> find_run(SQLite::Database& db, RunId id);
// All of them, by name: a run keeps few.
Result<std::vector<ArtifactRow>> read_artifacts(SQLite::Database& db, RunId run);
Result<Page<AttemptRow>> list_attempts(SQLite::Database& db, RunId run, const PageQuery& page);
Result<std::vector<CurveRow>> read_curve(SQLite::Database& db, RunId run);              // by phase
Result<std::vector<MetricNameRow>> read_metric_names(SQLite::Database& db, RunId run);  // by name
struct MetricSummary {  // of all points of a series
  std::int64_t points = 0;
  double mean = 0, most = 0;
};
// nullopt if the run has no such series.
std::optional<MetricSummary> summarize_metric(SQLite::Database& db, RunId run,
                                              const std::string& name);
// Sums the use of the live attempts of a worker by their newest measurements (use_meter.hpp).
struct WorkerUse {
  std::int64_t runs = 0;  // that were measured
  double cpu_cores = 0, memory_bytes = 0;
  std::optional<double> gpu_busy{};  // mean over the runs with GPUs
  std::optional<double> gpu_memory_bytes{};
};
// nullopt if nothing was measured.
std::optional<WorkerUse> use_of_worker(SQLite::Database& db, WorkerId worker);
// By name, then step. `name` empty: every series.
Result<Page<MetricRow>> list_metrics(SQLite::Database& db, RunId run, const std::string& name,
                                     const PageQuery& page);

// curves.cpp
// The runs of a sweep with their curves, by trial and replicate. A page ends early when it holds
// `points_max` points.
Result<Page<RunCurveRow>> list_curves(SQLite::Database& db, SweepId sweep, const PageQuery& page,
                                      std::size_t points_max);

// objects.cpp
Result<Page<ModelRow>> list_models(SQLite::Database& db, const ModelFilter& filter,
                                   const PageQuery& page);  // oldest first
Result<ModelRow> find_model(SQLite::Database& db, ModelId id);
// Whether a model that was not dropped, an artifact or a workflow names the blob.
bool is_kept(SQLite::Database& db, std::string_view sha256);
// The digests of all these blobs, without the checkpoints of imported sweeps, which are elsewhere.
std::vector<std::string> named_blobs(SQLite::Database& db);
Result<WorkflowRow> find_workflow(SQLite::Database& db, WorkflowId id);
Result<EvaluationRow> find_evaluation(SQLite::Database& db, EvaluationId id);
Result<DatasetRow> find_dataset(SQLite::Database& db, DatasetId id);
Result<Page<WorkerRow>> list_workers(SQLite::Database& db, const PageQuery& page);
// Workers that keep a slot free for a run of the sweep (server/sweep/lease/neighbours.cpp).
std::vector<WorkerRow> workers_keeping_free(SQLite::Database& db, SweepId sweep);
Result<WorkerRow> find_worker(SQLite::Database& db, WorkerId id);

// fleets.cpp
Result<Page<FleetRow>> list_fleets(SQLite::Database& db, const PageQuery& page);  // newest first
std::optional<FleetRow> find_fleet(SQLite::Database& db, FleetId id);
// Newest first.
std::optional<PilotRow> find_pilot(SQLite::Database& db, PilotId id);
Result<Page<PilotRow>> list_pilots(SQLite::Database& db, FleetId fleet, const PageQuery& page);

// lineage.cpp
struct LineageQuery {
  Direction direction = Direction::both;
  int depth = 64;          // edges from the root at most; 0 is the root alone
  int nodes_max = 10'000;  // the graph ends there, with truncated set
  // Includes reports and telemetry of every run; otherwise only those of the root.
  bool measurements = false;
};
Result<LineageGraph> read_lineage(SQLite::Database& db, const LineageKey& root,
                                  const LineageQuery& query);

// events.cpp
struct EventBytes {
  std::size_t page;   // a page ends with the event that exceeds this
  std::size_t event;  // a longer body is replaced by {"omitted_bytes": N}
};
// Events with seq > after, in order. `sweep`: only those of that sweep. `next` is present when the
// page is full.
Result<Page<EventRow>> list_events(SQLite::Database& db, std::int64_t after,
                                   std::optional<SweepId> sweep, std::int64_t limit,
                                   EventBytes bytes);
std::int64_t last_seq(SQLite::Database& db);  // 0 for an empty ledger
// The row as one text, which never changes; empty if the event does not exist.
std::string event_text(SQLite::Database& db, std::int64_t seq);
Instant last_instant(SQLite::Database& db);  // of the newest event; 1970 for an empty ledger
Counts read_counts(SQLite::Database& db);

// metrics.cpp: for /metrics only
// Returns the best values of the newest running sweeps with a finite one, at most `limit`.
std::vector<BestValueRow> best_values(SQLite::Database& db, std::int64_t limit);
Slots read_slots(SQLite::Database& db, Instant seen_after);

}  // namespace hone
