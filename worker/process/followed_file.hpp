// A file that a program appends to, read as it grows. It may not be there yet, and may be replaced
// or cut: then it begins again.
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
    std::string_view bytes;  // until the next call; empty: nothing new
    bool anew = false;       // the file's first bytes, and others had been read before
  };
  Piece read();
  // Bytes of it that were not read yet, as it is now.
  [[nodiscard]] std::int64_t left();

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
