// The ledger's bodies <-> JSON.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"
#include "schemas/types/event.hpp"

namespace hone {

std::string_view kind(const EventBody& body);  // "sweep_submitted", ...
Json encode(const EventBody& body);            // without kind
// Events of a document from elsewhere obey the rules of requests, too.
enum class EventSource { ledger, elsewhere };
// Fails only on a damaged or newer ledger.
Result<EventBody> decode_event(std::string_view kind, const Json& document,
                               EventSource source = EventSource::ledger);

}  // namespace hone
