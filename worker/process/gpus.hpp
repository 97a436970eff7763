// The GPUs of this machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "worker/process/nvml.hpp"

namespace hone::worker {

inline constexpr int gpus_max = 64;  // of one worker; no machine has more

// GPUs that CUDA programs of a worker may use.
struct Gpus {
  int count = 0;
  // For CUDA_VISIBLE_DEVICES, where parts of GPUs (MIG) are among them; else they are numbered.
  std::vector<std::string> names{};
  std::vector<std::int64_t> memory{};  // bytes of each; empty: not known
};

// Returns those that NVML lists, or without NVML nvidia-smi; none without both. A GPU that is
// divided (MIG) is replaced by its parts. Where `environment`, the worker's own, has
// CUDA_VISIBLE_DEVICES, these are its entries; one may come twice, so that two runs share a GPU:
// then each has half of the memory.
Gpus find_gpus(const std::vector<std::string>& environment);

// Reads what `nvidia-smi -L` writes.
std::vector<ListedGpu> read_gpu_list(const std::string& text);

// Returns the number of entries of a value of CUDA_VISIBLE_DEVICES. As in CUDA, -1 ends the list.
int count_visible(const std::string& visible);

}  // namespace hone::worker
