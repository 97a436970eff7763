// The ledger's bodies <-> JSON.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"
#include "schemas/types/event.hpp"

namespace hone {

std::string_view kind(const EventBody& body);  // "sweep_submitted", ...
Json encode(const EventBody& body);            // without kind
// Fails only on a damaged or newer ledger.
Result<EventBody> decode_event(std::string_view kind, const Json& document);

}  // namespace hone
