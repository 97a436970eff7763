// What the machine of a worker does, as the worker samples it. People read it; no rule does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "schemas/types/instant.hpp"

namespace hone {

// Shares are from 0 to 1, of the time since the sample before; absent: this system does not tell.
struct MachineSample {
  Duration age{};                            // when it was taken: so long before it was sent
  std::optional<double> cpu{};               // of the cores, that were busy
  std::optional<double> cpu_pressure{};      // in which some process waited for a core,
  std::optional<double> memory_pressure{};   // for memory,
  std::optional<double> io_pressure{};       // for a disk (pressure stall information)
  std::optional<std::int64_t> memory{};      // bytes that no further process can get
  std::optional<double> gpu{};               // in which its GPUs were busy, as a mean of them
  std::optional<std::int64_t> gpu_memory{};  // bytes used of all of them
  friend bool operator==(const MachineSample&, const MachineSample&) = default;
};

// Cores and memory are those that the worker may use: fewer than the machine has where a control
// group or an affinity limits it.
struct MachineSamples {
  double cores = 0;
  std::int64_t memory = 0;  // bytes; 0: not known
  std::vector<MachineSample> samples;
  friend bool operator==(const MachineSamples&, const MachineSamples&) = default;
};

// In one request: ten minutes of samples; a worker that asks every 20 s sends two.
inline constexpr std::size_t machine_samples_max = 60;
inline constexpr double machine_cores_max = 1e6;  // of one machine; far beyond any

}  // namespace hone
