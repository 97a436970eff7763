#include "server/api/arguments.hpp"

#include <charconv>

#include "server/limits.hpp"

namespace hone::api {

Error no_such_form(std::string_view noun, std::string_view example, const std::string& text,
                   const std::string& at) {
  constexpr std::size_t shown_max = 60;
  const auto shown = text.size() <= shown_max ? text : text.substr(0, shown_max) + "...";
  std::string detail(noun);
  detail.append(" ids look like ").append(example).append(", not '").append(shown).append("'");
  return refuse(Code::invalid, std::move(detail), at);
}

template <>
Result<LeaseId> path_id(const Request& request) {
  const auto id = parse_lease_id(request.ids.at(0));
  if (!id) return no_such_form("lease", "le_3", request.ids.at(0), "");
  return *id;
}

template <>
Result<TokenId> path_id(const Request& request) {
  const auto id = parse_token_id(request.ids.at(0));
  if (!id) return no_such_form("token", "tk_3", request.ids.at(0), "");
  return *id;
}

template <>
Result<FleetId> path_id(const Request& request) {
  const auto id = parse_fleet_id(request.ids.at(0));
  if (!id) return no_such_form("fleet", "fl_1", request.ids.at(0), "");
  return *id;
}

Result<std::int64_t> integer_query(const Request& request, Query name, std::int64_t fallback,
                                   std::int64_t min, std::int64_t max) {
  const auto* text = query_value(request, name);
  if (text == nullptr) return fallback;
  std::int64_t number = 0;
  const auto* end = text->data() + text->size();
  const auto [stop, trouble] = std::from_chars(text->data(), end, number);
  if (trouble == std::errc() && stop == end && number >= min && number <= max) return number;
  return refuse(Code::invalid,
                std::string(word(name)) + " must be a whole number from " + std::to_string(min) +
                    " to " + std::to_string(max),
                "/" + std::string(word(name)));
}

Result<PageQuery> page_query(const Request& request) {
  const auto limit =
      integer_query(request, Query::limit, limits::page_items_default, 1, limits::page_items_max);
  if (!limit) return limit.error();
  const auto* after = query_value(request, Query::after);
  return PageQuery{*limit, after == nullptr ? std::string() : *after};
}

Result<Json> json_body(const Request& request) {
  if (request.body.empty()) return refuse(Code::invalid, "the body is empty; send a JSON object");
  return parse_json(request.body, limits::document_bytes_max);
}

}  // namespace hone::api
