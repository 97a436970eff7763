// A file that a program appends to, read as it grows. It need not exist yet. If it is replaced or
// truncated, it is read from its beginning again.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/files.hpp"

namespace hone::worker {

class FollowedFile {
 public:
  explicit FollowedFile(std::string path) : path_(std::move(path)) {}

  struct Piece {
    std::string_view bytes;  // valid until the next call; empty if nothing is new
    bool restarted = false;  // the first bytes of a file that was replaced or truncated
  };
  Piece read();
  // The bytes that were not read yet.
  [[nodiscard]] std::int64_t left();
  // Whether the file could be opened once.
  [[nodiscard]] bool was_there() const { return static_cast<bool>(file_); }

 private:
  bool open();
  [[nodiscard]] bool was_replaced() const;

  std::string path_;
  FileHandle file_;
  off_t at_ = 0;
  bool read_some_ = false;
  std::array<char, 64 * 1024> piece_{};
};

}  // namespace hone::worker
