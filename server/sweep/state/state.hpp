// The Book: every sweep, run and lease that decisions depend on, in memory, rebuilt by folding the
// ledger. Only the engine thread may access it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "schemas/types/imported_ids.hpp"
#include "schemas/types/info.hpp"
#include "schemas/types/neighbours.hpp"
#include "schemas/types/origin.hpp"
#include "schemas/types/schedule.hpp"
#include "schemas/types/scopes.hpp"
#include "schemas/types/spec.hpp"
#include "schemas/types/states.hpp"
#include "schemas/types/verdict.hpp"
#include "schemas/types/width.hpp"
#include "schemas/types/wire.hpp"
#include "server/fleet/fleet.hpp"
#include "server/search/history/history.hpp"
#include "server/search/samplers/sampler.hpp"
#include "server/search/space/search_space.hpp"
#include "server/search/terminators/terminator.hpp"
#include "server/sweep/state/neighbours.hpp"

namespace hone {

struct RecordedReport {
  std::int64_t step = 0;
  Score score = Score::diverged();
  // Set once the command that reported is complete. None: a fork has the report from its origin
  std::optional<Verdict> verdict;
  double spent = 0;  // by the clock of the objective, where it is one of time
};

// Measured phases: how many, and the sum of their seconds or ratios.
struct PhasePace {
  std::int64_t phases = 0;
  double sum = 0;
  [[nodiscard]] double mean() const { return sum / static_cast<double>(phases); }
};

// What the worker of an attempt has recorded, against attempt_limits.
struct AttemptTally {
  int codes = 0, models = 0, files = 0;
  std::optional<WorkflowId> code{};  // the latest
};

struct Run {
  RunId id;
  std::size_t record = 0;  // its index in the sweep's history
  std::uint64_t seed = 0;
  RunState state = RunState::queued;
  EndReason reason = EndReason::none;
  int attempts = 0;  // leases granted so far
  int losses = 0;    // attempts that count against limits.max_retries
  LeaseId lease;     // the live lease, or none
  LeaseId last_lease;
  std::vector<RecordedReport> reports;  // by phase: contiguous from 0, a fork's from its origin's
  std::optional<ModelRef> checkpoint;   // the latest
  std::optional<ModelId> resumed_from;  // what the last attempt continued from
  std::optional<ModelId> saved_last{};  // the newest checkpoint of the last attempt
  int setbacks = 0;                     // classed failures in a row, without a report between them
  std::map<Failure, int> failures;      // of its attempts, by class
  std::optional<WorkerId> avoid;        // other workers get the run first
  std::optional<Instant> due;           // an entry of Book::rests: rested, or open to all
  std::vector<WorkerId> blamed;         // workers that its failures are blamed on, each once
  Duration trained{};                   // duration of its earlier attempts
  std::optional<bool> seed_applied{};   // as reported by its process
  std::map<std::string, std::string> artifacts{};  // digests by name
  Instant phase_from{};                            // when its present phase began
  int step = 0;                                    // of its pipeline: the one that runs or waits
  std::size_t step_reports = 0;                    // reports before that step
  int checkpoint_step = 0;                         // the step that saved `checkpoint`
  std::vector<FileRef> files{};                    // of the finished steps
  bool alone = false;               // a GPU that it shared was full: its step shares none any more
  std::optional<KeptSlots> keep{};  // while it waits: the slots that it is to continue with
  PhasePace pace{};                 // of its phases with `pace_cpus` slots, where they are a range
  int pace_cpus = 0;                // the least with which a phase was measured; 0: none
  // How fast it was next to others, on one worker and as one kind of run
  std::vector<PaceAmong> paces{};
  WorkerId paces_on{};
  int paces_kind = 0;
  Instant separated_at{};  // when it last gave its slots back for its neighbours; zero: never
  int workers_lost = 0;    // in a row with the run on them, since it last trained on
  Duration lost_after{};   // the longest of its attempts whose workers were lost
  AttemptTally tally{};    // of the last attempt
};

struct Trial {
  TrialId id;
  std::int64_t number = 0;
  Params params;
  std::vector<Run> runs;
  bool pinned = false;             // its runs keep every checkpoint that they still have
  std::optional<Origin> origin{};  // what its first run continues; none: it starts from nothing
  std::vector<ScheduleStage> schedule{};  // parameters that follow `params`, by phase
};

// An enqueued parameter set that is not proposed yet.
struct Enqueued {
  Params params;
  std::optional<TrialId> from;
  std::optional<Origin> origin{};
  std::vector<ScheduleStage> schedule{};
  std::string creator{};
};

// The runs of a sweep that failed, since it was submitted or reopened.
struct FailureTally {
  int runs = 0;
  Failure latest = Failure::none;  // the class of the latest one
  int in_a_row = 0;                // trials that failed in that class, without another end between
  bool only = true;                // no run has ended in another way
  TrialId trial{};                 // of the latest failure
  std::int64_t longest = 0;        // reports of the failed run with the most
  std::map<std::string, int> errors{};  // by the last line of the log
};

struct WorkerJoined;

// What a sweep has got of the slots: the measure of fair shares (state/fair_share.hpp).
struct Service {
  double used = 0;        // slot-seconds for each unit of weight, until `at`
  double rate = 0;        // by which it grows each second: slots for each unit of weight
  Instant at{};           // zero: the sweep has had no lease
  std::int64_t held = 0;  // slots of its live leases
};

// Phases of a sweep by the slots of their leases, where resources.cpus is a range. The first phase
// of an attempt also starts its process, and counts for `starts` alone.
struct MeasuredWidths {
  PhasePace least;                // seconds with the least slots
  std::map<int, PhasePace> wide;  // by slots: seconds, divided by those of the run with the least
  PhasePace starts;               // seconds by which the first phase of an attempt is longer
};

struct Sweep {
  SweepId id;
  SweepSpec spec;
  std::string request_id;
  SweepState state = SweepState::running;
  EndReason reason = EndReason::none;
  Order order = Order::none;  // the order to all of its running runs: none, cancel or kill
  Instant submitted_at;
  SearchSpace space;
  std::unique_ptr<Sampler> sampler;
  std::unique_ptr<Terminator> terminator;
  History history{Goal::maximize, 0};
  std::vector<TrialId> trials;    // by number
  std::vector<RunId> runs;        // by their index in the history
  std::deque<RunId> queue;        // runs waiting for a worker, returned ones in front
  std::set<RunId> resting;        // returned runs that may not be tried again yet
  std::set<RunId> paused;         // runs waiting for their terminator to promote them
  std::deque<Enqueued> enqueued;  // proposed before any proposal of the sampler
  std::set<std::string> enqueue_requests;
  std::int64_t open_runs = 0;  // runs not ended
  std::int64_t live_leases = 0;
  WorkflowId workflow{};
  std::optional<DatasetId> dataset{};
  std::vector<SweepId> confirmed_by{};  // its confirmations, oldest first
  bool archived = false;
  std::deque<Duration> phase_times{};  // of the newest phases, phase_times_max at most
  int rules = 0;                       // SweepSubmitted::rules
  Instant limited_from{};  // limits.duration counts from here: submitted, or reopened by an edit
  FailureTally failing{};
  std::unique_ptr<Terminator> unpausing{};  // for runs without a checkpoint; null: as terminator
  // Open runs without their own checkpoint, and the checkpoint of another that they start from
  std::set<std::pair<ModelId, RunId>> forks{};
  std::int64_t successors = 0;  // trials that took the place of another: not of search.trials
  std::int64_t inherited = 0;   // reports that its forks began with
  Service service{};
  MeasuredWidths widths{};
  std::optional<RankPrior> rank_prior{};  // SweepSubmitted::rank_prior
};

struct Lease {
  LeaseId id;
  AttemptId attempt;
  SweepId sweep;
  WorkerId worker;
  std::string request_id;
  std::optional<ModelRef> resume;
  Instant expires_at;
  Instant granted_at;
  std::optional<WorkflowId> workflow{};  // the code that it executes, once the worker recorded it
  int step = 0;                          // of the run's pipeline
  std::vector<FileRef> files{};          // that its step has saved so far
  double weight = 1;                     // of its sweep when it was granted
  std::vector<int> devices{};            // of the worker's GPUs, where their memory is known
  bool alone = false;                    // as Run::alone when it was granted
  int cpus = 0;                          // slots, where resources.cpus is a range; 0: it is not
  int kind = 0;                          // of run, as its neighbours are measured
  bool shared = false;                   // another run has been on the worker meanwhile
};

struct RunOnWorker {
  LeaseId lease;
  int kind = 0;
};

struct WorkerState {
  WorkerId id;
  std::string request_id;
  std::string host;
  int cpus = 0;                   // as announced; 0: an asker
  int gpus = 0;                   // as announced
  ResourcesSpec leased{0, 0};     // of its live leases, together
  Instant seen_at;                // of the newest event that shows it alive
  std::vector<RunId> suspects{};  // runs that failed here in a row, blamed on the worker
  Instant suspect_at{};           // the newest of them
  std::optional<Instant> aside_until{};
  int times_aside = 0;                     // in a row
  TokenId token{};                         // that joined it; none: any caller may act for it
  Epoch epoch{};                           // in which it joined
  std::int64_t memory = 0;                 // as announced; 0: not known
  std::vector<std::string> labels{};       // as announced
  std::vector<std::int64_t> gpu_memory{};  // of each GPU, as announced; empty: not known
  std::vector<std::int64_t> gpu_free{};    // of these, what no live lease has
  std::vector<RunOnWorker> runs{};         // its live leases
  Instant runs_since{};                    // when one began, first reported, or ended last
  std::optional<KeptFree> kept_free{};     // as recorded: why a slot of it stays free
  Instant tried_again_at{};                // when a pair that loses was tried again there
};

struct Token {
  TokenId id;
  std::string request_id;
  std::string name;
  Scopes scopes;
  std::string sha256;
  std::optional<Instant> expires_at;
  bool revoked = false;
};

struct Book {
  Duration lease_length;  // since the last ServerStarted
  Instant last_at;        // of the newest event: time never goes backwards
  std::map<SweepId, Sweep> sweeps;
  std::map<TrialId, std::pair<SweepId, Trial>> trials;
  std::map<LeaseId, Lease> leases;  // live ones only
  std::set<std::pair<Instant, LeaseId>> lease_deadlines;
  std::map<WorkerId, WorkerState> workers;
  std::set<std::pair<Instant, RunId>> rests;      // Run::due
  std::set<std::pair<Instant, WorkerId>> asides;  // WorkerState::aside_until
  std::map<std::string, SweepId> sweeps_by_request;
  std::map<std::string, WorkerId> workers_by_request;
  std::map<std::string, LeaseId> leases_by_request;  // live leases only
  std::map<ModelId, ModelRef> models;                // those not dropped
  // A run, a step and a digest: a repeated save finds the same model.
  std::map<std::tuple<RunId, std::int64_t, std::string>, ModelId> models_by_content;
  std::vector<RunId> run_of_lease;  // of every lease ever granted, by lease_index
  std::map<WorkflowInfo, WorkflowId> workflows;
  std::vector<std::pair<DatasetInfo, DatasetId>> datasets;
  std::set<SweepId> open_sweeps;          // not ended
  std::vector<WorkerId> worker_of_lease;  // of every lease ever granted, by lease_index
  std::vector<Token> tokens;              // by number - 1
  std::set<std::string> known_requests;   // of notes and edits
  std::map<FleetId, Fleet> fleets;        // those not stopped
  std::map<std::string, FleetId> fleets_by_request;
  std::int64_t last_fleet = 0, last_pilot = 0;
  std::int64_t last_trial = 0, last_model = 0, last_worker = 0, last_sweep = 0;
  std::int64_t last_workflow = 0, last_evaluation = 0;
  std::map<std::string, EvaluationId> evaluations_by_request;
  // The index of the first lease of each epoch, also of an epoch without a lease.
  std::map<Epoch, std::size_t> epochs{{Epoch{}, 0}};
  LeaseId last_lease{};  // of the newest epoch; the epoch itself while it has none
  PairsByHost neighbours;
  // Sweeps of which a part of an import is folded: each in a separate Book, until its last part.
  std::map<SweepId, std::unique_ptr<Book>> importing;
  // The ids of imports without their last part, which may never come: of nothing that exists.
  std::map<SweepId, ImportedIds> unfinished;
};

// Look-ups that several rules need. Null if there is none.
const Sweep* find_sweep(const Book& book, SweepId id);
const Trial* find_trial(const Book& book, TrialId id);
const Run* find_run(const Book& book, RunId id);
const Lease* find_live_lease(const Book& book, LeaseId id);
// Whether this ledger gave the id to something that exists, also of an ended or quarantined sweep.
bool has_model(const Book& book, ModelId id);
bool has_evaluation(const Book& book, EvaluationId id);
// The index of a lease in run_of_lease; nullopt if this ledger never granted it: it is of another
// server, or of a time that was lost when a backup was restored.
std::optional<std::size_t> lease_index(const Book& book, LeaseId id);
// The epoch of a lease that this ledger granted, or that it would grant now.
Epoch epoch_of(const Book& book, LeaseId id);

const Token* find_token(const Book& book, TokenId id);

// The sweep of a run that the book knows.
const Sweep& sweep_of(const Book& book, RunId id);

// The values of a sweep that was submitted under these rules (schemas/types/event.hpp).
ValueRule value_rule(int rules);

// How many runs the trials of the sweep have, and how its rules combine their values.
Replication replication_of(const Sweep& sweep);

// Makes the members that follow from the spec: space, sampler and terminator. Precondition: the
// spec was checked.
void equip(Sweep& sweep);

// How many phase times of a sweep are kept: enough for a quantile of 0.9.
inline constexpr std::size_t phase_times_max = 64;

// Returns a time that nine of ten phases of the sweep keep, or nullopt without a report so far.
std::optional<Duration> usual_phase_time(const Sweep& sweep);

// Measures the phase that ends now; the next one begins.
void note_phase(Sweep& sweep, Run& run, Instant now);

// Folds a worker that joins.
void add_worker(Book& book, const WorkerJoined& e, Instant at);

// Makes an ended sweep run again from `now`. The runs that have ended stay as they are.
void reopen(Sweep& sweep, Instant now);

// Returns how many further parameter sets may be proposed or enqueued.
std::int64_t proposals_left(const Sweep& sweep);

// Returns the trial's index in the history, where warm-started trials come first.
inline std::size_t history_index(const Sweep& sweep, std::int64_t number) {
  return sweep.history.foreign() + static_cast<std::size_t>(number);
}

}  // namespace hone
