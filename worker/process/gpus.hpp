// The GPUs of this machine.
#pragma once

#include <optional>
#include <string>

namespace hone::worker {

inline constexpr int gpus_max = 64;  // of one worker; no machine has more

// Returns the number of GPUs that CUDA programs of this worker may use: those that NVML lists, or
// without NVML nvidia-smi; 0 without both. `visible` is the worker's own CUDA_VISIBLE_DEVICES,
// whose entries are counted if it is set: an entry may come twice, so that two runs share a GPU.
int count_gpus(const std::optional<std::string>& visible);

// Returns the number of entries of a value of CUDA_VISIBLE_DEVICES. As in CUDA, -1 ends the list.
int count_visible(const std::string& visible);

}  // namespace hone::worker
