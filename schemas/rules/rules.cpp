#include "schemas/rules/rules.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "schemas/codec/event_codec.hpp"
#include "schemas/types/spec.hpp"

namespace hone::rules {
namespace {

Error unreadable(const EventBody& body, const Error& why) {
  return refuse(Code::internal, "an event of kind " + std::string(kind(body)) +
                                    " could not be read again: " + why.detail +
                                    (why.at.empty() ? "" : " (" + why.at + ")"));
}

// JSON has no such number: it would be written as null, which may be a value.
bool has_non_finite(const Json& json) {
  if (json.is_number_float()) return !std::isfinite(json.get<double>());
  return json.is_structured() && std::any_of(json.begin(), json.end(), has_non_finite);
}

}  // namespace

Status check(const SweepSpec& spec) {
  const auto read = settled(spec);
  return read ? Status(Done{}) : read.error();
}

Result<SweepSpec> settled(const SweepSpec& spec) { return decode_request<SweepSpec>(encode(spec)); }

Status check(const Parameter& parameter) {
  const auto read = decode_space(encode_space({parameter}), "");
  if (read) return Done{};
  Error error = read.error();
  error.at.erase(0, std::min(error.at.find('/', 1), error.at.size()));
  return error;
}

Result<std::string> readable_text(const EventBody& body) {
  const Json json = encode(body);
  if (has_non_finite(json))
    return unreadable(body, refuse(Code::internal, "it has a number that is not finite"));
  std::string text = to_text(json);
  const auto document = parse_json(text);
  if (!document) return unreadable(body, document.error());
  const auto read = decode_event(kind(body), *document);
  if (!read) return unreadable(body, read.error());
  if (to_text(encode(*read)) == text) return text;
  return unreadable(body, refuse(Code::internal, "it would be read as another event"));
}

}  // namespace hone::rules
