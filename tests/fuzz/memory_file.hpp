// A file in memory, for readers that open a path.
#pragma once

#include <sys/mman.h>

#include <string>
#include <string_view>

#include "base/files.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace hone::fuzz {

class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : file_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    expect(file_ && write_all(file_, bytes).ok(), "there is memory for the input");
  }
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(file_.fd()); }

 private:
  FileHandle file_;
};

}  // namespace hone::fuzz
