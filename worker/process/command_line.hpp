// The commands that are executed for a run.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "schemas/types/wire.hpp"
#include "worker/process/environment.hpp"

namespace hone::worker {

struct CommandPlan {
  std::vector<std::vector<std::string>> stages;  // preparing commands, then the program itself
  std::vector<EnvVar> env;                       // added to trial_environment
  std::string folder;                            // their working folder
};

// The values of ${hone.folder} and the like.
struct CommandPlaces {
  TrialPlaces trial;
  std::string program_folder;  // where hone-train is installed
  std::string work_folder;     // of the worker, or where the sweep's commands run instead
  std::string python{};        // the interpreter of `python3`; empty: that of the PATH
};

// Returns hone-train NAME for a built-in trainer. For a command, replaces each "${name}" in its
// words by the parameter's value and passes the parameters that no word names in its style. Fails
// with invalid if a name is not a parameter of this trial; the message lists those that are.
Result<CommandPlan> command_plan(const LeaseGrant& grant, const CommandPlaces& places);

}  // namespace hone::worker
