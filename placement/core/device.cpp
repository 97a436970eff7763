#include "placement/core/device.hpp"

#include <algorithm>
#include <array>

namespace hone::placement {
namespace {

constexpr double GB = 1e9;
constexpr double T = 1e12;
constexpr double launch_ms = 0.0057;
// Copies between two cards through a PCIe switch, measured on K80s; the H100 uses NVLink.
constexpr double pcie_per_s = 7.6 * GB;
constexpr double pcie_ms = 0.025;

constexpr std::array device_profiles{
    DeviceProfile{"k40", "NVIDIA K40, 12 GB", 4.3 * T, 0.55, 288 * GB, 12 * GB, launch_ms,
                  pcie_per_s, pcie_ms},
    DeviceProfile{"k80", "NVIDIA K80 (one die), 11 GB", 2.8 * T, 0.55, 240 * GB, 11 * GB, launch_ms,
                  pcie_per_s, pcie_ms},
    DeviceProfile{"p100", "NVIDIA P100, 16 GB", 9.3 * T, 0.55, 732 * GB, 16 * GB, launch_ms,
                  pcie_per_s, pcie_ms},
    DeviceProfile{"v100", "NVIDIA V100, 32 GB", 15.7 * T, 0.55, 900 * GB, 32 * GB, launch_ms,
                  pcie_per_s, pcie_ms},
    DeviceProfile{"a100", "NVIDIA A100, 40 GB", 19.5 * T, 0.55, 1555 * GB, 40 * GB, launch_ms,
                  20 * GB, 0.015},
    DeviceProfile{"h100", "NVIDIA H100 SXM, 80 GB", 60 * T, 0.5, 3350 * GB, 80 * GB, launch_ms,
                  50 * GB, 0.010},
    DeviceProfile{"cpu", "a CPU socket of 2014-18, 64 GB", 0.4 * T, 1, 70 * GB, 64 * GB, 0,
                  pcie_per_s, pcie_ms, false},
};

}  // namespace

std::span<const DeviceProfile> device_table() { return device_profiles; }

const DeviceProfile* find_device(std::string_view name) {
  const auto row = std::find_if(device_profiles.begin(), device_profiles.end(),
                                [&](const DeviceProfile& profile) { return profile.name == name; });
  return row == device_profiles.end() ? nullptr : &*row;
}

Cluster cluster_of(const DeviceProfile& profile, int count, int cpus) {
  Cluster cluster;
  cluster.devices.assign(static_cast<std::size_t>(count), profile);
  cluster.devices.insert(cluster.devices.end(), static_cast<std::size_t>(cpus),
                         *find_device("cpu"));
  return cluster;
}

}  // namespace hone::placement
