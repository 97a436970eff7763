// SHA-256, as 64 lower-case hex digits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace hone {

struct FileDigest {
  std::string sha256;
  std::int64_t bytes = 0;
};

std::string sha256_hex(std::string_view bytes);

// Reads the file once, in pieces. Refuses with not_found when it cannot be opened, internal when it
// cannot be read.
Result<FileDigest> digest_of_file(const std::string& path);

}  // namespace hone
