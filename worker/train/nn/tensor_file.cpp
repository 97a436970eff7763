#include "worker/train/nn/tensor_file.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "schemas/codec/json.hpp"
#include "worker/train/nn/json_state.hpp"

namespace hone::trainers {
namespace {

static_assert(std::endian::native == std::endian::little, "model files are written as memory lies");

constexpr std::size_t header_bytes_max = 1 << 20;             // a header lists a few dozen tensors
constexpr std::size_t file_bytes_max = std::size_t{1} << 32;  // far above the size of any model
constexpr std::array<std::string_view, 3> kind_names{"F32", "F64",
                                                     "U64"};  // in the variant's order
constexpr std::string_view checksum_key = "crc32";

std::string crc32(std::string_view bytes) {
  std::uint32_t crc = 0xffffffffU;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
  }
  std::array<char, 8> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), ~crc, 16).ptr;
  return {text.data(), end};
}

template <class T>
void append_bytes(std::string& out, std::span<const T> values) {
  if (values.empty()) return;
  const auto start = out.size();
  out.resize(start + values.size_bytes());
  std::memcpy(out.data() + start, values.data(), values.size_bytes());
}

Json header_of(const TensorFile& file, std::string& data) {
  Json header = Json::object();
  for (const auto& tensor : file.tensors) {
    const auto start = data.size();
    std::visit([&](const auto& values) { append_bytes(data, std::span(values)); }, tensor.data);
    header[tensor.name] = {{"dtype", kind_names[tensor.data.index()]},
                           {"shape", tensor.shape},
                           {"data_offsets", {start, data.size()}}};
  }
  auto& texts = header["__metadata__"] = Json::object();
  for (const auto& [key, text] : file.texts) texts[key] = text;
  texts[checksum_key] = crc32(data);
  return header;
}

template <class T>
bool take_values(std::string_view bytes, Tensor& tensor) {
  std::size_t count = 1;
  for (const auto extent : tensor.shape) {
    if (extent > bytes.size()) return false;  // also keeps the product from overflowing
    count *= extent;
    if (count > bytes.size()) return false;
  }
  if (bytes.size() != count * sizeof(T)) return false;
  std::vector<T> values(count);
  if (count > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
  tensor.data = std::move(values);
  return true;
}

// Throws the exceptions of nlohmann::json for a header of another form. Returns false for one that
// contradicts itself.
bool take_tensor(const Json& entry, std::string_view data, Tensor& tensor) {
  std::size_t start = 0;
  std::size_t end = 0;
  if (!take_integers(entry.at("shape"), tensor.shape) ||
      !take_integer(entry.at("data_offsets").at(0), start) ||
      !take_integer(entry.at("data_offsets").at(1), end))
    return false;
  if (start > end || end > data.size()) return false;
  const auto bytes = data.substr(start, end - start);
  const auto kind = entry.at("dtype").get<std::string>();
  if (kind == kind_names[0]) return take_values<float>(bytes, tensor);
  if (kind == kind_names[1]) return take_values<double>(bytes, tensor);
  return kind == kind_names[2] && take_values<std::uint64_t>(bytes, tensor);
}

bool take_all(const Json& header, std::string_view data, TensorFile& file) {
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") {
      for (const auto& [key, text] : entry.items())
        file.texts.emplace_back(key, text.get<std::string>());
      continue;
    }
    Tensor tensor{name, {}, {}};
    if (!take_tensor(entry, data, tensor)) return false;
    file.tensors.push_back(std::move(tensor));
  }
  return true;
}

Result<std::string> read_bytes(const std::filesystem::path& path) {
  std::error_code fault;
  const auto bytes = std::filesystem::file_size(path, fault);
  if (fault)
    return refuse(Code::not_found, "cannot read " + path.string() + ": " + fault.message());
  if (bytes > file_bytes_max)
    return refuse(Code::too_large, path.string() + " is too large for a model file");
  std::string content(bytes, '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(content.data(), static_cast<std::streamsize>(bytes));
  if (!in) return refuse(Code::not_found, "cannot read " + path.string());
  return content;
}

}  // namespace

Status write_tensor_file(const std::filesystem::path& path, const TensorFile& file) {
  std::string data;
  auto header = to_text(header_of(file, data));
  header.resize((header.size() + 7) / 8 * 8, ' ');  // the data starts aligned
  const std::uint64_t length = header.size();

  auto part = path;
  part += ".part";
  std::ofstream out(part, std::ios::binary | std::ios::trunc);
  std::string prefix;
  append_bytes(prefix, std::span<const std::uint64_t>(&length, 1));
  out << prefix << header << data;
  out.close();
  std::error_code fault;
  if (out) std::filesystem::rename(part, path, fault);
  if (!out || fault)
    return refuse(Code::unavailable, "cannot write " + path.string() +
                                         ": is the folder there, writable, and the disk not full?");
  return Done{};
}

Result<TensorFile> read_tensor_file(const std::filesystem::path& path) {
  const auto content = read_bytes(path);
  if (!content) return content.error();
  const auto alien = refuse(Code::invalid, path.string() + " is not a model file of hone");
  const auto damaged = refuse(Code::invalid, path.string() + " is damaged: copy or fetch it again");

  const std::string_view bytes = *content;
  std::uint64_t length = 0;
  if (bytes.size() < sizeof length) return alien;
  std::memcpy(&length, bytes.data(), sizeof length);
  if (length < 2 || length > header_bytes_max || bytes[sizeof length] != '{') return alien;
  if (length > bytes.size() - sizeof length) return damaged;
  const auto header = parse_json(bytes.substr(sizeof length, length));
  if (!header) return damaged;

  const auto data = bytes.substr(sizeof length + length);
  TensorFile file;
  try {
    if (!take_all(*header, data, file)) return damaged;
  } catch (const nlohmann::json::exception&) {
    return alien;
  }
  const auto* checksum = find_text(file, checksum_key);
  if (checksum == nullptr) return alien;
  if (*checksum != crc32(data)) return damaged;
  return file;
}

const std::string* find_text(const TensorFile& file, std::string_view key) {
  for (const auto& [name, text] : file.texts)
    if (name == key) return &text;
  return nullptr;
}

}  // namespace hone::trainers
