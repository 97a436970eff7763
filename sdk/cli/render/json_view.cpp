#include "sdk/cli/render/json_view.hpp"

#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/numbers.hpp"

namespace hone::cli {

std::string text_at(const Json& item, const std::string& pointer) {
  const Json& value = member(item, pointer);
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::int64_t int_at(const Json& item, const std::string& pointer) {
  const Json& value = member(item, pointer);
  return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

std::optional<Instant> time_at(const Json& item, const std::string& pointer) {
  return parse_rfc3339(text_at(item, pointer));
}

std::string when_text(const Json& item, const std::string& pointer, Instant now) {
  const auto then = time_at(item, pointer);
  if (!then) return {};
  return clock_text(*then) + " UTC (" + ago_text(*then, now) + ")";
}

}  // namespace hone::cli
