#include "worker/train/run/json_file.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace hone::trainers {
namespace {

constexpr std::size_t file_bytes_max = std::size_t{1} << 30;  // as large as a blob may be
// Lists of 0.0, as of a young optimizer, take twelve times their text; brackets alone 27 times.
constexpr std::size_t memory_for_byte = 16;
constexpr std::size_t memory_least = std::size_t{1} << 20;

}  // namespace

std::optional<Json> read_json_file(const std::filesystem::path& path) {
  std::error_code fault;
  const auto bytes = std::filesystem::file_size(path, fault);
  if (fault || bytes > file_bytes_max) return std::nullopt;
  std::string text(bytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(bytes));
  if (!file) return std::nullopt;
  auto document = parse_json(text, memory_least + memory_for_byte * text.size());
  if (!document) return std::nullopt;
  return *std::move(document);
}

}  // namespace hone::trainers
