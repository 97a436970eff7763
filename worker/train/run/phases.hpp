// Drives a trainer through the phases of a run: train, save a checkpoint, report, follow the
// verdict.
#pragma once

#include <filesystem>
#include <stop_token>

#include "sdk/cpp/run_file.hpp"
#include "sdk/cpp/trial.hpp"
#include "worker/train/run/trainer.hpp"

namespace hone::trainers {

struct PhaseRun {
  const RunFile& file;
  Trial& trial;
  std::filesystem::path checkpoints;  // HONE_CHECKPOINT_DIR
};

// Exit statuses of a trial process.
inline constexpr int exit_done = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_infeasible = 86;
inline constexpr int exit_terminated = 143;

// Returns the exit status of the process. A stop request ends the phase, saves a checkpoint if the
// worker accepts it within two seconds, and returns exit_terminated. Refuses if a checkpoint cannot
// be read or written, or if the connection to the worker breaks.
Result<int> run_phases(const PhaseRun& run, Trainer& trainer, const std::stop_token& stop);

}  // namespace hone::trainers
