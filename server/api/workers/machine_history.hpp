// What the machines of workers did in the last day, as they sampled it: in memory alone, and lost
// with this server. Older times are kept in longer means. Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "base/of.hpp"
#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"
#include "schemas/types/machine.hpp"

namespace hone::api {

// A mean over an interval; absent: nothing was measured. Bytes are means too.
struct MachinePoint {
  Instant from;
  std::int64_t seconds = 0;  // that it covers
  std::optional<double> cpu{}, memory{}, cpu_pressure{}, memory_pressure{}, io_pressure{}, gpu{},
      gpu_memory{};
};

void fields(auto& f, Of<MachinePoint> auto& p) {
  f.also("from", p.from, "The begin of the interval");
  f.also("seconds", p.seconds, "Its length");
  f.also("cpu", p.cpu, "Share of the cores that was busy");
  f.also("memory", p.memory, "Bytes that no further process could get");
  f.also("cpu_pressure", p.cpu_pressure,
         "Share of the time in which some process waited for a core");
  f.also("memory_pressure", p.memory_pressure, "For memory");
  f.also("io_pressure", p.io_pressure, "For a disk");
  f.also("gpu", p.gpu, "Share of the time in which its GPUs were busy, as a mean of them");
  f.also("gpu_memory", p.gpu_memory, "Bytes used of all GPUs");
}

struct MachinePast {
  double cores = 0;
  std::int64_t memory = 0;
  std::vector<MachinePoint> points;  // by time, without overlaps
};

class MachineHistory {
 public:
  // Adds samples of a worker that the server accepted. Those of a closed interval come too late.
  void add(WorkerId worker, const MachineSamples& samples, Instant now);
  // The points that overlap the interval; nullopt where nothing is kept.
  [[nodiscard]] std::optional<MachinePast> read(WorkerId worker, Instant from, Instant to) const;

 private:
  static constexpr std::size_t measured = 7;
  using Numbers = std::array<float, measured>;  // NaN: not measured
  struct Mean {
    std::int64_t index = 0;  // its begin, in lengths since 1970
    Numbers values;
  };
  // The means of one length: a ring of the newest, and the one that is being made.
  struct Tier {
    std::deque<Mean> closed;
    std::int64_t open = -1;
    std::array<double, measured> sums{};
    std::array<int, measured> counts{};
  };
  struct Machine {
    double cores = 0;
    std::int64_t memory = 0;
    Instant heard;
    std::array<Tier, 3> tiers;
  };

  static void add(Tier& tier, std::size_t place, const MachineSample& sample, Instant at);
  static Mean mean_of(const Tier& tier);
  static MachinePoint point_of(const Mean& mean, std::int64_t seconds);
  bool make_room(WorkerId worker, Instant now);

  mutable std::mutex mutex_;
  std::map<WorkerId, Machine> machines_;
};

}  // namespace hone::api
