// Profiles of devices for the simulator, and their links.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hone::placement {

struct DeviceProfile {
  std::string_view name;
  std::string_view summary;
  double flop_per_s = 0;    // peak, single precision
  double efficiency = 1;    // of the peak, reached
  double memory_per_s = 0;  // bytes
  double memory_bytes = 0;
  double launch_ms = 0;   // of a kernel
  double link_per_s = 0;  // bytes between two of them
  double latency_ms = 0;  // of a transfer
  bool accelerator = true;
};
std::span<const DeviceProfile> device_table();
const DeviceProfile* find_device(std::string_view name);  // nullptr if there is none

enum class Links {
  channel,  // a device sends one tensor at a time
  pair,     // every pair has its own link in each direction
};

struct Cluster {
  std::vector<DeviceProfile> devices;  // at most devices_max
  Links links = Links::channel;
  double usable = 0.95;  // of a device's memory
};
inline constexpr int devices_max = 64;

// `count` accelerators of a kind, then `cpus`. Precondition: at least one, at most devices_max.
Cluster cluster_of(const DeviceProfile& profile, int count, int cpus);

}  // namespace hone::placement
