// Everything that can happen. The ledger is a sequence of these; all other state is a fold over it.
// Kinds of events are added, never changed: a stored ledger must replay under every later version
// (tests/golden/ledger_v1.jsonl).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/boxed.hpp"
#include "schemas/types/expected.hpp"
#include "schemas/types/fleet_events.hpp"
#include "schemas/types/ids.hpp"
#include "schemas/types/imported_ids.hpp"
#include "schemas/types/info.hpp"
#include "schemas/types/instant.hpp"
#include "schemas/types/learned.hpp"
#include "schemas/types/neighbours.hpp"
#include "schemas/types/origin.hpp"
#include "schemas/types/proposal_cost.hpp"
#include "schemas/types/rank_prior.hpp"
#include "schemas/types/schedule.hpp"
#include "schemas/types/scopes.hpp"
#include "schemas/types/score.hpp"
#include "schemas/types/spec.hpp"
#include "schemas/types/states.hpp"
#include "schemas/types/turn.hpp"
#include "schemas/types/verdict.hpp"
#include "schemas/types/widening.hpp"
#include "schemas/types/width.hpp"

namespace hone {
// The coordinator started. Live leases are extended from this instant: workers kept training while
// it was down.
struct ServerStarted {
  std::string hone_version;
  Duration lease;  // lease length from here on
  Epoch epoch{};   // of the leases from here on; none: they continue the numbers before
};

struct WorkflowRecorded {
  WorkflowId workflow;
  Boxed<WorkflowInfo> info;
};

struct DatasetRecorded {
  DatasetId dataset;
  DatasetInfo info;
};

struct SweepSubmitted {
  SweepId sweep;
  std::string request_id;
  Boxed<SweepSpec> spec;
  WorkflowId workflow;
  std::optional<DatasetId> dataset;
  std::optional<SweepId> forked_from{};  // the sweep whose spec it was made from
  // Which decisions hold for the sweep, so that older sweeps replay as they were decided. 0: those
  // before rules were counted; 1: its winner trains to the end, hopeless sweeps end; 2: the
  // winner is complete, also with several seeds, and its confirmation at the end trains schedules;
  // 3: trials of several seeds are judged in the unit of the objective, and racing compares times
  // only with times; 4: members of stepped ranges are the numbers that people write (0.3), and
  // numbers that differ by rounding alone are the same; 5: a trial of an earlier sweep that ended
  // before the first phase of this one teaches nothing, and a leading paused trial is not closed;
  // 6: single runs with noisy values rank by what a model expects of them (TrialsExpected).
  int rules = 0;
  // For a rule that uses it: what the sweeps of search.warm_start showed when this one began.
  std::optional<RankPrior> rank_prior{};
  std::vector<Learned> learned{};  // of each sweep of search.warm_start; empty in older ledgers
};

struct SweepSteered {  // paused, resumed, stopping, canceling, killing
  SweepId sweep;
  Verb verb = Verb::stop;
  EndReason reason =
      EndReason::none;  // user_stop user_cancel user_kill time_limit; none for pause and resume
};

struct SweepEnded {
  SweepId sweep;
  SweepState state = SweepState::completed;
  EndReason reason = EndReason::budget_reached;
  std::string detail{};  // of failure_limit: how many runs failed, and why most of them did
};

struct WorkerJoined {
  WorkerId worker;
  std::string request_id;
  std::string host;
  std::int64_t pid = 0;
  int cpus = 1, gpus = 0;
  std::string hone_version;
  TokenId token{};  // the one that joined: no other may act for the worker. None without tokens
  PilotId pilot{};  // that it is of a fleet
  std::int64_t memory = 0;                 // bytes for its runs; 0: not known
  std::vector<std::string> labels{};       // "KEY=VALUE"
  std::vector<std::int64_t> gpu_memory{};  // bytes of each GPU; empty: not known
};

struct TrialProposed {  // its runs, one for each of spec.seeds, are queued with it
  TrialId trial;
  SweepId sweep;
  std::int64_t number = 0;  // 0.. within the sweep: the address of its random stream
  Params params;
  std::optional<TrialId> from{};          // the trial that a user submitted again, in part
  std::optional<Origin> origin{};         // a fork; none: its runs start from nothing
  std::vector<ScheduleStage> schedule{};  // a confirmed schedule: what follows `params`, by phase
  std::string creator{};                  // of an enqueued set: the name of the token that sent it
  std::optional<ProposalCost> cost{};     // of a proposal that weighs cost
};

struct TrialEnqueued {  // a user's own parameter set: proposed before the sampler is asked
  SweepId sweep;
  std::string request_id;
  Params params;  // those given; the sampler fills in the rest, a fork keeps those of its origin
  std::optional<TrialId> from{};
  std::optional<Origin> origin{};
  std::vector<ScheduleStage> schedule{};
  std::string creator{};  // the name of the token that sent it; empty without tokens
};

struct RunAdded {  // one more run of a trial, with another seed: queued
  RunId run;
};

struct LeaseGranted {  // a queued run, or a paused one that is promoted
  LeaseId lease;
  AttemptId attempt;
  WorkerId worker;
  std::string request_id;
  std::optional<ModelId> resume;
  Instant expires_at;
  int step = 0;                            // of the pipeline, that the lease covers
  std::optional<Turn> turn{};              // where other sweeps waited
  std::vector<int> devices{};              // its GPUs, of a worker that announced their memory
  std::optional<Width> width{};            // where resources.cpus is a range
  std::optional<Neighbours> neighbours{};  // where their speeds next to each other were measured
};

struct LeaseRenewed {
  LeaseId lease;
  Instant expires_at;
};

struct RunStarted {  // the first heartbeat, report or checkpoint of an attempt
  LeaseId lease;
};

struct ReportRecorded {
  LeaseId lease;
  RunId run;
  int phase = 0;
  std::int64_t step = 0;
  Score score = Score::diverged();
  std::vector<Score> further{};        // of the further objectives, in their order
  std::optional<bool> seed_applied{};  // what its process reported, if it did
  // false: the run has no checkpoint, so a pause would lose its work. Unset: it is not known
  std::optional<bool> resumable{};
  // By the clock of the sweep's objective, if that is one of time: over all attempts until here
  std::optional<double> spent{};
  std::optional<double> phase_seconds{};  // as the worker measured them
};

struct VerdictGiven {
  RunId run;
  int phase = 0;
  Verdict verdict;
};

// The terminator's verdict was pause: the lease is over, the checkpoint stays, the slot is free.
struct RunPaused {
  LeaseId lease;
  RunId run;
};

struct ModelSaved {
  ModelId model;
  LeaseId lease;
  RunId run;
  std::string sha256;
  std::int64_t bytes = 0;
  std::int64_t step = 0;
  int phase = 0;
  std::optional<ModelId> parent;  // the checkpoint this attempt had continued from
};

// An attempt is over but its run is not: the run is queued again.
struct RunReturned {
  LeaseId lease;
  RunId run;
  EndReason reason = EndReason::worker_lost;
  std::string detail;
  Failure failure = Failure::none;
  std::optional<Instant> not_before{};  // it rests until RunReady; absent: it is queued at once
  std::optional<WorkerId> avoid{};      // may have caused it: others are preferred, if any
  // It ran out of the memory of a GPU that it shared. That does not count: from now on the run
  // shares no GPU.
  bool alone = false;
  std::optional<KeptSlots> keep{};  // it is to continue there with more or fewer slots
  bool separated = false;           // the other runs of its worker are faster without it
  // Workers in a row that were lost with the run on them, this one included, without a report
  // between them; 0: its worker was not lost
  int workers_lost = 0;
};

struct RunEnded {
  RunId run;
  RunState state = RunState::completed;
  EndReason reason = EndReason::budget_reached;
  int exit_code = 0;
  std::string detail{};
  std::string log_tail{};
  Failure failure = Failure::none;
};

// The retention rule of its sweep dropped a checkpoint of an ended run: its bytes may be deleted.
struct ModelDropped {
  ModelId model;
  RunId run;
};

// A returned run has rested: it is queued. `reserved_until`: until then only for workers other than
// the one to avoid.
struct RunReady {
  RunId run;
  std::optional<Instant> reserved_until;
};

// A worker that waits for work is alive: recorded now and then, when no other event shows it, and
// when a slot begins or ceases to be kept free.
struct WorkerSeen {
  WorkerId worker;
  std::optional<KeptFree> kept_free{};
};

// Too many runs failed there and not elsewhere: it is quarantined until `until`.
struct WorkerSetAside {
  WorkerId worker;
  Instant until;
  std::string detail;
};

// The quarantine is over, or a user lifted it.
struct WorkerAllowed {
  WorkerId worker;
  bool by_user = false;
};

// A secret whose digest the server knows from here on. It sees the secret itself only as a bearer
// token.
struct TokenCreated {
  TokenId token;
  std::string request_id;
  std::string name;
  Scopes scopes;
  std::string sha256;  // of the secret
  std::optional<Instant> expires_at;
  TokenId by{};  // the token that created it; none for one that the server or an administrator made
};

struct TokenRevoked {
  TokenId token;
  TokenId by{};
};

// A file that a run left, kept under its name in the run's own folder.
struct ArtifactSaved {
  LeaseId lease;
  RunId run;
  std::string name;
  std::string sha256;
  std::int64_t bytes = 0;
};

// A user's note on an object.
struct NoteAdded {
  std::string request_id;
  ObjectId on;
  std::string text;
  std::string author;
};

struct TagsChanged {
  ObjectId on;
  std::vector<std::string> added;
  std::vector<std::string> removed;
};

// Removed from the lists, or put back; nothing else changes.
struct SweepArchived {
  SweepId sweep;
  bool archived = true;
};

// The checkpoints that the trial's runs still have are kept from here on, whatever the retention
// rule of its sweep.
struct TrialPinned {
  TrialId trial;
  bool pinned = true;
};

// What a user changed in a sweep (schemas/types/edit.hpp applies it to a spec). A sweep that had
// ended runs again.
struct SweepEdited {
  SweepId sweep;
  std::string request_id;
  std::optional<std::int64_t> trials{};
  std::optional<int> concurrency{};  // 0: the limit is lifted
  std::vector<Widening> widened{};
  std::optional<int> share{};
  std::optional<SlotsSpec> slots{};
  std::optional<Deadline> by{};             // both zero: none any more
  std::optional<CommandTrainer> command{};  // of later attempts; CodeRecorded names theirs
};

// The code that an attempt executes, as its worker found it; again at its end if it changed.
struct CodeRecorded {
  LeaseId lease;
  RunId run;
  WorkflowId workflow;
};

// A metric of a model was measured after its training.
struct ModelEvaluated {
  EvaluationId evaluation;
  std::string request_id;
  ModelId model;
  EvaluationInfo info;
};

// A step of a run's pipeline succeeded: its lease is over, and the run waits for its next step,
// which gets these files. The last step has no such event: it ends the run.
struct StepFinished {
  LeaseId lease;
  RunId run;
  int step = 0;
  std::vector<FileRef> files{};
};

struct Event;

// Which part of its sweep an import is. A large one is several events, and exists with the last.
// What a start finds without a last part is dropped: it will never exist.
enum class ImportPart { whole, first, further, last, dropped };

// A sweep that ended elsewhere: its events with their times, and with ids of this server.
struct SweepImported {
  SweepId sweep;
  std::string request_id;
  std::vector<Event> past;
  std::optional<SweepId> confirms{};  // of this server; its trials are `from` in the past
  std::string ledger{};               // of the document
  ImportPart part = ImportPart::whole;
  std::optional<ImportedIds> ids{};  // of a first part
};

using EventAlternatives =
    std::variant<ServerStarted, WorkflowRecorded, DatasetRecorded, SweepSubmitted, SweepSteered,
                 SweepEnded, WorkerJoined, TrialProposed, LeaseGranted, LeaseRenewed, RunStarted,
                 ReportRecorded, VerdictGiven, ModelSaved, RunReturned, RunEnded, TrialEnqueued,
                 RunAdded, RunPaused, ModelDropped, RunReady, WorkerSeen, WorkerSetAside,
                 WorkerAllowed, TokenCreated, TokenRevoked, ArtifactSaved, NoteAdded, TagsChanged,
                 SweepArchived, TrialPinned, SweepEdited, SweepImported, FleetSet, FleetSteered,
                 FleetDecided, PilotWanted, PilotSeen, PilotCanceled, PilotEnded, CodeRecorded,
                 ModelEvaluated, StepFinished, TrialsExpected>;

template <class T, class Variant>
inline constexpr bool is_alternative = false;
template <class T, class... Alternatives>
inline constexpr bool is_alternative<T, std::variant<Alternatives...>> =
    (std::is_same_v<T, Alternatives> || ...);

// One of the events. A class, so that headers can declare it without the events. Its copies and
// moves are compiled once, in event.cpp.
struct EventBody : EventAlternatives {
  template <class E>
  requires is_alternative<E, EventAlternatives> EventBody(E event)
      : EventAlternatives(std::in_place_type<E>, std::move(event)) {}
  EventBody();
  EventBody(const EventBody& other);
  EventBody(EventBody&& other) noexcept;
  EventBody& operator=(const EventBody& other);
  EventBody& operator=(EventBody&& other) noexcept;
  ~EventBody();
};

// The engine stamps seq and at. seq counts from 1 without gaps; at never goes backwards.
struct Event {
  std::int64_t seq = 0;
  Instant at;
  EventBody body;
};

}  // namespace hone
