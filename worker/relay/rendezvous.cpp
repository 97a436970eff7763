#include "worker/relay/rendezvous.hpp"

#include <fcntl.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "schemas/codec/json.hpp"
#include "worker/relay/wire.hpp"

namespace hone::relay {
namespace {

constexpr std::size_t key_length = 40;            // 32 bytes as Z85
constexpr std::uintmax_t file_bytes_max = 4'096;  // ten times what is written

bool is_key(const std::string& text) {
  return text.size() == key_length &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

Error not_a_rendezvous(const std::filesystem::path& file) {
  return refuse(Code::invalid, file.string() + " is not a file of `hone-train NAME --hosts FILE`");
}

// Empty where the document has no such text.
std::string text_at(const Json& document, const char* name) {
  const auto found = document.find(name);
  return found != document.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

Status write_rendezvous(const std::filesystem::path& file, const Rendezvous& rendezvous) {
  const Json document{{"protocol", protocol},
                      {"address", rendezvous.address},
                      {"training_key", rendezvous.training_key},
                      {"guest_key", rendezvous.guest_key},
                      {"guest_secret", rendezvous.guest_secret}};
  const auto written = replace_file(file, to_text(document) + "\n", {0600, true, ::fsync});
  if (!written)
    return refuse(Code::unavailable,
                  "cannot write " + file.string() + ": " + written.error().detail);
  return Done{};
}

Result<Rendezvous> read_rendezvous(const std::filesystem::path& file) {
  FileHandle opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened) return refuse(Code::not_found, "cannot read " + file.string());
  std::error_code fault;
  if (std::filesystem::file_size(file, fault) > file_bytes_max || fault)
    return not_a_rendezvous(file);
  const auto document = parse_json(read_to_end(opened));
  if (!document || !document->is_object()) return not_a_rendezvous(file);
  if (document->value("protocol", Json()) != Json(protocol))
    return refuse(Code::invalid, file.string() + " is of another version of hone");
  Rendezvous rendezvous{text_at(*document, "address"), text_at(*document, "training_key"),
                        text_at(*document, "guest_key"), text_at(*document, "guest_secret")};
  if (!rendezvous.address.starts_with("tcp://") || !is_key(rendezvous.training_key) ||
      !is_key(rendezvous.guest_key) || !is_key(rendezvous.guest_secret))
    return not_a_rendezvous(file);
  return rendezvous;
}

}  // namespace hone::relay
