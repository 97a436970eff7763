#include "schemas/codec/rules.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "schemas/codec/body.hpp"

namespace hone::codec {
namespace {

// Bytes that begin a character.
std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

// nullptr, with a refusal, where it is no text.
const std::string* text_at(const Spot& spot) {
  const auto* found = spot.json.get_ptr<const std::string*>();
  if (found == nullptr) spot.refuse("must be a text, not " + described(spot.json));
  return found;
}

// 1000000.0 is an integer too, as long as it is exact.
std::optional<std::int64_t> exact_integer(double value) {
  if (std::floor(value) != value || std::abs(value) > static_cast<double>(exact_max))
    return std::nullopt;
  return static_cast<std::int64_t>(value);
}

std::optional<std::int64_t> integer_of(const Json& json) {
  if (json.is_number_unsigned()) {
    const auto value = json.get<std::uint64_t>();
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return std::nullopt;
    return static_cast<std::int64_t>(value);
  }
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number_float()) return exact_integer(json.get<double>());
  return std::nullopt;
}

// A decimal number with one letter behind it that multiplies: "1.5M". nullopt for anything else.
struct Unit {
  char letter;
  double factor;
};
std::optional<double> scaled(std::string_view words, std::span<const Unit> units) {
  if (words.empty()) return std::nullopt;
  const auto unit = std::find_if(units.begin(), units.end(),
                                 [&](const Unit& one) { return one.letter == words.back(); });
  if (unit == units.end()) return std::nullopt;
  words.remove_suffix(1);
  if (words.empty() || words.front() < '0' || words.front() > '9') return std::nullopt;
  double number = 0;
  const auto [end, error] =
      std::from_chars(words.data(), words.data() + words.size(), number, std::chars_format::fixed);
  if (error != std::errc{} || end != words.data() + words.size()) return std::nullopt;
  return number * unit->factor;
}

constexpr std::array count_units{Unit{'k', 1e3}, Unit{'M', 1e6}, Unit{'G', 1e9}};
constexpr std::array time_units{Unit{'s', 1}, Unit{'m', 60}, Unit{'h', 3600}, Unit{'d', 86'400}};

std::int64_t bounded(const Spot& spot, std::optional<std::int64_t> value, std::int64_t min,
                     std::int64_t max) {
  if (!value)
    spot.refuse("must be an integer, not " + described(spot.json));
  else if (*value < min)
    spot.refuse_rule("must be at least " + std::to_string(min) + ", not " + std::to_string(*value));
  else if (*value > max)
    spot.refuse_rule("must be at most " + std::to_string(max) + ", not " + std::to_string(*value));
  return value.value_or(0);
}

}  // namespace

std::string Line::operator()(const Spot& spot) const {
  const auto* found = text_at(spot);
  if (found == nullptr) return {};
  const auto length = characters(*found);
  if (std::any_of(found->begin(), found->end(), is_control))
    spot.refuse_rule("must not contain control characters or line ends");
  else if (length < min)
    spot.refuse_rule(min == 1 ? "must not be empty"
                              : "must have at least " + std::to_string(min) + " characters");
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
  return *found;
}

std::string Digest::operator()(const Spot& spot) const {
  const auto* found = text_at(spot);
  if (found == nullptr || (found->empty() && empty_allowed)) return {};
  const bool hex = std::all_of(found->begin(), found->end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
  if (found->size() != 64 || !hex)
    spot.refuse_rule("must be a SHA-256 digest: 64 hexadecimal digits in lower case");
  return *found;
}

std::int64_t Integer::operator()(const Spot& spot) const {
  return bounded(spot, integer_of(spot.json), min, max);
}

int SmallInteger::operator()(const Spot& spot) const {
  const std::int64_t value = bounded(spot, integer_of(spot.json), min, max);
  const bool fits =
      value >= std::numeric_limits<int>::min() && value <= std::numeric_limits<int>::max();
  if (!fits) spot.refuse("must fit 32 bits, not " + std::to_string(value));
  return fits ? static_cast<int>(value) : 0;
}

std::int64_t Count::operator()(const Spot& spot) const {
  const auto* words = spot.json.get_ptr<const std::string*>();
  if (words == nullptr) return bounded(spot, integer_of(spot.json), min, max);
  const auto number = scaled(*words, count_units);
  const auto whole = number ? exact_integer(*number) : std::nullopt;
  if (whole) return bounded(spot, whole, min, max);
  const auto meant = as_yaml_number(*words);
  spot.refuse("must be a whole number such as 200000, 200k, 1.5M or 2G, not " +
              described(spot.json) + (meant ? "; write " + *meant : ""));
  return min;
}

bool Truth::operator()(const Spot& spot) const {
  const auto* found = spot.json.get_ptr<const bool*>();
  if (found == nullptr) spot.refuse("must be true or false, not " + described(spot.json));
  return found != nullptr && *found;
}

double Real::operator()(const Spot& spot) const {
  if (spot.json.is_number()) {
    const auto value = spot.json.get<double>();
    if (!std::isfinite(value)) spot.refuse("must be a finite number");
    return value;
  }
  const auto* words = spot.json.get_ptr<const std::string*>();
  const auto meant = words == nullptr ? std::nullopt : as_yaml_number(*words);
  spot.refuse("must be a number, not " + described(spot.json) + (meant ? "; write " + *meant : ""));
  return 0;
}

Duration Length::operator()(const Spot& spot) const {
  constexpr double seconds_max = 3650.0 * 86'400;  // keeps microseconds exact through a double
  const auto* words = spot.json.get_ptr<const std::string*>();
  std::optional<double> found;
  if (spot.json.is_number()) found = spot.json.get<double>();
  if (words != nullptr && words_allowed) found = scaled(*words, time_units);
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
  const Duration duration{std::llround(*found * 1e6)};
  if (duration < min)
    spot.refuse_rule("must be at least " + to_text(seconds_json(min)) + " seconds");
  return duration;
}

Instant LedgerTime::operator()(const Spot& spot) const { return {Integer{}(spot)}; }

Instant WireTime::operator()(const Spot& spot) const {
  const auto* words = spot.json.get_ptr<const std::string*>();
  const auto parsed = words == nullptr ? std::nullopt : parse_rfc3339(*words);
  if (!parsed)
    spot.refuse("must be a time such as \"2026-11-21T10:04:05.123456Z\", not " +
                described(spot.json));
  return parsed.value_or(Instant{});
}

LeaseId LeaseName::operator()(const Spot& spot) const {
  const auto* words = spot.json.get_ptr<const std::string*>();
  const auto parsed = words == nullptr ? std::nullopt : parse_lease_id(*words);
  if (!parsed) spot.refuse("must be a lease id such as \"le_3\", not " + described(spot.json));
  return parsed.value_or(LeaseId{});
}

TokenId TokenName::operator()(const Spot& spot) const {
  const auto* words = spot.json.get_ptr<const std::string*>();
  const auto parsed = words == nullptr ? std::nullopt : parse_token_id(*words);
  if (!parsed) spot.refuse("must be a token id such as \"tk_3\", not " + described(spot.json));
  return parsed.value_or(TokenId{});
}

void refuse_word(const Spot& spot, std::span<const std::string_view> words) {
  std::string all;
  for (const auto one : words) all += (all.empty() ? "" : ", ") + std::string(one);
  const auto* found = spot.json.get_ptr<const std::string*>();
  spot.refuse("must be one of " + all + ", not " + described(spot.json) +
              (found == nullptr ? "" : did_you_mean(*found, words)));
}

std::optional<std::string> as_yaml_number(std::string_view text) {
  std::string sign;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    if (text.front() == '-') sign = "-";
    text.remove_prefix(1);
  }
  const auto e = text.find_first_of("eE");
  if (e == std::string_view::npos) return std::nullopt;
  const auto digits = [](std::string_view part) {
    return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
  };
  const auto mantissa = text.substr(0, e);
  const auto dot = mantissa.find('.');
  const auto whole = mantissa.substr(0, dot);
  const auto fraction = dot == std::string_view::npos ? "0" : mantissa.substr(dot + 1);
  auto exponent = text.substr(e + 1);
  const char exponent_sign = exponent.starts_with('-') ? '-' : '+';
  if (exponent.starts_with('-') || exponent.starts_with('+')) exponent.remove_prefix(1);
  if (!digits(whole) || !digits(fraction) || !digits(exponent)) return std::nullopt;
  return sign + std::string(whole) + "." + std::string(fraction) + "e" + exponent_sign +
         std::string(exponent);
}

Json seconds_json(Duration duration) {
  constexpr std::int64_t us_per_second = 1'000'000;
  if (duration.us % us_per_second == 0) return duration.us / us_per_second;
  return static_cast<double>(duration.us) / 1e6;
}

}  // namespace hone::codec
