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
Result<Events> decide_log_metrics(const Book& book, const LogMetrics& command);
Result<Events> decide_end(const Book& book, const End& command);
Result<Events> decide_tick(const Book& book, Instant now);

// The refusal that tells a worker to stop working for a lease.
Error stale(LeaseId lease);

// Appends the end of `run`, and the end of its sweep when this was its last open run and nothing is
// left to propose.
void end_run(const Sweep& sweep, const RunEnded& end, Events& events);

// An attempt was lost: the run goes back to the queue, or ends when its retries are used up or its
// sweep is canceled.
void lose_run(const Sweep& sweep, const Run& run, EndReason reason, const std::string& detail,
              Events& events);

// Steers a sweep and ends every run of it that waits in the queue and may not be resumed under the
// new order.
Events steer_sweep(const Book& book, const Sweep& sweep, Verb verb, EndReason reason);

// When the sweep's time limit is over, if it has one that still matters.
std::optional<Instant> time_limit(const Sweep& sweep);

}  // namespace hone
