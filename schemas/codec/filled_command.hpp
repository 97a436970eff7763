// The command of a run with its parameters: what the worker executes and `hone show` prints.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "schemas/types/trainer_spec.hpp"
#include "schemas/types/wire.hpp"

namespace hone {

// The values of ${hone.folder} and the like: paths on the worker's machine.
struct LocalPlaces {
  std::string files;        // the run's folder
  std::string work;         // the working folder of the worker, or of the sweep's commands
  std::string params_file;  // the parameters as JSON
  std::string run_file;
  std::string resume;  // the checkpoint to continue from; empty without one
  std::string checkpoints;
};

struct FilledCommand {
  std::vector<std::string> argv;
  std::vector<std::string> prepare;  // empty without a preparing command
  std::vector<EnvVar> env;
  std::uint64_t seed = 0;  // that ${hone.seed} becomes: the run's, or its lowest 31 bits
};

// Replaces each "${name}" in the words by the parameter's value and passes the parameters that no
// word names in the command's style. Fails with invalid if a name is not a parameter of this trial;
// the message lists those that are.
Result<FilledCommand> filled_command(const CommandTrainer& command, const LeaseGrant& grant,
                                     const LocalPlaces& places);

}  // namespace hone
