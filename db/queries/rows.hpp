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
#include "db/queries/object_row.hpp"
#include "db/queries/run_row.hpp"
#include "db/queries/sweep_row.hpp"
#include "db/queries/trial_row.hpp"
#include "schemas/types/ids.hpp"
#include "schemas/types/info.hpp"
#include "schemas/types/instant.hpp"
#include "schemas/types/scopes.hpp"
#include "schemas/types/score.hpp"
#include "schemas/types/states.hpp"
#include "schemas/types/verdict.hpp"

namespace hone {

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
  std::vector<Score> further{};  // of the further objectives, in their order
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

// What a completed trial achieved, for each of the sweep's objectives in their order: the means
// over its runs of the last report of each. One diverged run makes a value diverged.
struct OutcomeRow {
  TrialRow trial;
  std::vector<Score> values;
  std::optional<ModelId> model;  // the latest checkpoint that its first run saved in its last phase
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
