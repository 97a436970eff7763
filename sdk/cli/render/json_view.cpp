#include "sdk/cli/render/json_view.hpp"

#include <algorithm>
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
  constexpr std::int64_t most = std::int64_t{1} << 53U;
  const Json& value = member(item, pointer);
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{most}) return most;
  return value.is_number_integer() ? std::clamp(value.get<std::int64_t>(), -most, most) : 0;
}

double number_at(const Json& item, const std::string& pointer) {
  const Json& value = member(item, pointer);
  return value.is_number() ? value.get<double>() : 0;
}

std::vector<Json> items_at(const Json& item, const std::string& pointer) {
  const Json& list = member(item, pointer);
  if (!list.is_structured()) return {};
  return {list.begin(), list.end()};
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
