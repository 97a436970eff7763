// Reads members of a reply; an absent member, or one of another type, gives the fallback.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schemas/codec/json.hpp"
#include "schemas/types/instant.hpp"

namespace hone::cli {

// "" unless it is a string.
std::string text_at(const Json& item, const std::string& pointer);
// 0 unless it is an integer. Within +-2^53, beyond which numbers are not exact in every JSON
// reader, so that sums of a few do not overflow.
std::int64_t int_at(const Json& item, const std::string& pointer);
// 0 unless it is a number.
double number_at(const Json& item, const std::string& pointer);
// The elements of a list; of an object its values; of anything else nothing.
std::vector<Json> items_at(const Json& item, const std::string& pointer);
std::optional<Instant> time_at(const Json& item, const std::string& pointer);

// "2026-11-21 10:04:05 UTC (3m05s ago)", or "" if there is none.
std::string when_text(const Json& item, const std::string& pointer, Instant now);

}  // namespace hone::cli
