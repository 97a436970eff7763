#include "sdk/cli/session/input.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>

#include "schemas/values/number.hpp"
#include "sdk/cli/render/terminal.hpp"

namespace hone::cli {

std::optional<double> parse_number(std::string_view text) { return read_finite_number(text); }

Result<std::string> read_file(const std::filesystem::path& file, std::size_t bytes_max) {
  return read_file_within(file, bytes_max);
}

Result<std::string> read_file_or_stdin(const std::string& file) {
  return file == "-" ? read_stdin_within(read_file_bytes_max) : read_file(file);
}

bool can_ask() { return isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1; }

bool is_agreed(std::string_view question) {
  Terminal().ask(std::string(question) + " [y/N] ");
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

Status write_file(const std::filesystem::path& file, std::string_view text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text << std::flush;
  if (stream) return Done{};
  return refuse(Code::invalid, "cannot write " + file.string() + ": " + std::strerror(errno));
}

}  // namespace hone::cli
