// The environment of a trial process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schemas/types/spec.hpp"

namespace hone::worker {

struct TrialPlaces {
  std::string run_file;
  std::string socket;
  std::string checkpoints;
  std::string files{};        // the run's own folder
  std::string params_file{};  // its parameters as JSON
};

// `own` is the worker's environment. Without HONE_TOKEN: a trial speaks to its worker only. Threads
// of numeric libraries are bound to `cpus`, the devices to those of `gpus` (numbers into the
// worker's own CUDA_VISIBLE_DEVICES, if it has one).
std::vector<std::string> trial_environment(const std::vector<std::string>& own,
                                           const TrialPlaces& places, int cpus,
                                           const std::vector<int>& gpus);

// `environment` with these in the place of others of their names.
std::vector<std::string> with_variables(std::vector<std::string> environment,
                                        const std::vector<EnvVar>& variables);

std::vector<std::string> own_environment();

}  // namespace hone::worker
