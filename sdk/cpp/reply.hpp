// JSON that a server sent.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"

namespace hone {

// Bounds the values of one reply, as the server bounds those of a request: ten times the longest
// text that a client reads. The largest replies, exports, take eight times it; brackets alone
// would take 27 times.
inline constexpr std::size_t reply_memory_bytes_max = std::size_t{640} << 20U;

// Parses a reply or a part of one. Refuses what parse_json refuses, and (too_large) values that
// need more memory than a client gives them, before they are allocated: a server is not trusted
// with the memory of its clients.
Result<Json> parse_reply(std::string_view text);

}  // namespace hone
