// What the queries return: plain rows, typed ids, enums instead of words. server/api renders them.
// An absent optional is null on the wire.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "db/queries/attempt_row.hpp"
#include "db/queries/fleet_row.hpp"
#include "db/queries/fork_row.hpp"
#include "schemas/types/ids.hpp"
#include "schemas/types/info.hpp"
#include "schemas/types/instant.hpp"
#include "schemas/types/scopes.hpp"
#include "schemas/types/score.hpp"
#include "schemas/types/states.hpp"
#include "schemas/types/verdict.hpp"

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

// The first trial of the leaderboard (docs/leaderboard.md). `run` is its run with the best last
// report; phase and step are those of that run's best report.
struct BestOfSweep {
  TrialId trial;
  RunId run;
  Score value = Score::diverged();   // the trial's, as TrialRow::value
  Score report = Score::diverged();  // the best report of any of its runs
  std::optional<Score> confirmed{};  // its value in the sweep's confirmations
  int seeds = 0;                     // runs behind `value`
  int confirmed_seeds = 0;           // runs behind `confirmed`
  int phase = 0;
  std::int64_t step = 0;
};

// A file that a run saved.
struct ArtifactRow {
  std::string name;
  std::string sha256;
  std::int64_t bytes = 0;
  Instant saved_at;
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
  std::int64_t trials_total = 0;     // spec.search.trials
  std::int64_t trials_proposed = 0;  // so far
  RunCounts runs;                    // of the proposed trials
  std::int64_t phases_done = 0;      // reports recorded, over all runs
  std::int64_t phases_repeated = 0;  // trained again, where a run was resumed without a checkpoint
  std::int64_t phases_unsaved = 0;   // of phases_done: reports of runs without a checkpoint
  std::string detail;                // why it failed, as a sentence
  int seeds = 1;                     // runs of every trial
  int phases_per_run = 1;            // spec.budget.phases
  std::optional<BestOfSweep> best;   // absent until something was reported
  WorkflowId workflow;
  std::optional<DatasetId> dataset;
  std::string
      spec;  // JSON text as encode(SweepSpec) wrote it: decode_request<SweepSpec> reads it back
  std::optional<SweepId> confirms{};
  std::string learned{};  // JSON list of {sweep, used, trials}; empty without a warm start
};

// The state of a trial is that of the run that matters most, in the order running, leased, queued,
// paused, failed, canceled, stopped, completed. `reason` belongs to that run.
struct TrialRow {
  TrialId id;
  SweepId sweep;
  std::int64_t number = 0;
  std::string params;  // JSON text: an object, in order
  RunState state = RunState::queued;
  EndReason reason = EndReason::none;
  // The aggregate over its runs of their reports at the last phase that all first runs reached.
  std::optional<Score> value;
  int phase = 0;  // the most reports of any of its runs
  int runs = 1;
  Instant proposed_at;
  std::optional<Score> best_report{};    // of any of its runs
  int length = 0;                        // phases behind `value`
  int seeds = 0;                         // runs behind `value`
  bool failed = false;                   // all of its runs failed because of its parameters
  std::optional<Score> confirmed{};      // its value in the sweep's confirmations
  int confirmed_seeds = 0;               // runs behind `confirmed`
  std::string schedule;                  // JSON text: parameters from later phases on
  std::optional<TrialId> from{};         // the trial that it trains again
  std::optional<std::string> creator{};  // the token with which a user enqueued it
};

struct RunRow {
  RunId id;
  SweepId sweep;
  std::int64_t trial_number = 0;  // with sweep_seed and id.replicate: the address of the run's seed
  std::uint64_t sweep_seed = 0;
  RunState state = RunState::queued;
  EndReason reason = EndReason::none;  // of its end or, while it is queued, of its return
  std::string detail;
  std::optional<int> exit_code;  // present if the exit status of its process decided its end
  std::string log_tail;
  int attempts = 0;                // leases granted so far
  std::optional<WorkerId> worker;  // of the latest attempt
  int reports = 0;                 // phases reported so far
  std::optional<Score> value;      // the latest report
  std::optional<Score> best;       // the best report by the sweep's goal
  std::optional<int> best_phase;
  std::int64_t step = 0;              // of the latest report
  std::optional<Instant> started_at;  // the first sign of life of its first attempt
  std::optional<Instant> ended_at;
  Failure failure = Failure::none;          // goes with reason
  std::optional<Instant> rests_until;       // while it waits to be tried again
  SweepId confirms{};                       // of its sweep; none for tuning
  int instances = 1;                        // of its sweep
  std::optional<bool> seed_applied{};       // as its process reported
  std::optional<ForkRow> origin{};          // present if it is a fork
  std::optional<SuccessorRow> successor{};  // in a population
};

struct EvaluationRow {
  EvaluationId id;
  ModelId model;
  RunId run;
  SweepId sweep;
  EvaluationInfo info;
  double mean = 0;
  double deviation = 0;  // of one episode
  Instant recorded_at;
};

struct CurveRow {  // one phase of a run
  int phase = 0;
  std::int64_t step = 0;
  Score value = Score::diverged();
  Instant at;
  std::optional<Verdict> verdict;
  std::vector<Score> further;     // of the further objectives, in their order
  std::optional<double> spent{};  // by the clock of an objective of time
};

// A phase of a run as one point of its learning curve.
struct CurvePoint {
  int phase = 0;
  std::int64_t step = 0;
  Score value = Score::diverged();
  Duration trained;  // since its first lease, over all its attempts but not between them
  std::optional<double> spent{};  // by the clock of an objective of time
};

struct RunCurveRow {
  RunId id;
  std::int64_t trial_number = 0;
  std::string params;  // JSON text: an object, in order
  RunState state = RunState::queued;
  EndReason reason = EndReason::none;
  std::vector<CurvePoint> curve;    // by phase
  Failure failure = Failure::none;  // goes with reason
};

struct MetricRow {
  std::string name;
  std::int64_t step = 0;
  double value = 0;
  Instant at;
};

struct MetricNameRow {  // a series of a run
  std::string name;
  std::int64_t points = 0;
  std::int64_t step = 0;  // of the last point
};

struct BestRow {
  std::int64_t rank = 1;  // 1 is the best
  TrialRow trial;
  RunId run;                     // its run with the best last report
  int phase = 0;                 // of that run's best report
  std::int64_t step = 0;         // of that report
  std::optional<ModelId> model;  // the latest checkpoint that run saved in that phase, if any
  // false: it trained less than half as long as the longest trial, or with too few seeds, and ranks
  // after the others whatever its value (db/leaderboard.hpp)
  bool comparable = true;
};

// What a completed trial achieved, for each of the sweep's objectives in their order: the means
// over its runs of the last report of each. One diverged run makes a value diverged.
struct OutcomeRow {
  TrialRow trial;
  std::vector<Score> values;
  std::optional<ModelId> model;  // the latest checkpoint that its first run saved in its last phase
};

struct ModelRow {
  ModelId id;
  RunId run;
  SweepId sweep;
  std::optional<AttemptId> attempt;  // the one that saved it
  std::string sha256;
  std::int64_t bytes = 0;
  std::int64_t step = 0;
  int phase = 0;
  std::optional<Score> value;  // the run's report of that phase, once recorded
  std::optional<ModelId> parent;
  Instant saved_at;
  std::optional<Instant> dropped_at{};  // its bytes are gone, or will be
};

struct WorkflowRow {
  WorkflowId id;
  WorkflowInfo info;
  Instant recorded_at;
};

struct DatasetRow {
  DatasetId id;
  DatasetInfo info;
  Instant recorded_at;
};

struct WorkerRow {
  WorkerId id;
  std::string host;
  std::int64_t pid = 0, memory = 0;
  int cpus = 1, gpus = 0;
  std::string hone_version;
  Instant joined_at;
  Instant last_seen_at;  // of the newest event from it; at most two heartbeats a lease are written
  std::int64_t running = 0;            // its live attempts
  std::optional<Instant> aside_until;  // present while it is quarantined
  std::string aside_why;
  std::optional<TokenId> token{};  // with which it joined
  std::string labels{};            // a JSON list
  std::string gpu_memory{};        // likewise: bytes of each GPU; empty: not known
  std::string kept_free{};         // JSON: why a slot stays free; empty where none does
  bool lost = false;               // leases of it expired, and it has not been seen since
};

struct TokenRow {
  TokenId id;
  std::string name;
  Scopes scopes;
  Instant created_at;
  std::optional<TokenId> created_by;  // absent if the server or `hone db` created it
  std::optional<Instant> expires_at;
  std::optional<Instant> revoked_at;
};

struct EventRow {
  std::int64_t seq = 0;
  Instant at;
  std::string kind;
  // Absent for server_started, workflow_recorded, dataset_recorded, worker_joined.
  std::optional<SweepId> sweep;
  std::string body;  // JSON text: an object without seq, at, kind
};

enum class Direction { up, down, both };

// Reports and telemetry have no ids.
struct ReportKey {
  RunId run;
  int phase = 0;
  friend auto operator<=>(const ReportKey&, const ReportKey&) = default;
};
struct MetricKey {
  RunId run;
  std::string name;
  std::optional<std::int64_t> step{};  // of one point
  friend auto operator<=>(const MetricKey&, const MetricKey&) = default;
};
using LineageKey = std::variant<SweepId, TrialId, RunId, AttemptId, ModelId, DatasetId, WorkflowId,
                                WorkerId, EvaluationId, ReportKey, MetricKey>;
std::string text(const LineageKey& key);  // rn_42.0@3, rn_42.0/loss, rn_42.0/loss@2000
std::optional<LineageKey> parse_lineage_key(std::string_view words);

struct LineageNode {
  LineageKey id;
  std::string kind;   // sweep trial run attempt model dataset workflow worker evaluation report
                      // metric
  std::string label;  // a few words for people
  // In order. The seed of a run is given as its address, since this library has no random streams:
  // the sweep's seed, the trial's number, the sweep that it confirms or 0, and instances.
  std::vector<std::pair<std::string, std::string>> facts;
};

struct LineageEdge {  // from a descendant to its ancestor
  LineageKey from;
  LineageKey to;
  std::string relation;
};

struct LineageGraph {
  LineageKey root;
  std::vector<LineageNode> nodes;  // root first, then by distance
  std::vector<LineageEdge> edges;  // every edge between two of the nodes
  bool truncated = false;          // there are more nodes than the bound
};

// For /metrics. Totals since the data folder was created.
struct Counts {
  std::int64_t seq = 0;
  std::int64_t sweeps_running = 0;
  std::int64_t sweeps_paused = 0;
  std::int64_t sweeps_stopping = 0;
  std::int64_t sweeps_completed = 0;
  std::int64_t sweeps_canceled = 0;
  std::int64_t sweeps_failed = 0;
  RunCounts runs;
  std::int64_t trials = 0;
  std::int64_t reports = 0;
  std::int64_t attempts = 0;
  std::int64_t models = 0;
  std::int64_t workers = 0;
};

// The best value so far of a running sweep.
struct BestValueRow {
  SweepId sweep;
  std::string metric;
  Score value = Score::diverged();
};

// The slots of the workers seen in the last minute.
struct Slots {
  std::int64_t workers = 0;
  std::int64_t cpus = 0;  // of theirs
  std::int64_t gpus = 0;
  std::int64_t leases = 0;  // live ones
};

// A page of a list. `next` is what to pass as `after` for the following page; absent on the last
// one.
template <class Row>
struct Page {
  std::vector<Row> items;
  std::optional<std::string> next;
};

struct PageQuery {
  std::int64_t limit = 100;  // the caller has checked it against its bound; at least 1
  std::string after;         // a `next` of an earlier page, or empty for the first
};

// Which models: of everything, of one sweep, trial or run.
using ModelFilter = std::variant<std::monostate, SweepId, TrialId, RunId>;

}  // namespace hone
