// The environment of a trial process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/types/trainer_spec.hpp"

namespace hone::worker {

struct TrialPlaces {
  std::string run_file;
  std::string socket;
  std::string checkpoints;
  std::string files{};        // the run's folder
  std::string params_file{};  // the parameters as JSON
  std::string resume{};       // the checkpoint to continue from; empty without one
};

// The worker's environment `own` without its credentials (a trial connects to its worker only) and
// the variables of a job around it, except those that its HONE_PASS_ENV names, with hone's
// variables. Limits the threads of numeric libraries to `cpus`, and the devices to `gpus`: indices
// into the worker's own CUDA_VISIBLE_DEVICES, if that is set. CUDA then numbers devices as the
// driver and nvidia-smi do, unless the worker's CUDA_DEVICE_ORDER says otherwise.
std::vector<std::string> trial_environment(const std::vector<std::string>& own,
                                           const TrialPlaces& places, int cpus,
                                           const std::vector<int>& gpus);

// `environment` of a run that may use `bytes` of each of its GPUs; 0: all. Libraries that take a
// whole GPU at their start then take what they need, unless the worker's environment differs.
std::vector<std::string> sharing_gpus(std::vector<std::string> environment, std::int64_t bytes);

// The entries of CUDA_VISIBLE_DEVICES that a run with these GPUs gets.
std::vector<std::string> device_names(const std::vector<std::string>& own,
                                      const std::vector<int>& gpus);

// Whether the driver finds the devices of a run with this environment by these entries: not by a
// number that another CUDA_DEVICE_ORDER than PCI_BUS_ID gave them.
bool named_as_by_driver(const std::vector<std::string>& environment,
                        const std::vector<std::string>& devices);

// `environment` with `variables` set.
std::vector<std::string> with_variables(std::vector<std::string> environment,
                                        const std::vector<EnvVar>& variables);

// The environment of this process.
std::vector<std::string> own_environment();

}  // namespace hone::worker
