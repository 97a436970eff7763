// Schedules: the parameters along the forks that led to a trial, which a confirmation trains again
// from nothing. Pure, like all rules.
#pragma once

#include <vector>

#include "schemas/types/schedule.hpp"
#include "server/sweep/state/command.hpp"
#include "server/sweep/state/state.hpp"

namespace hone {

struct TrialSchedule {
  Params first;                      // from the first phase on
  std::vector<ScheduleStage> later;  // by phase; empty: the parameters never changed
};

// Returns the parameters with which the first run of a trial trained each phase, those of the runs
// that it continues included. Precondition: the trial's sweep is in the book.
TrialSchedule schedule_of(const Book& book, TrialId trial);

// Returns the parameters with which a run of the trial trains a phase.
const Params& params_at(const Trial& trial, int phase);

// After a report whose rule continues the run: if the next phase has other parameters, replaces the
// verdict, which `events` ends with, and returns the run to its queue; its next lease continues the
// checkpoint with them. A run without a checkpoint of the phase trains on as it is (no_checkpoint).
// Returns whether it replaced the verdict.
bool change_parameters(const Book& book, const Lease& lease, Events& events);

}  // namespace hone
