// Drives a trainer through the phases of a run: train, checkpoint, report, obey the verdict.
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
// worker takes it at once, and gives exit_terminated.
Result<int> run_phases(const PhaseRun& run, Trainer& trainer, const std::stop_token& stop);

}  // namespace hone::trainers
