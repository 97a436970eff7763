// A recorded run as `hone reproduce` repeats it.
#pragma once

#include <cstddef>
#include <vector>

#include "schemas/codec/json.hpp"
#include "schemas/types/spec.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone::cli {

// What the server knows of the run.
struct Recorded {
  RunId run;
  SweepSpec spec;
  Json trial, runs, sweep;
  std::vector<Json> attempts, reports, models;
};

// Refuses a run that cannot be repeated: a fork, one of a pipeline, one without reports.
Result<Recorded> read_recorded(Session& session, RunId run);

// An attempt that reported: the phases from `first` up to, not including, `end`.
struct Segment {
  Json attempt;
  std::size_t first = 0, end = 0;
};

// Reports name no attempt: a report belongs to the newest attempt that was granted before it.
std::vector<Segment> segments_of(const Recorded& recorded);

}  // namespace hone::cli
