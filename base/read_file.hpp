// Files that others may have made: read whole, but never without end.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "base/result.hpp"

namespace hone {

// What a user gives to a command: larger than any export or study that hone makes or reads.
inline constexpr std::size_t read_file_bytes_max = std::size_t{256} * 1024 * 1024;

// Returns the content of a file. Refuses, with its name, what is not there (not_found), may not be
// read (forbidden), is larger (too_large), or is a folder, a device or a pipe (invalid), which
// could block or never end; but reads a descriptor of this process (/dev/stdin, /dev/fd/63).
Result<std::string> read_file_within(const std::filesystem::path& file, std::size_t bytes_max);
Result<std::string> read_stdin_within(std::size_t bytes_max);

}  // namespace hone
