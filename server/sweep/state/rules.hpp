// The rule of each command, and what several rules share, by the file that defines it. Internal to
// server/sweep: decide.cpp dispatches to these.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>

#include "schemas/types/event.hpp"
#include "server/sweep/state/attempt_limits.hpp"
#include "server/sweep/state/command.hpp"
#include "server/sweep/state/fair_share.hpp"
#include "server/sweep/state/rules_now.hpp"
#include "server/sweep/state/state.hpp"

namespace hone {

// Sweeps that have not ended. Each is in memory, and every request of a free worker looks at all of
// them: tests/bench/command_cost_bench.py measures it.
inline constexpr std::size_t open_sweeps_max = 5'000;

// Stages times parameters of all trials of a confirmation: some 60 MB of memory and of the ledger.
inline constexpr std::size_t schedule_values_max = 1'000'000;

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

// submit/confirm.cpp
Result<Events> decide_confirm(const Book& book, const Confirm& command);
// Returns the sweep of this server that `confirmation` confirms: the spec of an imported one names
// that of another server. Precondition: where there is one, it is in the book.
std::optional<SweepId> confirmed_of(const Book& book, SweepId confirmation);
// Appends a sweep that trains the leaders again if the sweep file asks for one and `events` ends
// with the end of the sweep, unless a user canceled it, no trial has a result, or their schedules
// are too large.
void confirm_if_asked(const Book& book, const Sweep& sweep, const History& history, Events& events);

// submit/decide_ask.cpp
Result<Events> decide_ask(const Book& book, const Ask& command);
Result<Events> decide_tell(const Book& book, const Tell& command, Instant now);
Result<Events> decide_enqueue(const Book& book, const Enqueue& command);
// Returns the values that are meant by those that a user gives, as members of the space (0.3 and
// 0.30000000000000004 are one of a range with steps of 0.1, 1 is 1.0 of a float). Refuses values of
// parameters that the space lacks or computes, and values that mean no member.
Result<Params> entered_params(const SearchSpace& space, const Params& given);
// An asker is a worker without slots; this is the request id that it joined with.
std::string asker_request(const std::string& asker);
// The request id of the asker's pending trial of a sweep, a lease that never expires.
std::string ask_request(SweepId sweep, const std::string& asker);

// submit/decide_edit.cpp
Result<Events> decide_edit(const Book& book, const Edit& command);

// verdict/decide_failure.cpp
Result<Events> decide_allow(const Book& book, const Allow& command);
// Handles an attempt that is over before its run is: the class of its failure decides whether the
// run rests and returns to the queue, or ends, and whether its worker is quarantined.
void fail_attempt(const Book& book, const Lease& lease, const EndRequest& end, Instant now,
                  Events& events);
// Returns the reason with which runs end under the order of their sweep: time_limit, user_cancel or
// user_kill.
EndReason reason_of(Order order, const Sweep& sweep);
// verdict/lost_workers.cpp
// The end of an attempt whose lease expired.
EndRequest end_of_silence(const Lease& lease);
// Whether its worker was lost with the attempt.
bool lost_worker(const EndRequest& end);
// Returns the end of an attempt with its class where the worker was lost: it counts if the run was
// alone there; nothing tells it from the others that were.
EndRequest with_lost_worker(const Run& run, const Lease& lease, EndRequest end);
// Whether the run must wait until no other run is on the worker.
bool waits_to_be_alone(const Book& book, const Run& run, WorkerId worker);
// Whether a run is on the worker that is tried alone there.
bool tries_alone(const Book& book, const WorkerState& worker);
// Whether the worker takes no run of a later sweep, so that it becomes empty for one of this sweep.
bool empties_for(const Book& book, const Sweep& sweep, const WorkerState& worker, Instant now);
// Folds a lease: the runs of its worker are not alone there.
void note_company(Book& book, const WorkerState& worker);
// Mints a lease. A repaired ledger lacks the leases of events that were left out.
void note_lease(Book& book, const LeaseGranted& granted);
// Folds the return of a run whose worker may have been lost. Call before its lease is released.
void note_lost_worker(Run& run, const RunReturned& e, const Lease& lease, Instant at);
// Folds a sign of life: a run that trains alone for longer than before a loss caused none of them.
void clear_if_outlived(Run& run, const Lease& lease, Instant at);

// verdict/decide_failure.cpp
// Makes a run ready whose rest is over, or opens a reserved run to all workers.
Events run_ready(const Book& book, const Run& run, Instant now);
// Folds a failure that speaks against the run's worker.
void blame(WorkerState& worker, Run& run, Instant at);
// Folds a report: clears the worker's suspects if the reporting attempt began after its last
// failure.
void clear_suspects(Book& book, const Lease& lease, Instant at);
// Fold that a worker gets no runs for a while, and that it may again.
void set_aside(Book& book, const WorkerSetAside& e);
void allow(Book& book, const WorkerAllowed& e);
// Returns what is left of limits.run and limits.phase for the run's next attempt.
TimeLimits time_limits_of(const Sweep& sweep, const Run& run);
// Returns whether the worker has been seen lately and may be given runs.
bool is_present(const WorkerState& worker, Instant now);
// Returns whether a worker other than `but` has been seen lately and may be given runs.
bool others_there(const Book& book, WorkerId but, Instant now);

// fleet/decide_fleet.cpp
Result<Events> decide_set_fleet(const Book& book, const SetFleet& command);
Result<Events> decide_stop_fleet(const Book& book, const StopFleet& command);
Result<Events> decide_forget_fleet(const Book& book, const ForgetFleet& command);
Result<Events> decide_reconcile(const Book& book, const Reconcile& command, Instant now);
// Folds an event of a fleet into the Book.
template <class E>
concept IsOfFleet = is_any_of<E, FleetSet, FleetSteered, FleetDecided, PilotWanted, PilotSeen,
                              PilotCanceled, PilotEnded>;
void fold_fleet(Book& book, const EventBody& body, Instant at);
// Returns the pilot whose token a joining worker shows, if it is of a fleet of this server.
std::optional<PilotSeen> joining_pilot(const Book& book, const std::string& token);

// history/decide_import.cpp
Result<Events> decide_import(const Book& book, const Import& command);
// Folds the events of a document into an empty Book. Refuses (invalid) those that cannot have
// happened. Depends on the document alone, so that any thread may call it.
Status check_past(const SweepPast& past);

// history/import_confirmed.cpp
// Returns the sweep that the document's confirmation confirms, or null if the document names none.
// Refuses one that is not here or does not fit. Precondition: the document was checked.
Result<const Sweep*> find_confirmed(const Book& book, const SweepPast& past);
// Sets the origins of the trials in the events of a past, in their order.
class TrialLinks {
 public:
  TrialLinks() = default;  // sets none
  TrialLinks(const Sweep& confirmed, const PastConfirmed& confirms);
  void link(EventBody& body);

 private:
  void set(std::size_t number, std::optional<TrialId>& from) const;

  std::map<std::size_t, TrialId> origins_;  // by the number of the trial
  // A confirmation proposes what was enqueued, in order.
  std::size_t proposed_ = 0, enqueued_ = 0;
};

// history/import_parts.cpp
// Returns the Book that the events of this part are folded into.
Book& begin_import(Book& book, const SweepImported& e);
// Call once they are folded. True where the sweep is in `book` from here on.
bool end_import(Book& book, const SweepImported& e);

// lease/decide_lease.cpp
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
  std::vector<int> devices{};  // of the worker's GPUs, where their memory is known
};
// Resources of a worker. Of GPUs whose memory is known, the amounts of each.
struct Room {
  ResourcesSpec counted;
  std::vector<std::int64_t> gpu_free{};
  std::vector<std::int64_t> gpu_memory{};  // in all; empty: not known
};
// What a worker has for a run: free now, and in all.
struct Capacity {
  Room free;
  Room all;
};
// Returns the sweep's next run for `worker`, or nullopt if there is none now. Skips runs that are
// to avoid that worker, and steps that need more than it has free. While a step waits for slots
// that the worker has in all, it gets no new trial, which would take them. Without a capacity,
// every step fits. None exceeds the sweep's slots.max.
std::optional<LeaseCandidate> find_lease_candidate(const Book& book, const Sweep& sweep,
                                                   WorkerId worker,
                                                   const std::optional<Capacity>& capacity = {});
// Whether there is one. Chooses no parameters for a fork, which takes a tenth of a second.
bool has_lease_candidate(const Book& book, const Sweep& sweep, WorkerId worker,
                         const Capacity& capacity);
// Whether the worker might get a run of the sweep. Proposes nothing: that may take a second.
// Without a worker and a capacity, whether any might.
bool gives_run(const Book& book, const Sweep& sweep, WorkerId worker,
               const std::optional<Capacity>& capacity);
// Returns what that run takes. Proposes nothing, and may therefore name a run that a sampler does
// not have.
std::optional<ResourcesSpec> next_needs(const Book& book, const Sweep& sweep, WorkerId worker,
                                        const Capacity& capacity);

// lease/gpus.cpp
// What the next lease of the run takes.
ResourcesSpec needs_of(const SweepSpec& spec, const Run& run);
// What a lease takes.
ResourcesSpec needs_of(const SweepSpec& spec, const Lease& lease);
// Returns the GPUs that a run gets: those with the most free memory; of equal ones, the first.
// Without gpu_memory they are GPUs that no run has. nullopt if too few fit. Precondition: their
// memory is known.
std::optional<std::vector<int>> devices_for(const ResourcesSpec& needs, const Room& room);
// Leaves nothing free of so many GPUs: those with the most free memory.
void empty_gpus(int gpus, Room& room);
// Whether the room has GPUs for the run.
bool gpus_fit(const ResourcesSpec& needs, const Room& room);
// Fold a lease on its GPUs, and its end.
void take_gpus(WorkerState& worker, const Lease& lease, const ResourcesSpec& needs);
void give_gpus_back(WorkerState& worker, const Lease& lease, const ResourcesSpec& needs);
// Refuses an offer of other GPUs than the worker announced.
Status check_offer(const WorkerState& worker, const AcquireRequest& offer);
// Returns the least room in which the granted lease fits.
Room room_of(const SweepSpec& spec, const Run* run, int step);

// state/waiting_runs.cpp
// Sets or clears when a run that rests, or is reserved, changes by itself.
void set_due(Book& book, Run& run, Instant due);
void clear_due(Book& book, Run& run);
// Removes a waiting run from wherever it waits.
void stop_waiting(Book& book, Sweep& sweep, Run& run);

// lease/attempt_origin.cpp
// The checkpoint that the next attempt continues from: the newest one of its step that is not past
// a phase without a report, so that each phase is reported by its own training.
std::optional<ModelId> checkpoint_to_resume(const Book& book, const Run& run);
// Where an attempt counts from.
AttemptOrigin origin_of(const SweepSpec& spec, const Run& run,
                        const std::optional<ModelRef>& resume);

// lease/steps.cpp
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

// history/decide_note.cpp
// Refuses (not_found) an id that names nothing yet, also one that an unfinished import has taken.
Status check_exists(const Book& book, const ObjectId& id, const std::string& at = {});
Result<Events> decide_note(const Book& book, const AddNote& command);
Result<Events> decide_tags(const Book& book, const ChangeTags& command);
Result<Events> decide_archive(const Book& book, const Archive& command);
Result<Events> decide_pin(const Book& book, const Pin& command);

// verdict/judge.cpp
// The history after the events that this command has caused so far.
History foreseen(const Book& book, const Sweep& sweep, const Events& events);
// The time that the run has taken by the objective's clock: up to the checkpoint that the attempt
// continues from, and that of the attempt. What a restart lost does not count. nullopt where the
// clock counts steps, or the objective is no time.
std::optional<double> time_spent(const Sweep& sweep, const Run& run, const Lease& lease,
                                 const ReportRequest& request, Instant now);
// The verdict on the report that `events` ends with.
Verdict judge(const Book& book, const Sweep& sweep, const Run& run, const Events& events);

// verdict/decide_run.cpp
Result<Events> decide_report(const Book& book, const Report& command, Instant now);
Result<Events> decide_save_model(const Book& book, const SaveModel& command);
Result<Events> decide_save_artifact(const Book& book, const SaveArtifact& command);
Result<Events> decide_log_metrics(const Book& book, const LogMetrics& command);
Result<Events> decide_record_code(const Book& book, const RecordCode& command);
void note_code(Book& book, Run& run, const CodeRecorded& event);
// Refuses (conflict) what exceeds the limit. `recorded`: of the attempt so far.
Status check_attempt(const AttemptLimit& limit, int recorded);
Result<Events> decide_evaluate(const Book& book, const Evaluate& command);
Result<Events> decide_end(const Book& book, const End& command, Instant now);
// Appends a report, its verdict, and what follows from the verdict.
Status record_report(const Book& book, const Lease& lease, const ReportRequest& request,
                     Instant now, Events& events);
// Returns the run that ended, was paused or gave its slots back under `lease`, whose process may
// still send; null for lost leases.
const Run* ended_under(const Book& book, LeaseId lease);
// Returns the runs that `events` end.
std::set<RunId> ended_by(const Events& events);
// Appends the end of `run`, and the end of its sweep if this was its last active run and nothing is
// left to propose or to promote. `events` may hold the report that ended the run.
void end_run(const Book& book, const Sweep& sweep, const RunEnded& end, Events& events);

// lease/fair_turns.cpp
// Whether its user lets the sweep lease runs at all.
bool may_give(const Sweep& sweep);
// Whether the run can be continued later from the phase that it has just reported. After the last
// phase of its step it ends by itself.
bool may_return(const Sweep& sweep, const Run& run, const VerdictGiven& given);
// Whether the sweep may lease more at all. Cheap; may return false positives: a rule may have
// nothing to promote. Even without an open run it may start another seed of a trial.
bool may_have_work(const Sweep& sweep);
// Returns what a run may take of its worker: no more than is offered, and no more than the worker
// announced less its live leases. An offer may be older than the grant that its worker got last.
Room free_room(const WorkerState& worker, const AcquireRequest& offer);
// The same where the worker offers all that it announced.
Room free_room(const WorkerState& worker);
// Returns all that the worker has for runs.
Room whole(const WorkerState& worker);
bool fits(const ResourcesSpec& need, const Room& free);
// Whether a step of the sweep's runs fits there, or its runs where it has no steps.
bool fits_a_step(const SweepSpec& spec, const Room& free);
// A sweep that may get the slots that a worker offers.
struct Candidate {
  const Sweep* sweep = nullptr;
  ShareClaim claim;
};
// Returns those for which `may` holds, in the order in which they get slots.
std::vector<Candidate> in_turn(const Book& book, const std::function<bool(const Sweep&)>& may,
                               Instant now);
// Returns the sweep for which the worker's slots are kept until its run fits: a wide run would
// never find enough free slots at once where narrow ones take each that becomes free.
std::optional<SweepId> reserved_for(const Book& book, const WorkerState& worker, Instant now);
// Why the first candidate that had a run got the slots; nullopt if no other waited.
std::optional<Turn> turn_of(const std::vector<Candidate>& order, std::size_t chosen);
// After a report whose rule continues the run: if another sweep is to have its slots, replaces the
// verdict, which `events` ends with, and returns the run to its queue.
void yield_slots(const Book& book, const Lease& lease, Instant now, Events& events);
double service_at(const Service& service, Instant now);
// The least service of the other sweeps that want slots: where a sweep begins that joins them.
double least_service(const Book& book, SweepId but, Instant now);
// Fold a lease, and its end.
void take_slots(Book& book, Sweep& sweep, Lease& lease, const std::optional<Turn>& turn,
                Instant at);
void give_slots_back(Book& book, Sweep& sweep, const Lease& lease, Instant at);
// Folds that a sweep which had no claim to slots for a while has one again: it has saved nothing.
void rejoin(const Book& book, Sweep& sweep, Instant at);

// lease/widths.cpp
// Returns how many slots the candidate gets of the worker, or nullopt where resources.cpus is a
// number. While another run waits that the worker could train, it gets the least.
std::optional<Width> width_of(const Book& book, const Sweep& sweep, const LeaseCandidate& candidate,
                              WorkerId worker, const Room& free);
// After a report whose rule continues the run: if it is to have more slots, or fewer as another run
// waits for them, replaces the verdict, which `events` ends with, and returns the run to its queue.
void change_width(const Book& book, const Lease& lease, Instant now, Events& events);
// Folds the time of the phase that a report ends, before note_phase does.
void note_width(Sweep& sweep, Run& run, const Lease& lease, Instant now);

// lease/neighbours.cpp
// The kind of a step of the sweep's runs with so many slots: what makes runs alike in cost.
int kind_of(const Sweep& sweep, int step, int cpus);
// Why no run of the sweep gets a free slot of the worker; nullopt: one may get it. May look at
// measurements only, so that it is the same whenever the ledger is replayed.
std::optional<KeptFree> kept_free(const Book& book, const Sweep& sweep, WorkerId worker, int step);
// What a run that starts on the worker will be next to; nullopt: no such pair was measured.
std::optional<Neighbours> neighbours_of(const Book& book, const Sweep& sweep, WorkerId worker,
                                        int step, int cpus);
// After a report whose rule continues the run: if the worker's runs are faster together without it,
// replaces the verdict, which `events` ends with, and returns the run to its queue.
void separate(const Book& book, const Lease& lease, Instant now, Events& events);
// Fold a lease on its worker, and its end.
void join_neighbours(Book& book, Lease& lease, const std::optional<Neighbours>& neighbours,
                     Instant at);
void leave_neighbours(Book& book, const Lease& lease, Instant at);
// Folds the seconds of the phase that the run's last report ends, before note_phase does.
void note_speed(Book& book, Run& run, const Lease& lease, std::optional<double> measured,
                Instant now);
// Folds a start of the server: phases that it has seen in part only count for no speed.
void forget_phases(Book& book, Instant at);
// Folds a sign of life.
void note_seen(WorkerState& worker, const WorkerSeen& e, Instant at);

// decide_token.cpp
Result<Events> decide_create_token(const Book& book, const CreateToken& command, Instant now);
Result<Events> decide_revoke_token(const Book& book, const RevokeToken& command);
// Folds the event.
void add_token(Book& book, const TokenCreated& e);

}  // namespace hone
