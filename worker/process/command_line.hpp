// What is executed for a run.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "schemas/types/wire.hpp"
#include "worker/process/environment.hpp"

namespace hone::worker {

struct CommandPlan {
  std::vector<std::vector<std::string>> stages;  // what prepares it, then the program itself
  std::vector<EnvVar> env;                       // on top of trial_environment
  std::string folder;                            // that they run in
};

// Where hone's own names point to.
struct CommandPlaces {
  TrialPlaces trial;
  std::string program_folder;  // where hone-train is
  std::string work_folder;     // of the worker
  std::string resume_path;     // of the checkpoint to continue from; empty where there is none
};

// hone-train NAME for a built-in trainer; for a command its words with each "${name}" replaced by
// the parameter's value, and the parameters that no word names handed over in its style. Refuses
// with invalid where a name is no parameter of this trial, and says which there are.
Result<CommandPlan> command_plan(const LeaseGrant& grant, const CommandPlaces& places);

// A value as a program reads it: 0.001, 8, true, relu.
std::string value_text(const Value& value);

// "learning.rate" -> "HONE_PARAM_LEARNING_RATE".
std::string variable_of(const std::string& parameter);

}  // namespace hone::worker
