#include "schemas/rules/rules.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
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

// What is known of a document before its text is parsed again.
enum class Text {
  exact,       // the parser makes of the text what `as_parsed` made of the document
  to_parse,    // only the parser can tell
  non_finite,  // JSON has no such number: it would be written as null, which may be a value
};

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Changes integers to the type that the parser gives them. Keys are hone's own, but for parameters.
Text as_parsed(Json& json, int depth = 0) {
  constexpr int depth_max = 32;  // the parser refuses 64
  switch (json.type()) {
    case Json::value_t::number_float:
      return std::isfinite(json.get<double>()) ? Text::exact : Text::non_finite;
    case Json::value_t::number_integer:
      if (const auto number = json.get<std::int64_t>(); number >= 0)
        json = static_cast<std::uint64_t>(number);
      return Text::exact;
    case Json::value_t::string:
      return is_ascii(json.get_ref<const std::string&>()) ? Text::exact : Text::to_parse;
    case Json::value_t::object:
    case Json::value_t::array:
      break;
    default:
      return Text::exact;
  }
  Text all = depth < depth_max ? Text::exact : Text::to_parse;
  if (json.is_object())
    for (const auto& [key, value] : json.get_ref<const Json::object_t&>())
      if (!is_ascii(key)) all = Text::to_parse;
  for (Json& one : json) all = std::max(all, as_parsed(one, depth + 1));
  return all;
}

// Type by type, and bit by bit: 1 is not 1.0, and 0.0 not -0.0.
bool are_same(const Json& a, const Json& b) {
  if (a.type() != b.type() || a.size() != b.size()) return false;
  if (a.is_number_float())
    return std::bit_cast<std::uint64_t>(a.get<double>()) ==
           std::bit_cast<std::uint64_t>(b.get<double>());
  if (a.is_array()) return std::equal(a.begin(), a.end(), b.begin(), are_same);
  if (!a.is_object()) return a == b;
  const auto& members = a.get_ref<const Json::object_t&>();
  return std::equal(members.begin(), members.end(), b.get_ref<const Json::object_t&>().begin(),
                    [](const auto& one, const auto& other) {
                      return one.first == other.first && are_same(one.second, other.second);
                    });
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
  Json json = encode(body);
  const Text known = as_parsed(json);
  if (known == Text::non_finite)
    return unreadable(body, refuse(Code::internal, "it has a number that is not finite"));
  std::string text = to_text(json);
  if (known == Text::to_parse) {
    auto document = parse_json(text);
    if (!document) return unreadable(body, document.error());
    json = *std::move(document);
  }
  const auto read = decode_event(kind(body), json);
  if (!read) return unreadable(body, read.error());
  Json again = encode(*read);
  as_parsed(again);
  if (are_same(again, json)) return text;
  return unreadable(body, refuse(Code::internal, "it would be read as another event"));
}

}  // namespace hone::rules
