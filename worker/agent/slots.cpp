// What of a worker's slots and GPUs no run has.
#include <algorithm>

#include "worker/agent/agent.hpp"

namespace hone::worker {

FreeSlots Agent::free_slots() const {
  return {free_cpus(), static_cast<int>(free_gpus().size()), gpu_free()};
}

int Agent::free_cpus() const {
  int free = config_.join.cpus;
  for (const auto& [lease, attempt] : attempts_)
    if (attempt.holds_slots()) free -= attempt.grant().resources.cpus;
  return free;
}

std::vector<int> Agent::free_gpus() const {
  std::vector<bool> taken(static_cast<std::size_t>(config_.join.gpus), false);
  for (const auto& [lease, attempt] : attempts_)
    if (attempt.holds_slots())
      for (const int gpu : attempt.gpus()) taken[static_cast<std::size_t>(gpu)] = true;
  std::vector<int> free;
  for (std::size_t gpu = 0; gpu < taken.size(); ++gpu)
    if (!taken[gpu]) free.push_back(static_cast<int>(gpu));
  return free;
}

std::vector<std::int64_t> Agent::gpu_free() const {
  std::vector<std::int64_t> free = config_.join.gpu_memory;
  for (const auto& [lease, attempt] : attempts_) {
    if (!attempt.holds_slots()) continue;
    for (const int gpu : attempt.gpus()) {
      const auto index = static_cast<std::size_t>(gpu);
      if (index >= free.size()) continue;
      const std::int64_t taken = attempt.grant().resources.gpu_memory;
      free[index] = taken > 0 ? std::max<std::int64_t>(free[index] - taken, 0) : 0;
    }
  }
  return free;
}

// Those that the server chose, or free ones; nullopt if other runs have them.
std::optional<std::vector<int>> Agent::gpus_for(const LeaseGrant& grant) const {
  const auto wanted = static_cast<std::size_t>(grant.resources.gpus);
  if (grant.devices.empty()) {
    auto gpus = free_gpus();
    if (gpus.size() < wanted) return std::nullopt;
    gpus.resize(wanted);
    return gpus;
  }
  const auto free = gpu_free();
  const auto fits = [&](int gpu) {
    const auto index = static_cast<std::size_t>(gpu);
    if (index >= free.size()) return false;
    const std::int64_t needed = grant.resources.gpu_memory;
    return free[index] >= (needed > 0 ? needed : config_.join.gpu_memory[index]);
  };
  if (!std::ranges::all_of(grant.devices, fits)) return std::nullopt;
  return grant.devices;
}

}  // namespace hone::worker
