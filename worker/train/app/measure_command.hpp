// `hone-train placement --measure`.
#pragma once

#include "worker/train/app/commands.hpp"
#include "worker/train/placement/measure.hpp"

namespace hone::trainers {

// Returns the exit status of the process. Writes the table to stdout and the progress to stderr.
Result<int> measure(const TrainerRow& row, const TrainCommand& command, MeasurePlan plan);

}  // namespace hone::trainers
