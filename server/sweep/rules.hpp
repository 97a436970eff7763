// The rule of each command, and what several rules share, by the file that defines it. Internal to
// server/sweep: decide.cpp dispatches to these.
#pragma once

#include <set>

#include "schemas/types/event.hpp"
#include "server/sweep/decide.hpp"

namespace hone {

// SweepSubmitted::rules of new sweeps.
inline constexpr int rules_now = 1;

// Sweeps that have not ended. Each is in memory, and every request of a free worker looks at all of
// them: tests/bench/command_cost_bench.py measures it.
inline constexpr std::size_t open_sweeps_max = 5'000;

// decide.cpp
Result<Events> decide_start(const Book& book, const Start& command);
Status check_open_sweeps(const Book& book);  // whether another may be opened
Result<Events> decide_submit(const Book& book, const Submit& command);
Result<Events> decide_steer(const Book& book, const Steer& command);
Result<Events> decide_join(const Book& book, const Join& command);
// Return the id of equal information recorded before, or a new id, whose event they append.
WorkflowId record_workflow(const Book& book, const WorkflowInfo& info, Events& events);
DatasetId record_dataset(const Book& book, const DatasetInfo& info, Events& events);
// Those that the sweep file names.
void record_datasets(const Book& book, const SweepSpec& spec, Events& events);
// Steers a sweep and ends every waiting run that may not be resumed under the new order. Appends to
// `events`, which may hold ends of its runs.
void steer_sweep(const Book& book, const Sweep& sweep, Verb verb, EndReason reason, Events& events);
// Returns when the sweep's time limit is over, or nullopt if it has none that still matters.
std::optional<Instant> time_limit(const Sweep& sweep);

// confirm.cpp
Result<Events> decide_confirm(const Book& book, const Confirm& command);
// Appends a sweep that trains the leaders of this one again; nothing if no trial has a result.
void confirm_sweep(const Book& book, const Sweep& sweep, const History& history,
                   const ConfirmRequest& request, Events& events);
// Appends a confirmation if the sweep file asks for one and `events` ends with the end of the
// sweep, unless a user canceled it.
void confirm_if_asked(const Book& book, const Sweep& sweep, const History& history, Events& events);

// decide_ask.cpp
Result<Events> decide_ask(const Book& book, const Ask& command);
Result<Events> decide_tell(const Book& book, const Tell& command);
Result<Events> decide_enqueue(const Book& book, const Enqueue& command);
// An asker is a worker without slots; this is the request id that it joined with.
std::string asker_request(const std::string& asker);
// The request id of the asker's pending trial of a sweep, a lease that never expires.
std::string ask_request(SweepId sweep, const std::string& asker);

// decide_edit.cpp
Result<Events> decide_edit(const Book& book, const Edit& command);

// decide_failure.cpp
Result<Events> decide_allow(const Book& book, const Allow& command);
// Handles an attempt that is over before its run is: the class of its failure decides whether the
// run rests and returns to the queue, or ends, and whether its worker is quarantined.
void fail_attempt(const Book& book, const Lease& lease, const EndRequest& end, Instant now,
                  Events& events);
// Returns the reason with which runs end under the order of their sweep: time_limit, user_cancel or
// user_kill.
EndReason reason_of(Order order, const Sweep& sweep);
// Makes a run ready whose rest is over, or opens a reserved run to all workers.
Events run_ready(const Book& book, const Run& run, Instant now);
// Folds a failure that speaks against the run's worker.
void blame(WorkerState& worker, Run& run, Instant at);
// Folds a report: clears the worker's suspects if the reporting attempt began after its last
// failure.
void clear_suspects(Book& book, const Lease& lease, Instant at);
// Returns what is left of limits.run and limits.phase for the run's next attempt.
TimeLimits time_limits_of(const Sweep& sweep, const Run& run);
// Returns whether a worker other than `but` has been seen lately and may be given runs.
bool others_there(const Book& book, WorkerId but, Instant now);

// decide_fleet.cpp
Result<Events> decide_set_fleet(const Book& book, const SetFleet& command);
Result<Events> decide_stop_fleet(const Book& book, const StopFleet& command);
Result<Events> decide_reconcile(const Book& book, const Reconcile& command, Instant now);
// Folds an event of a fleet into the Book.
template <class E>
concept IsOfFleet = is_any_of<E, FleetSet, FleetSteered, FleetDecided, PilotWanted, PilotSeen,
                              PilotCanceled, PilotEnded>;
void fold_fleet(Book& book, const EventBody& body, Instant at);
// Returns the pilot whose token a joining worker shows, if it is of a fleet of this server.
std::optional<PilotSeen> joining_pilot(const Book& book, const std::string& token);

// finish.cpp
// Returns the paused run that trains to its end although the terminator has nothing to promote: one
// of the best trial. nullopt if a run has completed, none is paused, or trials have several seeds.
std::optional<RunId> run_to_finish(const Sweep& sweep, const History& history);

// decide_import.cpp
Result<Events> decide_import(const Book& book, const Import& command);

// decide_lease.cpp
Result<Events> decide_acquire(const Book& book, const Acquire& command, Instant now);
Result<Events> decide_beat(const Book& book, const Beat& command, Instant now);
Result<Events> decide_tick(const Book& book, Instant now);
// The error that tells a worker to stop working on a lease.
Error stale(const Book& book, LeaseId lease);
// Refuses (stale_epoch) a caller that knows `id` of another epoch than this ledger does. A caller
// that names no epoch is not checked.
Status check_epoch(Epoch named, Epoch ours, const std::string& id);
// A run that may be leased, after the events that make it so (a trial proposed, a run added).
struct LeaseCandidate {
  RunId run;
  int attempts = 0;
  std::optional<ModelId> resume;
  Events events;
  int step = 0;
};
// What a worker has for a run: free now, and in all.
struct Capacity {
  ResourcesSpec free;
  ResourcesSpec all;
};
// Returns the sweep's next run for `worker`, or nullopt if there is none now. Skips runs that are
// to avoid that worker, and steps that need more than it has free. While a step waits for slots
// that the worker has in all, it gets no new trial, which would take them. Without a capacity,
// every step fits.
std::optional<LeaseCandidate> find_lease_candidate(const Book& book, const Sweep& sweep,
                                                   WorkerId worker,
                                                   const std::optional<Capacity>& capacity = {});

// waiting.cpp
// Sets or clears when a run that rests, or is reserved, changes by itself.
void set_due(Book& book, Run& run, Instant due);
void clear_due(Book& book, Run& run);
// Removes a waiting run from wherever it waits.
void stop_waiting(Book& book, Sweep& sweep, Run& run);

// steps.cpp
// What the step of a run executes, where its sweep is a pipeline.
std::optional<StepRef> step_ref(const SweepSpec& spec, int step);
// The files that the run's step gets: those of the finished steps that it needs.
std::vector<FileRef> inputs_of(const SweepSpec& spec, const Run& run);
// Whether a later step of the run's pipeline follows.
bool step_follows(const Sweep& sweep, const Run& run);
// The checkpoint that the run's step continues from: its own, not that of an earlier step.
std::optional<ModelId> checkpoint_of_step(const Run& run);
// The step of a report on the run's own count: a later step of a pipeline starts from where the
// earlier one ended.
std::int64_t counted_step(const Run& run, std::int64_t step);
// Appends the end of a step that succeeded.
void finish_step(const Lease& lease, const Run& run, Events& events);
// Requires that a file of a pipeline is in the folder of the lease's step.
Status check_file(const Sweep& sweep, const Run& run, const Lease* lease, const std::string& name);
// Folds a file that a run left.
void keep_file(Book& book, Run& run, const ArtifactSaved& e);
// Folds the end of a step, once its lease is over: the run waits for its next one.
void begin_next_step(const Sweep& sweep, Run& run, const StepFinished& e);
// Completes a user's parameter set: draws the other parameters from the prior until the constraints
// hold, at most a hundred times.
Params completed(const SearchSpace& space, const Params& given, Rng rng);

// decide_note.cpp
Result<Events> decide_note(const Book& book, const AddNote& command);
Result<Events> decide_tags(const Book& book, const ChangeTags& command);
Result<Events> decide_archive(const Book& book, const Archive& command);
Result<Events> decide_pin(const Book& book, const Pin& command);

// decide_run.cpp
Result<Events> decide_report(const Book& book, const Report& command);
Result<Events> decide_save_model(const Book& book, const SaveModel& command);
Result<Events> decide_save_artifact(const Book& book, const SaveArtifact& command);
Result<Events> decide_log_metrics(const Book& book, const LogMetrics& command);
Result<Events> decide_record_code(const Book& book, const RecordCode& command);
Result<Events> decide_evaluate(const Book& book, const Evaluate& command);
Result<Events> decide_end(const Book& book, const End& command, Instant now);
// Appends a report, its verdict, and what follows from the verdict.
Status record_report(const Book& book, const Lease& lease, const ReportRequest& request,
                     Events& events);
// Returns the run that ended or was paused under `lease`, whose process may still send; null for
// lost leases.
const Run* ended_under(const Book& book, LeaseId lease);
// Returns the runs that `events` end.
std::set<RunId> ended_by(const Events& events);
// Appends the end of `run`, and the end of its sweep if this was its last active run and nothing is
// left to propose or to promote. `events` may hold the report that ended the run.
void end_run(const Book& book, const Sweep& sweep, const RunEnded& end, Events& events);

// decide_token.cpp
Result<Events> decide_create_token(const Book& book, const CreateToken& command, Instant now);
Result<Events> decide_revoke_token(const Book& book, const RevokeToken& command);
// Folds the event.
void add_token(Book& book, const TokenCreated& e);

}  // namespace hone
