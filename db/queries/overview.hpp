// Reads that cover a whole sweep at once, for pages that show all of its runs. Each scans rows in
// the order of an index; the callers bound the rows and hold a Snapshot.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "db/curve.hpp"
#include "db/queries/rows.hpp"

namespace hone {

// overview.cpp

// The runs of one state and reason. steps: what they trained, in budget units.
struct EndGroup {
  RunState state = RunState::queued;
  EndReason reason = EndReason::none;
  Failure failure = Failure::none;
  std::int64_t runs = 0;
  std::int64_t steps = 0;
};
std::vector<EndGroup> group_ends(SQLite::Database& db, SweepId sweep);

// ends.cpp

// The runs whose programs ended by themselves before their budget, and how many phases they had.
struct EndedEarly {
  std::int64_t runs = 0;
  int least = 0, most = 0;
  RunId first{};  // set if there is one
};
EndedEarly runs_ended_early(SQLite::Database& db, SweepId sweep);

// The views of a failed run that name its cause. log_tail: the end of it.
struct FailedRun {
  RunId id;
  EndReason reason = EndReason::none;
  Failure failure = Failure::none;
  std::string detail;
  std::string log_tail;
};
// The failed runs of a sweep by trial and replicate, at most `limit`.
void each_failed_run(SQLite::Database& db, SweepId sweep, std::int64_t limit,
                     const std::function<void(const FailedRun&)>& use);

// How long attempts of the sweep were live within an interval: at least one of them, and all of
// them added.
struct WorkTime {
  Duration busy{};
  Duration of_runs{};
};
WorkTime work_time(SQLite::Database& db, SweepId sweep, Instant from, Instant to);

// overview.cpp

// The units trained by reports since an instant, and the instants of the first and last of them.
struct Pace {
  std::int64_t reports = 0;
  std::int64_t steps = 0;
  std::optional<Instant> first, last;
};
Pace read_pace(SQLite::Database& db, SweepId sweep, Instant since);

// The rows that each_report visits: the reports of the sweep, and those that forks continue.
std::int64_t count_reports(SQLite::Database& db, const SweepRow& sweep);

// A report without its verdict. `value` is absent if the run diverged.
struct ReportView {
  TrialId trial;
  int replicate = 0;
  std::int64_t number = 0;  // of the trial
  int phase = 0;
  std::int64_t step = 0;
  std::optional<double> value;
  std::optional<double> spent;  // by the clock of an objective of time
  Instant at;
};
// All reports of a sweep by trial number, replicate, phase.
void each_report(SQLite::Database& db, SweepId sweep,
                 const std::function<void(const ReportView&)>& use);

struct VerdictView {
  int phase = 0;
  std::int64_t step = 0;
  std::optional<double> value;  // absent if the run diverged
  std::string_view verdict;     // JSON; empty before it was given. Valid during the call
};
// The verdicts of all reports of a sweep by trial number.
void each_verdict(SQLite::Database& db, SweepId sweep,
                  const std::function<void(const VerdictView&)>& use);

// The trials whose value is better than that of every trial before them, in the order of the sweep.
struct TrialMark {
  TrialId trial;
  std::int64_t number = 0;
  Score value;
};
std::vector<TrialMark> improvements(SQLite::Database& db, SweepId sweep, Goal goal);
// The number of the newest trial; -1 without trials.
std::int64_t last_number(SQLite::Database& db, SweepId sweep);

struct RunMark {
  RunId run;
  std::int64_t number = 0;  // of the trial
  RunState state = RunState::queued;
  EndReason reason = EndReason::none;
};
// The runs of a sweep by trial number and replicate, each with its reports by phase.
void each_curve(SQLite::Database& db, SweepId sweep,
                const std::function<void(const RunMark&, std::span<const PackedPoint>)>& use);

// columns.cpp

// The views are valid during the call.
struct TrialCells {
  TrialId trial;
  std::int64_t number = 0;
  std::string_view state;   // a word of RunState
  std::string_view reason;  // a word of EndReason
  std::optional<Score> value;
  std::optional<Score> confirmed;  // by the sweep's confirmations
  std::optional<Score> expected;   // of noisy single runs, by a model
  int tier = 0;                    // with `key` its place, as in db/leaderboard.hpp
  double key = 0;
  int phase = 0;
  int runs = 1;
  Instant proposed_at;
  bool pinned = false;
  std::int64_t steps = 0;      // trained by all of its runs
  double seconds = 0;          // of its ended attempts
  std::vector<Score> further;  // of the further objectives, in the last report of its first run
  std::string_view params;     // JSON
};
// The cells that are read only where they are wanted. The sums over a trial's runs and attempts
// cost as much as the rest.
struct CellsWanted {
  bool steps = true;
  bool seconds = true;
  bool proposed = true;
  bool pinned = true;
  bool place = true;  // confirmed, expected, tier and key
  bool further = true;
  bool params = true;
};
// The trials of a sweep by number; `only`: those of these ids.
void each_trial(SQLite::Database& db, SweepId sweep, Goal goal, CellsWanted wanted,
                const std::vector<TrialId>* only,
                const std::function<void(const TrialCells&)>& use);

// The trials that events after `after` concern, some of other sweeps perhaps; nullopt if there are
// more than `events_max` of those events.
std::optional<std::vector<TrialId>> changed_trials(SQLite::Database& db, SweepId sweep,
                                                   std::int64_t after, std::int64_t events_max);

// timeline.cpp

struct AttemptSpan {
  WorkerId worker;
  AttemptId attempt;
  SweepId sweep;
  Instant from;
  std::optional<Instant> to;  // absent while it is live
  std::optional<EndReason> reason;
  int step = 0;                // of its sweep's pipeline
  std::optional<int> width{};  // its slots, where its sweep names a range
};
struct TimelineQuery {
  Instant from;
  Instant to;
  std::optional<SweepId> sweep;
  std::optional<WorkerId> worker{};
};
// The attempts that overlap the interval, by worker and start.
void each_attempt(SQLite::Database& db, const TimelineQuery& query,
                  const std::function<void(const AttemptSpan&)>& use);
// The attempts that are live, by worker and start.
void each_live_attempt(SQLite::Database& db, const std::function<void(const AttemptSpan&)>& use);

// When a worker could hold runs.
struct WorkerTime {
  WorkerId id;
  int cpus = 0;
  Instant joined_at, last_seen_at;
};
// The workers with slots that joined before `to` and were seen since `from`.
std::vector<WorkerTime> workers_between(SQLite::Database& db, Instant from, Instant to);

// The start of the first attempt; absent without attempts.
std::optional<Instant> first_attempt(SQLite::Database& db, std::optional<SweepId> sweep);

}  // namespace hone
