// What a process wrote: all of it in a file, up to a bound, and its end in memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/files.hpp"
#include "worker/agent/limits.hpp"

namespace hone::worker {

class LogFile {
 public:
  // An unwritable file is no reason not to train: then only the tail is kept.
  explicit LogFile(const std::string& path, std::int64_t bytes_max = limits::log_bytes_max);

  void take(std::string_view bytes);

  // The last 8 KiB at most, from the beginning of a line where there is one.
  [[nodiscard]] std::string tail() const;

 private:
  void write(std::string_view bytes);

  FileHandle file_;
  std::int64_t left_;
  std::string tail_;
  bool cut_ = false;  // tail_ does not begin where the log did
};

}  // namespace hone::worker
