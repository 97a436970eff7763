// The ledger's bodies <-> JSON.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"
#include "schemas/types/event.hpp"

namespace hone {

std::string_view kind(const EventBody& body);  // "sweep_submitted", ...
Json encode(const EventBody& body);            // without kind
Json encode(const Event& event);               // with its time and kind, as an export has it
// Fails only on a damaged or newer ledger.
Result<EventBody> decode_event(std::string_view kind, const Json& document);
Result<Event> decode_past_event(const Json& document);      // the inverse of encode(event)
Result<Event> decode_imported_event(const Json& document);  // likewise, of a client's document

// The text of encode(body). That of an import is made event by event, not as one document.
std::string body_text(const EventBody& body);

}  // namespace hone
