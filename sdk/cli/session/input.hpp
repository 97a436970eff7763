// Files and numbers that users give to commands.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/read_file.hpp"
#include "base/result.hpp"

namespace hone::cli {

// "0.5", "1e-3": the whole text is a finite number.
std::optional<double> parse_number(std::string_view text);

// Rejects what is no file that can be read to its end (base/read_file.hpp).
Result<std::string> read_file(const std::filesystem::path& file,
                              std::size_t bytes_max = read_file_bytes_max);
// "-" is stdin.
Result<std::string> read_file_or_stdin(const std::string& file);

// Whether a user can be asked: stdin and stderr are terminals.
bool can_ask();
// Asks on stderr and reads a line of stdin. Returns whether it is "y" or "yes".
bool is_agreed(std::string_view question);

// Replaces the file.
Status write_file(const std::filesystem::path& file, std::string_view text);

}  // namespace hone::cli
