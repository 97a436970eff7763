// Times of day as people write them, in the time zone of this machine.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"
#include "schemas/types/instant.hpp"

namespace hone {

// Returns "18:00" (the next one after `now`) and "2026-11-23 18:00" as RFC 3339; nullopt for any
// other text. A time that a clock change skips is the one an hour later.
std::optional<std::string> clock_time(std::string_view text, Instant now);

// Replaces such a time in the member `by` of a sweep file: the server knows no time zone of a
// client.
void settle_deadline(Json& document, Instant now);

}  // namespace hone
