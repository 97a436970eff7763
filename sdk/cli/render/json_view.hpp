// Members of a reply, read without fuss: what is absent or of another type gives the fallback.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schemas/codec/json.hpp"
#include "schemas/types/instant.hpp"

namespace hone::cli {

std::string text_at(const Json& item, const std::string& pointer);  // "" where it is no string
std::int64_t int_at(const Json& item, const std::string& pointer);  // 0 where it is no integer
std::optional<Instant> time_at(const Json& item, const std::string& pointer);

// "2026-11-21 10:04:05 UTC (3m05s ago)", or "" where there is none.
std::string when_text(const Json& item, const std::string& pointer, Instant now);

}  // namespace hone::cli
