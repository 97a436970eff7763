// The curves of several runs, or of a metric other than the objective.
#pragma once

#include <string>
#include <vector>

#include "sdk/cli/session/command.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone::cli {

// The points of a metric of a run by step, each with run, metric, step, value and at. Empty where
// the run has no such metric.
Result<std::vector<Json>> metric_points(Session& session, const std::string& run,
                                        const std::string& metric);

// The names of a run's metrics.
Result<std::vector<std::string>> metric_names(Session& session, const std::string& run);

// Draws one line for each run that the ids lead to: all runs of a trial, those of the best trial of
// a sweep. `metric` empty: the objective. Refuses a metric that none of the runs has, and names
// those that there are.
Result<Exit> show_curves(Session& session, const std::vector<std::string>& ids,
                         const std::string& metric);

}  // namespace hone::cli
