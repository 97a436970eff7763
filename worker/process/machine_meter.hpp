// What the machine of this worker does, as the kernel counts it (proc(5), cgroups(7)): processors,
// memory and pressure. Where a control group or an affinity limits this process, that part of it.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "schemas/types/instant.hpp"
#include "schemas/types/machine.hpp"

namespace hone::worker {

// Seconds of processors since the start of the machine.
struct CpuTime {
  double busy_s = 0;
  double all_s = 0;
};

// Parses /proc/stat: the lines "cpuN" of these processors; of all where `only` is empty. Time that
// the host of a virtual machine took (steal) is not busy. nullopt without such a line.
std::optional<CpuTime> parse_cpu_time(std::string_view text, const std::set<int>& only,
                                      double ticks_per_s);

// Parses a file of /proc/pressure: the seconds of "some ... total=MICROSECONDS".
std::optional<double> parse_pressure(std::string_view text);

// The number of the line that begins with `name`, in the unit of the file.
std::optional<std::int64_t> number_in(std::string_view text, std::string_view name);

class MachineMeter {
 public:
  // Reads the files below `root`, in tests another one than "".
  explicit MachineMeter(std::string root = "");

  // Returns what happened since the call before, without the shares at the first one. Not of GPUs.
  MachineSample read(Instant now);
  // Those that processes of this worker may use.
  [[nodiscard]] double cores() const { return cores_; }
  [[nodiscard]] std::int64_t memory() const { return memory_; }

 private:
  // Counters that only grow.
  struct Counters {
    Instant at;
    std::optional<CpuTime> cpu;
    std::optional<double> cpu_s, memory_s, io_s;  // of waiting
  };
  // A control group that limits this process below what the machine has.
  struct Group {
    std::string folder;
    bool second = false;  // of version 2
  };

  void find_cores();
  void find_memory();
  [[nodiscard]] Counters count(Instant now) const;
  [[nodiscard]] std::optional<CpuTime> cpu_time(Instant now) const;
  [[nodiscard]] std::optional<double> pressure(const char* of,
                                               const std::optional<Group>& limited) const;
  [[nodiscard]] std::optional<std::int64_t> memory_used() const;

  std::string root_;
  double cores_ = 1;
  std::set<int> processors_;  // of the affinity; empty: all
  std::optional<Group> cpu_group_, memory_group_;
  std::int64_t memory_ = 0;
  std::optional<Counters> last_;
};

}  // namespace hone::worker
