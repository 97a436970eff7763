// `hone-train placement --measure`.
#pragma once

#include "worker/train_commands.hpp"
#include "worker/trainers/placement/measure.hpp"

namespace hone::trainers {

// Returns the exit status of the process; the table goes to stdout, what is done now to stderr.
Result<int> measure(const TrainerRow& row, const TrainCommand& command, MeasurePlan plan);

}  // namespace hone::trainers
