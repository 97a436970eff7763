// Model files: named tensors and a map of texts in the safetensors layout (8 bytes of header
// length, a JSON header, raw little-endian data), so that other tools can read the weights without
// hone. One of the texts is a CRC-32 of the data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.hpp"

namespace hone::trainers {

struct Tensor {
  std::string name;
  std::vector<std::size_t> shape;
  std::variant<std::vector<float>, std::vector<double>, std::vector<std::uint64_t>> data;
};

struct TensorFile {
  std::vector<std::pair<std::string, std::string>> texts;
  std::vector<Tensor> tensors;
};

// Writes a new file next to `path` and renames it, so that no reader sees half a file.
Status write_tensor_file(const std::filesystem::path& path, const TensorFile& file);
// Refuses a file that cannot be read, is not a model file or is damaged, with one sentence.
Result<TensorFile> read_tensor_file(const std::filesystem::path& path);

// nullptr if there is none.
const std::string* find_text(const TensorFile& file, std::string_view key);
template <class T>
const std::vector<T>* find_tensor(const TensorFile& file, std::string_view name) {
  for (const auto& tensor : file.tensors)
    if (tensor.name == name) return std::get_if<std::vector<T>>(&tensor.data);
  return nullptr;
}

}  // namespace hone::trainers
