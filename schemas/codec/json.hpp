// JSON as the codec sees it: nlohmann's ordered document, so that keys come out in the order in
// which they were put.
#pragma once

#include <cstddef>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace hone {

using Json = nlohmann::ordered_json;

// Parses one document. Refuses with Code::invalid and the byte position for syntax errors,
// duplicate keys, numbers that do not fit (1e999), NaN literals, invalid UTF-8, and nesting deeper
// than 64. Refuses with Code::too_large a document whose values need more than `memory_bytes_max`
// bytes, before they are allocated: a megabyte of "[]," becomes 27 of them.
Result<Json> parse_json(std::string_view text,
                        std::size_t memory_bytes_max = std::numeric_limits<std::size_t>::max());

// Parses a document that a program printed: as parse_json, but numbers that JSON has not (NaN,
// 1e400) are texts, bytes that are no UTF-8 question marks, of a repeated key the last one counts,
// and levels may be 1000.
Result<Json> parse_program_json(std::string_view text);

// One line, no blanks. Never throws: invalid UTF-8 (from a program's log, say) is replaced.
std::string to_text(const Json& document);
// Indented by two, for people.
std::string to_pretty_text(const Json& document);

}  // namespace hone
