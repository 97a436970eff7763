// Bytes as text of RFC 4648, with padding: for JSON, whose strings cannot hold all bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hone {

std::string base64_text(std::string_view bytes);
// nullopt for a text that base64_text does not return.
std::optional<std::string> base64_bytes(std::string_view text);

}  // namespace hone
