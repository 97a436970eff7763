#include "schemas/codec/fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/ascii.hpp"
#include "base/text.hpp"
#include "schemas/codec/body.hpp"

namespace hone::codec {

std::string in_quotes(std::string_view text) {
  constexpr std::size_t shown_max = 60;
  std::string shown(text.substr(0, shown_max));
  // Not in the middle of a character.
  if (text.size() > shown_max)
    while (!shown.empty() && (static_cast<unsigned char>(text[shown.size()]) & 0xc0U) == 0x80U)
      shown.pop_back();
  std::replace_if(
      shown.begin(), shown.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return "'" + shown + (text.size() > shown_max ? "...'" : "'");
}

std::string described(const Json& json) {
  if (json.is_object()) return "an object";
  if (json.is_array()) return "a list";
  if (json.is_string()) return "the text " + in_quotes(json.get_ref<const std::string&>());
  return json.is_primitive() && !json.is_binary() ? to_text(json) : "no JSON value";
}

std::string Place::pointer() const {
  if (parent_ == nullptr) return std::string(key_);
  std::string path = parent_->pointer() + '/';
  if (index_) return path + std::to_string(*index_);
  for (const char c : key_) path += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return path;
}

void Fault::note(const Place& place, std::string detail) {
  if (!first_) first_ = hone::refuse(code_, std::move(detail), place.pointer());
}

void Fault::note_rule(const Place& place, std::string detail) {
  if (applies_rules_) note(place, std::move(detail));
}

Reader::Reader(const Spot& object)
    : spot(object), object_(object.json.get_ptr<const Json::object_t*>()) {
  if (object_ == nullptr) spot.refuse("must be an object, not " + described(spot.json));
  known_.reserve(12);
}

const Json* Reader::find(std::string_view key) {
  known_.push_back(key);
  return find_foreign(key);
}

const Json* Reader::find_foreign(std::string_view key) const {
  if (object_ == nullptr) return nullptr;
  for (const auto& [name, json] : *object_)
    if (name == key) return json.is_null() ? nullptr : &json;
  return nullptr;
}

bool Reader::is_known(std::string_view key) const {
  return std::find(known_.begin(), known_.end(), key) != known_.end();
}

namespace {

// What an unknown field should have been: the one that is nearly the word, or any.
std::string instead_of(std::string_view key, std::span<const std::string_view> known) {
  if (auto meant = did_you_mean(key, known); !meant.empty()) return meant;
  if (known.empty()) return "; there is none here";
  std::string all;
  for (auto name = known.begin(); name != known.end(); ++name)
    if (std::find(known.begin(), name, *name) == name)
      all += (all.empty() ? "; there is " : ", ") + std::string(*name);
  return all;
}

}  // namespace

bool Reader::done() {
  if (object_ != nullptr && spot.fault.refuses_unknown() && !rest_taken_) {
    for (const auto& [key, json] : *object_) {
      if (is_known(key)) continue;
      refuse(key, "unknown field " + in_quotes(key) + instead_of(key, known_));
      return false;
    }
  }
  if (!missing_.empty())
    refuse(missing_, "is missing: " + in_quotes(missing_) + " is required here");
  return spot.fault.clear();
}

namespace {

// Bytes that begin a character.
std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

// nullptr, with a refusal, where it is no text.
const std::string* text_at(const Spot& spot) {
  if (spot.text() == nullptr) spot.refuse("must be a text, not " + described(spot.json));
  return spot.text();
}

// 1000000.0 is an integer too, as long as it is exact.
std::optional<std::int64_t> exact_integer(double value) {
  if (std::floor(value) != value || std::abs(value) > static_cast<double>(exact_max))
    return std::nullopt;
  return static_cast<std::int64_t>(value);
}

std::optional<std::int64_t> integer_of(const Json& json) {
  if (json.is_number_float()) return exact_integer(json.get<double>());
  const bool fits =
      json.is_number_integer() &&
      (!json.is_number_unsigned() || std::in_range<std::int64_t>(json.get<std::uint64_t>()));
  return fits ? std::optional(json.get<std::int64_t>()) : std::nullopt;
}

// A decimal number with one letter behind it that multiplies: "1.5M". nullopt for anything else.
struct Unit {
  char letter;
  double factor;
};
constexpr std::array count_units{Unit{'k', 1e3}, Unit{'M', 1e6}, Unit{'G', 1e9}};
constexpr std::array time_units{Unit{'s', 1}, Unit{'m', 60}, Unit{'h', 3600}, Unit{'d', 86'400}};

std::optional<double> scaled(std::string_view words, std::span<const Unit> units) {
  if (words.empty() || !is_digit(words.front())) return std::nullopt;
  const auto unit = std::find_if(units.begin(), units.end(),
                                 [&](const Unit& one) { return one.letter == words.back(); });
  if (unit == units.end()) return std::nullopt;
  const char* const end = words.data() + words.size() - 1;
  double number = 0;
  const auto parsed = std::from_chars(words.data(), end, number, std::chars_format::fixed);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  return number * unit->factor;
}

// Whether it is a whole number, however large.
bool is_whole(const Json& json) {
  if (json.is_number_integer()) return true;
  return json.is_number_float() && std::trunc(json.get<double>()) == json.get<double>();
}

std::int64_t bounded(const Spot& spot, std::optional<std::int64_t> value, std::int64_t min,
                     std::int64_t max) {
  if (!value && is_whole(spot.json))
    spot.refuse("the number " + described(spot.json) + " does not fit 64 bits");
  else if (!value)
    spot.refuse("must be an integer, not " + described(spot.json));
  else if (*value < min)
    spot.refuse_rule("must be at least " + std::to_string(min) + ", not " + std::to_string(*value));
  else if (*value > max)
    spot.refuse_rule("must be at most " + std::to_string(max) + ", not " + std::to_string(*value));
  return value.value_or(0);
}

// What to write instead of a number that was read as a text.
std::string instead_of_text(const Spot& spot) {
  const auto meant = spot.text() == nullptr ? std::nullopt : as_yaml_number(*spot.text());
  return meant ? "; write " + *meant : "";
}

}  // namespace

std::string Line::operator()(const Spot& spot) const {
  const auto* found = text_at(spot);
  if (found == nullptr) return {};
  const auto length = characters(*found);
  if (has_control_characters(*found))
    spot.refuse_rule("must not contain control characters or line ends");
  else if (length < min)
    spot.refuse_rule(min == 1 ? "must not be empty"
                              : "must have at least " + std::to_string(min) + " characters");
  else if (min > 0 && found->find_first_not_of(' ') == std::string::npos)
    spot.refuse_rule("must not consist of blanks");
  else if (length > max)
    spot.refuse_rule("must have at most " + std::to_string(max) + " characters, not " +
                     std::to_string(length));
  return *found;
}

std::string Text::operator()(const Spot& spot) const {
  const auto* found = text_at(spot);
  if (found == nullptr) return {};
  if (found->size() > bytes_max)
    spot.refuse_rule("must have at most " + std::to_string(bytes_max) + " bytes");
  if (found->empty() && !empty_allowed) spot.refuse_rule("must not be empty");
  if (!nul_allowed && found->find('\0') != std::string::npos)
    spot.refuse_rule("must not contain NUL characters: no argument of a program can carry one");
  return *found;
}

std::string Digest::operator()(const Spot& spot) const {
  const auto* found = text_at(spot);
  if (found == nullptr || (found->empty() && empty_allowed)) return {};
  if (found->size() != 64 || found->find_first_not_of("0123456789abcdef") != std::string::npos)
    spot.refuse_rule("must be a SHA-256 digest: 64 hexadecimal digits in lower case");
  return *found;
}

std::int64_t Integer::operator()(const Spot& spot) const {
  return bounded(spot, integer_of(spot.json), min, max);
}

int read_int(const Spot& spot, const Integer& rule) {
  using Limits = std::numeric_limits<int>;
  const std::int64_t value = Integer{std::max<std::int64_t>(rule.min, Limits::min()),
                                     std::min<std::int64_t>(rule.max, Limits::max())}(spot);
  if (std::in_range<int>(value)) return static_cast<int>(value);
  spot.refuse("must fit 32 bits, not " + std::to_string(value));
  return 0;
}

std::int64_t Count::operator()(const Spot& spot) const {
  if (spot.text() == nullptr) return bounded(spot, integer_of(spot.json), min, max);
  const auto number = scaled(*spot.text(), count_units);
  const auto whole = number ? exact_integer(*number) : std::nullopt;
  if (whole) return bounded(spot, whole, min, max);
  spot.refuse("must be a whole number such as 200000, 200k, 1.5M or 2G, not " +
              described(spot.json) + instead_of_text(spot));
  return min;
}

bool read_truth(const Spot& spot) {
  if (!spot.json.is_boolean()) spot.refuse("must be true or false, not " + described(spot.json));
  return spot.json.is_boolean() && spot.json.get<bool>();
}

double read_real(const Spot& spot) {
  const double value = spot.json.is_number() ? spot.json.get<double>() : 0;
  if (!spot.json.is_number())
    spot.refuse("must be a number, not " + described(spot.json) + instead_of_text(spot));
  if (!std::isfinite(value)) spot.refuse("must be a finite number");
  return value;
}

namespace {

constexpr double seconds_max = 3650.0 * 86'400;  // keeps microseconds exact through a double

Duration duration_of(double seconds) { return {std::llround(seconds * 1e6)}; }

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
  const auto found = scaled(text, time_units);
  if (!found || !(*found >= 0 && *found <= seconds_max)) return std::nullopt;
  return duration_of(*found);
}

Duration Length::operator()(const Spot& spot) const {
  std::optional<double> found;
  if (spot.json.is_number()) found = spot.json.get<double>();
  if (spot.text() != nullptr && words_allowed) found = scaled(*spot.text(), time_units);
  if (!found) {
    spot.refuse((words_allowed
                     ? "must be a duration such as 90s, 15m, 2h or 7d, or a number of seconds, not "
                     : "must be a number of seconds, not ") +
                described(spot.json));
    return {};
  }
  if (!(*found >= 0 && *found <= seconds_max)) {
    spot.refuse("must be between 0 seconds and 3650 days, not " + described(spot.json));
    return {};
  }
  const Duration duration = duration_of(*found);
  if (duration < min)
    spot.refuse_rule("must be at least " + to_text(write_seconds(min)) + " seconds");
  return duration;
}

Instant WireTime::operator()(const Spot& spot) const {
  const auto parsed = spot.text() == nullptr ? std::nullopt : parse_rfc3339(*spot.text());
  if (!parsed)
    spot.refuse("must be a time such as \"2026-11-21T10:04:05.123456Z\", not " +
                described(spot.json));
  return parsed.value_or(Instant{});
}

Json WireTime::json(Instant time) const { return rfc3339(time); }

Json write_seconds(Duration duration) {
  constexpr std::int64_t us_per_second = 1'000'000;
  if (duration.us % us_per_second == 0) return duration.us / us_per_second;
  return static_cast<double>(duration.us) / 1e6;
}

std::size_t OneOf::operator()(const Spot& spot) const {
  for (std::size_t i = 0; i < words.size() && spot.text() != nullptr; ++i)
    if (words[i] == *spot.text()) return i;
  std::string all;
  for (const auto one : words) all += (all.empty() ? "" : ", ") + std::string(one);
  spot.refuse("must be one of " + all + ", not " + described(spot.json) +
              (spot.text() == nullptr ? "" : did_you_mean(*spot.text(), words)));
  return 0;
}

const Json::array_t* list_at(const Spot& spot, std::size_t max, std::string_view needed) {
  const auto* list = spot.json.get_ptr<const Json::array_t*>();
  if (list == nullptr)
    spot.refuse("must be a list, not " + described(spot.json));
  else if (list->empty() && !needed.empty())
    spot.refuse_rule("must name at least one " + std::string(needed));
  if (list == nullptr || list->size() <= max) return list;
  spot.refuse("has " + std::to_string(list->size()) + " items; at most " + std::to_string(max) +
              " are allowed");
  return nullptr;
}

std::optional<std::string> as_yaml_number(std::string_view text) {
  const std::string sign = text.starts_with('-') ? "-" : "";
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const auto e = text.find_first_of("eE");
  if (e == std::string_view::npos) return std::nullopt;
  const auto mantissa = text.substr(0, e);
  const auto dot = mantissa.find('.');
  const auto whole = mantissa.substr(0, dot);
  const auto fraction = dot == std::string_view::npos ? "0" : mantissa.substr(dot + 1);
  auto exponent = text.substr(e + 1);
  const char exponent_sign = exponent.starts_with('-') ? '-' : '+';
  if (exponent.starts_with('-') || exponent.starts_with('+')) exponent.remove_prefix(1);
  if (!is_digits(whole) || !is_digits(fraction) || !is_digits(exponent)) return std::nullopt;
  return sign + std::string(whole) + "." + std::string(fraction) + "e" + exponent_sign +
         std::string(exponent);
}

}  // namespace hone::codec
