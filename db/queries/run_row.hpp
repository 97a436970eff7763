// A run and the file, metric and series of a run, as the queries return them. Part of rows.hpp.
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

struct ForkRow {
  RunId run;
  ModelId model;
  int phase = 0;
  std::int64_t step = 0;
  std::optional<RunId> replaces{};
  std::optional<std::int64_t> place{}, rivals{};
};

struct RunRow {
  RunId id;
  SweepId sweep;
  // With id.replicate, the sweep that is confirmed (none for tuning) and the number of instances:
  // the address of the run's seed.
  std::int64_t trial_number = 0;
  std::uint64_t sweep_seed = 0;
  SweepId confirms{};
  int instances = 1;
  std::optional<bool> seed_applied{};
  RunState state = RunState::queued;
  EndReason reason = EndReason::none;
  std::string detail;
  Failure failure = Failure::none;
  std::optional<Instant> rests_until;
  std::optional<int> exit_code;
  std::string log_tail;
  int attempts = 0;
  std::optional<WorkerId> worker;
  int reports = 0;
  std::optional<Score> value;
  std::string further{};  // JSON text
  std::optional<Score> best;
  std::optional<int> best_phase;
  std::int64_t step = 0;
  std::optional<double> seconds{};
  std::optional<Instant> started_at;
  std::optional<Instant> ended_at;
  std::optional<ForkRow> origin{};
  std::optional<RunId> successor{};
  std::optional<RunId> successor_origin{};  // the run that the successor continues
};

// A file that a run saved.
struct ArtifactRow {
  std::string name;
  std::string sha256;
  std::int64_t bytes = 0;
  Instant saved_at;
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
  std::int64_t step = 0;
};

namespace row {

void fields(auto& f, Of<ForkRow> auto& r) {
  f("run", r.run, "iif(r.replicate = 0, t.fork_trial, NULL), t.fork_replicate");
  f("model", r.model, "t.fork_model", "The checkpoint from which it started");
  f("phase", r.phase, "t.fork_phase", "The last one that it took over");
  f("step", r.step, "t.fork_step", "Of that phase");
  f("replaces", r.replaces, "t.replaces, iif(t.replaces IS NULL, NULL, 0)",
    "The member of a population whose place it took");
  f("place", r.place, "t.fork_place",
    "By latest scores, of the run that it continues, where a rule chose it");
  f("rivals", r.rivals, "t.fork_rivals", "The runs among which it had that place");
}

void fields(auto& f, Of<RunRow> auto& r) {
  f.goal("s.goal");
  f("id", r.id, "r.trial, r.replicate").also("trial", r.id.trial)("sweep", r.sweep, "r.sweep");
  f.hidden(r.trial_number, "t.number").hidden(r.sweep_seed, "s.seed");
  // An imported confirmation drew its seeds under the number that the sweep had there.
  f.hidden(r.confirms,
           "iif(s.imported_at IS NULL, coalesce(s.confirms, 0),"
           " coalesce(CAST(substr(json_extract(s.spec, '$.confirms'), 4) AS INTEGER), 0))");
  f.hidden(r.instances, "s.instances").computed("seed", "v1/common.json#/$defs/seed");
  f("seed_applied", r.seed_applied, "r.seed_applied",
    "Whether its process trains with that seed; null where it did not say");
  f("state", r.state, "r.state");
  f("reason", r.reason, "r.reason", "Of its end or, while it is queued, of its return");
  f("detail", r.detail, "r.detail")("failure", r.failure, "r.failure", "Goes with reason");
  f("rests_until", r.rests_until, "r.rests_until", "While it waits to be tried again");
  f("exit_code", r.exit_code, "r.exit_code",
    "Where the exit status of its process decided its end");
  f("log_tail", r.log_tail, "r.log_tail");
  f.computed(
      "cause", "string",
      "Why it failed, in one line: of its log or of what its worker observed; else as detail");
  f("attempts", r.attempts, "r.attempts", "Leases granted so far");
  f("worker", r.worker, "r.worker", "Of the latest attempt");
  f("phase", r.reports, "r.reports", "Reports so far");
  f.cost("value", r.value, "r.cost", "Of the last report").cost("best", r.best, "r.best_cost");
  f.stored("further", r.further, sql::further_of<"r.trial", "r.replicate", "r.sweep">,
           "#/components/schemas/further_values",
           "Of a sweep with several objectives: the others in the last report", None::null);
  f.hidden(r.best_phase, "r.best_phase")("step", r.step, "r.step", "Of the last report");
  f("seconds", r.seconds, sql::seconds_of_run,
    "That its phases took by the clock of its worker; null where none was measured");
  f("started_at", r.started_at, "r.started_at", "The first sign of life of its first attempt");
  f("ended_at", r.ended_at, "r.ended_at");
  f.nested("origin", r.origin,
           "The run that it continues with its own parameters; null if it started from nothing");
  f("successor", r.successor, "n.id, iif(n.id IS NULL, NULL, 0)",
    "The fork that took its place in a population");
  f.hidden(r.successor_origin, "n.fork_trial, n.fork_replicate");
}

void fields(auto& f, Of<ArtifactRow> auto& r) {
  f("name", r.name, "name", "Its path in the run's own folder");
  f("sha256", r.sha256, "sha256", "", "v1/common.json#/$defs/sha256")("bytes", r.bytes, "bytes");
  f("saved_at", r.saved_at, "saved_at");
}

void fields(auto& f, Of<MetricRow> auto& r) {
  f("name", r.name, "name")("step", r.step, "step")("value", r.value, "value")("at", r.at, "at");
}

void fields(auto& f, Of<MetricNameRow> auto& r) {
  f("name", r.name, "name")("points", r.points, "COUNT(*)");
  f("step", r.step, "MAX(step)", "Of the last point");
}

}  // namespace row
}  // namespace hone
