// Reads what the GPUs of running runs do, on a thread: a broken driver may let NVML hang, and the
// worker must not wait for it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "worker/process/nvml.hpp"

namespace hone::worker {

class GpuWatch {
 public:
  GpuWatch();
  ~GpuWatch();
  GpuWatch(const GpuWatch&) = delete;
  GpuWatch& operator=(const GpuWatch&) = delete;

  // Reads these devices from here on, once a second, in place of those before. Loads NVML with the
  // first one; without NVML nothing is read.
  void watch(std::vector<std::string> devices);
  // The latest of these devices together: the mean of their busy shares, the sum of their memory.
  // nullopt until each was read in the last few seconds.
  [[nodiscard]] std::optional<GpuUse> read(const std::vector<std::string>& devices) const;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace hone::worker
