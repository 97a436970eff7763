// Control groups that bound the memory of runs: the kernel ends a run that exceeds its own.
// Version 2 where it has the memory controller, else version 1.
#pragma once

#include <cstdint>
#include <string>

#include "base/files.hpp"
#include "base/result.hpp"

namespace hone::worker {

class MemoryGroup {
 public:
  // Makes a group of at most `bytes`. Refuses where this process may not make one; then
  // use_memory_groups() tells why.
  static Result<MemoryGroup> make(std::int64_t bytes);
  MemoryGroup(MemoryGroup&& other) noexcept;
  MemoryGroup& operator=(MemoryGroup&& other) noexcept;
  ~MemoryGroup();  // its processes must have ended
  MemoryGroup(const MemoryGroup&) = delete;
  MemoryGroup& operator=(const MemoryGroup&) = delete;

  // A process that writes "0" to this descriptor belongs to the group from then on, and so do those
  // that it starts.
  [[nodiscard]] int joins() const { return joins_.fd(); }
  // Whether the kernel has killed a process of the group for lack of memory.
  [[nodiscard]] bool ran_out() const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  MemoryGroup(std::string path, FileHandle joins, std::string counter);
  std::string path_;
  FileHandle joins_;
  std::string counter_;  // the file with the number of kills
};

// Finds out whether this process may make groups below its own one. With version 2 it moves itself
// into a group below, as the kernel demands; call it before other processes are started. Returns
// the folder of the groups, or why there will be none.
Result<std::string> use_memory_groups();

}  // namespace hone::worker
