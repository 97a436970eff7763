// Measures how long the disk under a folder takes to make 4 KiB durable: a lower bound for every
// acknowledged request.
#pragma once

#include <chrono>
#include <string>

#include "base/result.hpp"
#include "sdk/cli/local/histogram.hpp"

namespace hone::load {

class DiskProbe {
 public:
  // Creates a file in the folder; the destructor removes it.
  static Result<DiskProbe> in(const std::string& folder);
  ~DiskProbe();
  DiskProbe(DiskProbe&&) noexcept;
  DiskProbe& operator=(DiskProbe&&) = delete;
  DiskProbe(const DiskProbe&) = delete;

  // Appends 4 KiB and syncs them.
  Status sync();
  // Repeats sync() for this long.
  Status sync_for(std::chrono::milliseconds time);

  [[nodiscard]] const Histogram& times() const { return times_; }

 private:
  DiskProbe(int file, std::string path) : file_(file), path_(std::move(path)) {}
  int file_;
  std::string path_;
  Histogram times_;
};

// "ext4", "tmpfs", ...; tmpfs neither keeps nor syncs anything.
std::string file_system_of(const std::string& folder);

}  // namespace hone::load
