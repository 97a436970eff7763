// Bodies that travel between CLI, SDK, workers and server. schemas/v1/*.json describes the same for
// other languages; schemas/codec turns them into JSON and back. submit.hpp has the one that holds a
// whole sweep, past.hpp those that hold events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schemas/types/budget_spec.hpp"
#include "schemas/types/fleet.hpp"
#include "schemas/types/ids.hpp"
#include "schemas/types/info.hpp"
#include "schemas/types/instant.hpp"
#include "schemas/types/machine.hpp"
#include "schemas/types/metric.hpp"
#include "schemas/types/scopes.hpp"
#include "schemas/types/score.hpp"
#include "schemas/types/states.hpp"
#include "schemas/types/trainer_spec.hpp"
#include "schemas/types/value.hpp"
#include "schemas/types/verdict.hpp"

namespace hone {

struct SteerRequest {
  Verb verb = Verb::stop;
};

struct JoinRequest {
  std::string request_id;
  std::string host;
  std::int64_t pid = 0;
  int cpus = 1;  // slots this worker offers
  int gpus = 0;
  std::string hone_version;
  std::string pilot{};                     // the token with which a fleet submitted it
  std::int64_t memory = 0;                 // bytes for its runs; 0: not known
  std::vector<std::string> labels{};       // "KEY=VALUE"
  std::vector<std::int64_t> gpu_memory{};  // bytes of each GPU; empty: not known
};

struct JoinReply {
  WorkerId worker;
  Duration lease;              // how long a lease lasts without a heartbeat
  Duration heartbeat;          // how often to send one
  Epoch epoch{};               // in which the worker joined: it returns it with the requests below
  bool phase_seconds = false;  // whether reports may have them: older servers refuse what is new
  bool machine = false;        // likewise the samples of heartbeats and requests for work
};

struct AcquireRequest {
  std::string request_id;  // the same id again returns the same lease, while it lives
  WorkerId worker;
  int cpus = 1;  // free slots
  int gpus = 0;
  Duration wait;  // long poll: how long the server may hold the request while there is no work
  Epoch epoch{};  // as in JoinReply; none: an older worker
  // Until the worker drains; absent: it has no end. It gets no run whose next phase would not fit.
  std::optional<Duration> time_left{};
  bool steps = false;  // it can execute a step of a pipeline; an older worker gets none
  // Bytes of each GPU that no run has; all of a GPU's: it is free. Empty where they are not known
  std::vector<std::int64_t> gpu_free{};
  std::optional<MachineSamples> machine{};  // those that no request has brought
};

// hone as an optimizer without workers: the client asks for a trial and tells its result.
struct AskRequest {
  std::string asker;  // the same asker gets its pending trial again until its result is recorded
};

// A stored checkpoint: the bytes are at GET /v1/blobs/{sha256}.
struct ModelRef {
  ModelId id;
  std::string sha256;
  std::int64_t bytes = 0;
  std::int64_t step = 0;
  int phase = 0;  // the phase it was taken at the end of
  friend bool operator==(const ModelRef&, const ModelRef&) = default;
};

// Where an attempt begins to count (schemas/types/attempt_origin.hpp). Steps are units of the
// budget that the run has trained, over all attempts and steps of its pipeline.
struct AttemptOrigin {
  std::int64_t step = 0;      // of the checkpoint handed over; else `begin`
  int phase = 0;              // the first that it trains; it may have a report already
  std::int64_t begin = 0;     // where its step of the pipeline begins; 0 without a pipeline
  std::int64_t reported = 0;  // the step of the newest report; 0 without a report
  friend bool operator==(const AttemptOrigin&, const AttemptOrigin&) = default;
};

struct AskReply {
  TrialId trial;
  std::int64_t number = 0;
  LeaseId lease;
  Params params;
  std::uint64_t seed = 0;
  int next_phase = 0;                     // the phase that the next tell reports
  Epoch epoch{};                          // in which the trial was asked for: the tell returns it
  std::optional<ModelRef> resume{};       // the checkpoint to continue from, if any
  std::optional<AttemptOrigin> origin{};  // what it counts from; absent: an earlier version
  friend bool operator==(const AskReply&, const AskReply&) = default;
};

struct TellRequest {
  Told told = Told::value;
  std::optional<int> phase;  // absent: the next one
  std::int64_t step = 0;
  Score score = Score::diverged();
  std::vector<Score> further{};  // of the further objectives, in their order
  std::string detail;            // why it failed
  Epoch epoch{};                 // as in AskReply; none: not checked
  // That the phase took by the client's own clock. Absent: it was not measured
  std::optional<double> phase_seconds{};
};

struct TellReply {
  Verdict verdict;
};

// Start from a checkpoint of another run of the sweep.
struct ForkRequest {
  RunId run;
  std::optional<int> phase{};  // the last one that it takes over; absent: the latest
  friend bool operator==(const ForkRequest&, const ForkRequest&) = default;
};

struct EnqueueRequest {
  std::string request_id;
  Params params;                      // may leave parameters out: the sampler fills them in
  std::optional<TrialId> from{};      // the trial that it repeats in part
  std::optional<ForkRequest> fork{};  // parameters left out are then those of that run
};

struct ConfirmRequest {
  std::string request_id;  // the same id again answers the same confirmation
  int top = 3;
  int seeds = 10;
};

struct EnqueueReply {
  std::int64_t waiting = 0;  // enqueued parameter sets not yet proposed, this one included
};

struct NoteRequest {
  std::string request_id;  // the same id again adds nothing
  ObjectId on;
  std::string text;
  std::string author{};
};

struct TagRequest {
  ObjectId on;
  std::vector<std::string> add{};
  std::vector<std::string> remove{};
};

struct ArchiveRequest {
  bool archived = true;
};

struct PinRequest {
  bool pinned = true;
};

// A token whose secret the client made: the server receives only its digest.
struct CreateTokenRequest {
  std::string request_id;  // the same id again answers with the same token
  std::string name;        // for people; no two live tokens share one
  Scopes scopes;
  std::string sha256;                // of the secret
  std::optional<Duration> lifetime;  // absent: it does not expire
};

struct CreateTokenReply {
  TokenId token;
  std::optional<Instant> expires_at;
  friend bool operator==(const CreateTokenReply&, const CreateTokenReply&) = default;
};

// Creates a fleet, or replaces the description of one.
struct FleetRequest {
  std::string request_id;          // the same id again changes nothing
  std::optional<FleetId> fleet{};  // absent: a new one
  FleetSpec spec;
};

struct FleetReply {
  FleetId fleet;
};

// Which step of its pipeline a lease covers.
struct StepRef {
  std::string name;
  int index = 0;
  int count = 1;
  friend bool operator==(const StepRef&, const StepRef&) = default;
};

// How long a process may take; absent: no limit. The time that it waits for the server does not
// count.
struct TimeLimits {
  std::optional<Duration> run;    // all that is left of limits.run
  std::optional<Duration> phase;  // without a report or a checkpoint
  friend bool operator==(const TimeLimits&, const TimeLimits&) = default;
};

// Everything a worker needs to execute one attempt.
struct LeaseGrant {
  LeaseId lease;
  AttemptId attempt;
  SweepId sweep;
  std::string sweep_name;
  Objective objective;
  TrainerSpec trainer;
  Params params;
  std::uint64_t seed = 0;  // of this run: Stream(sweep seed, run_seed, trial number, replicate)
  BudgetSpec budget;
  ResourcesSpec resources;
  int next_phase = 0;              // the first phase without a report
  std::optional<ModelRef> resume;  // the checkpoint to continue from, if any
  Instant expires_at;
  TimeLimits limits{};
  std::optional<StepRef> step{};  // of a pipeline; trainer and resources are those of the step
  std::vector<FileRef> inputs{};  // of the earlier steps that it needs
  std::vector<Objective> further_objectives{};  // of the sweep, that are traded off
  // Which of the worker's GPUs, where it announced their memory; else it chooses free ones.
  std::vector<int> devices{};
  std::optional<AttemptOrigin> origin{};  // absent: the server is of an earlier version
};

struct ReportRequest {
  int phase = 0;
  std::int64_t step = 0;  // units of the budget trained so far, over all attempts
  Score score = Score::diverged();
  std::vector<Score> further{};         // of the further objectives, in their order
  std::optional<bool> seed_applied{};   // whether the process trains with the seed it was given
  std::optional<bool> resumable{};      // whether the run has a checkpoint to continue from
  std::optional<double> seconds{};      // since the processes of this attempt began
  std::optional<double> cpu_seconds{};  // that they used
  // Of the run by the objective's clock, instead of what the attempt's time adds up to. Not on the
  // wire: for rules that are replayed or simulated
  std::optional<double> spent{};
  // That the phase took by the worker's clock, without waiting for the server: how fast runs are
  // next to others. Absent: it was not measured
  std::optional<double> phase_seconds{};
};

struct ReportReply {
  Verdict verdict;
};

struct SaveModelRequest {
  std::string sha256;  // the blob must have been put before
  std::int64_t bytes = 0;
  std::int64_t step = 0;
  int phase = 0;
};

struct SaveModelReply {
  ModelId model;
};

struct EvaluateRequest {
  std::string request_id;  // the same id again returns the same evaluation
  EvaluationInfo evaluation;
};

struct EvaluateReply {
  EvaluationId evaluation;
};

// A file that a run left: its bytes must have been put before. The same again changes nothing;
// other bytes under the same name replace the earlier ones.
struct SaveArtifactRequest {
  std::string name;  // a relative path
  std::string sha256;
  std::int64_t bytes = 0;
};

struct MetricsRequest {
  std::vector<MetricPoint> points;
};

// The code that an attempt is about to execute; again at its end if it has changed.
struct RecordCodeRequest {
  WorkflowInfo workflow;
};

// What became of an attempt's process, as the worker saw it.
struct EndRequest {
  EndReason reason =
      EndReason::none;  // budget_reached exited_early no_report exit_code signal cannot_start
                        // infeasible requeue_requested user_cancel user_kill evicted
  int exit_code = 0;    // exit_code: the status. signal: the signal's number
  std::string detail;
  std::string log_tail;             // the last lines the process wrote, for failures
  Failure failure = Failure::none;  // none: as the reason implies
  bool gpu_full = false;            // failure is oom: it was the memory of a GPU
  bool worker_killed = false;       // requeue_requested: the process died with its worker
};

struct BeatRequest {
  std::vector<LeaseId> leases;              // every lease whose process is alive
  Epoch epoch{};                            // as in JoinReply; none: an older worker
  std::optional<MachineSamples> machine{};  // as in AcquireRequest
};

struct LeaseStanding {
  LeaseId lease;
  Order order = Order::none;
  Instant expires_at;
  bool stale_epoch = false;  // gone, since this ledger never granted it
  bool log_wanted = false;   // a client reads the log: send what is new
};

struct BeatReply {
  std::vector<LeaseStanding> leases;  // one for each asked, in the same order
};

}  // namespace hone
