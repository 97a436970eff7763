// The output of a process: in a file up to a limit, and its end in memory.
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

  // The bytes from `offset` on, as far as they are in memory, but at most the last 256 KiB.
  struct Piece {
    std::int64_t offset = 0;  // in the whole output
    std::string bytes{};
  };
  [[nodiscard]] Piece since(std::int64_t offset) const;

 private:
  void write(std::string_view bytes);

  FileHandle file_;
  std::int64_t left_;
  std::string end_;          // of the output: between 256 and 512 KiB once it is that long
  std::int64_t begins_ = 0;  // offset of end_
};

}  // namespace hone::worker
