// The output of a process: in a file up to a limit, and its tail in memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/files.hpp"
#include "worker/agent/limits.hpp"

namespace hone::worker {

class LogFile {
 public:
  // Truncates the file. If it cannot be written, only the tail is kept: training matters more.
  explicit LogFile(const std::string& path, std::int64_t bytes_max = limits::log_bytes_max);

  void take(std::string_view bytes);

  // At most the last 8 KiB, from the beginning of a line if there is one.
  [[nodiscard]] std::string tail() const;

 private:
  void write(std::string_view bytes);

  FileHandle file_;
  std::int64_t left_;
  std::string tail_;
  bool cut_ = false;  // tail_ does not begin where the log does
};

}  // namespace hone::worker
