// The rule of each command, and what several of them share. Internal to server/sweep: decide.cpp
// dispatches to these.
#pragma once

#include "server/sweep/decide.hpp"

namespace hone {

Result<Events> decide_submit(const Book& book, const Submit& command);
Result<Events> decide_steer(const Book& book, const Steer& command);
Result<Events> decide_join(const Book& book, const Join& command);
Result<Events> decide_acquire(const Book& book, const Acquire& command, Instant now);
Result<Events> decide_beat(const Book& book, const Beat& command, Instant now);
Result<Events> decide_report(const Book& book, const Report& command);
Result<Events> decide_save_model(const Book& book, const SaveModel& command);
Result<Events> decide_save_artifact(const Book& book, const SaveArtifact& command);
Result<Events> decide_log_metrics(const Book& book, const LogMetrics& command);
Result<Events> decide_end(const Book& book, const End& command, Instant now);
Result<Events> decide_ask(const Book& book, const Ask& command);
Result<Events> decide_tell(const Book& book, const Tell& command);
Result<Events> decide_enqueue(const Book& book, const Enqueue& command);
Result<Events> decide_tick(const Book& book, Instant now);
Result<Events> decide_create_token(const Book& book, const CreateToken& command, Instant now);
Result<Events> decide_revoke_token(const Book& book, const RevokeToken& command);
Result<Events> decide_confirm(const Book& book, const Confirm& command);

// Where the sweep file asks for a confirmation and `events` ends with the end of the sweep, other
// than by a user's cancel: appends it.
void confirm_if_asked(const Book& book, const Sweep& sweep, const History& history, Events& events);

// Appends a sweep that trains the leaders of this one again: confirm.cpp. Nothing where no trial of
// it has a result.
void confirm_sweep(const Book& book, const Sweep& sweep, const History& history,
                   const ConfirmRequest& request, Events& events);
Result<Events> decide_note(const Book& book, const AddNote& command);
Result<Events> decide_tags(const Book& book, const ChangeTags& command);
Result<Events> decide_archive(const Book& book, const Archive& command);
Result<Events> decide_pin(const Book& book, const Pin& command);
Result<Events> decide_edit(const Book& book, const Edit& command);
Result<Events> decide_import(const Book& book, const Import& command);

// The id of equal information recorded before, or a new one, whose event is appended.
WorkflowId record_workflow(const Book& book, const WorkflowInfo& info, Events& events);
DatasetId record_dataset(const Book& book, const DatasetInfo& info, Events& events);

// The refusal that tells a worker to stop working for a lease.
Error stale(LeaseId lease);

// Appends the end of `run`, and the end of its sweep when this was its last active run and nothing
// is left to propose or to promote. `events` may hold the report that ended it.
void end_run(const Book& book, const Sweep& sweep, const RunEnded& end, Events& events);

// Appends what a report means: itself, its verdict, and what follows from the verdict.
Status report(const Book& book, const Lease& lease, const ReportRequest& request, Events& events);

// Work of one sweep for whoever is free: the run, after the events that make it leasable (a trial
// proposed, a run added). nullopt where the sweep has none now.
struct Work {
  RunId run;
  int attempts = 0;
  std::optional<ModelId> resume;
  Events events;
};
// `worker`: runs that are to avoid it are passed over.
std::optional<Work> find_work(const Book& book, const Sweep& sweep, WorkerId worker);

// The parameters of a trial of which a user gave some: the others are drawn from the prior until
// the constraints hold, or a hundred times.
Params completed(const SearchSpace& space, const Params& given, Rng rng);

// Who asks for trials is a worker of no slots, known by this request id; its pending trial of a
// sweep is a lease that never expires, known by this one.
std::string asker_request(const std::string& asker);
std::string ask_request(SweepId sweep, const std::string& asker);

// An attempt is over before its run is: the class of its failure decides whether the run rests and
// goes back to the queue, or ends; and whether its worker is set aside.
void fail_attempt(const Book& book, const Lease& lease, const EndRequest& end, Instant now,
                  Events& events);

// How a run's end stands under the orders of its sweep: time_limit, user_cancel, user_kill.
EndReason reason_of(Order order, const Sweep& sweep);

// A resting run whose time has come, or a reserved one that is open to all from now on; a worker
// that was set aside for long enough.
Events run_ready(const Book& book, const Run& run, Instant now);
Result<Events> decide_allow(const Book& book, const Allow& command);

// What is left of limits.run and limits.phase for the run's next attempt.
TimeLimits time_limits_of(const Sweep& sweep, const Run& run);

// Whether a worker other than this one has been seen lately and may be given work.
bool others_there(const Book& book, WorkerId but, Instant now);

// Steers a sweep and ends every run of it that waits in the queue and may not be resumed under the
// new order.
Events steer_sweep(const Book& book, const Sweep& sweep, Verb verb, EndReason reason);

// When the sweep's time limit is over, if it has one that still matters.
std::optional<Instant> time_limit(const Sweep& sweep);

}  // namespace hone
