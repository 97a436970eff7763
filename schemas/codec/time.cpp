// Instants as RFC 3339 texts. Calendar arithmetic only: no clock is read here.
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>

#include "base/ascii.hpp"
#include "schemas/codec/body.hpp"

namespace hone {
namespace {

constexpr std::int64_t us_per_second = 1'000'000;
constexpr std::int64_t seconds_per_day = 86'400;

// The years that four digits can write.
constexpr std::int64_t first_us = -62'167'219'200 * us_per_second;                     // 0000-01-01
constexpr std::int64_t last_us = 253'402'300'799 * us_per_second + us_per_second - 1;  // 9999-12-31

// '0' is any digit; the other characters are themselves.
bool has_shape(std::string_view text, std::string_view shape) {
  return std::ranges::equal(text, shape,
                            [](char c, char s) { return s == '0' ? is_digit(c) : c == s; });
}

// Of digits only.
int number(std::string_view digits) {
  int value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

// ".123456789" in microseconds; digits beyond the sixth are cut off. nullopt for a misfit.
std::optional<std::int64_t> fraction_us(std::string_view text) {
  if (text.empty()) return 0;
  if (text.front() != '.' || !is_digits(text.substr(1))) return std::nullopt;
  std::string digits(text.substr(1));
  digits.resize(6, '0');
  return number(digits);
}

// "Z" or "+02:00", in seconds east of Greenwich. nullopt for a misfit.
std::optional<std::int64_t> offset_seconds(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  if (!has_shape(text, "+00:00") && !has_shape(text, "-00:00")) return std::nullopt;
  const int hours = number(text.substr(1, 2));
  const int minutes = number(text.substr(4));
  if (hours > 23 || minutes > 59) return std::nullopt;
  return (text.front() == '-' ? -60 : 60) * (hours * 60 + minutes);
}

}  // namespace

std::string rfc3339(Instant t) {
  using Microseconds = std::chrono::microseconds;
  const Microseconds us{std::clamp(t.us, first_us, last_us)};
  const std::chrono::sys_time<Microseconds> moment{us};
  const auto midnight = std::chrono::floor<std::chrono::days>(moment);
  const std::chrono::year_month_day date{midnight};
  const std::chrono::hh_mm_ss<Microseconds> time{moment - midnight};
  std::array<char, 32> text{};
  const int length = std::snprintf(
      text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ",
      static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
      static_cast<unsigned>(date.day()), static_cast<int>(time.hours().count()),
      static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()),
      static_cast<int>(time.subseconds().count()));
  return {text.data(), static_cast<std::size_t>(length)};
}

std::optional<Instant> parse_rfc3339(std::string_view text) {
  constexpr std::size_t fixed = 19;  // characters up to the seconds
  const auto fits = [&](std::string_view shape) { return has_shape(text.substr(0, fixed), shape); };
  if (!fits("0000-00-00T00:00:00") && !fits("0000-00-00t00:00:00")) return std::nullopt;
  const auto zone = std::min(text.find_first_of("Zz+-", fixed), text.size());
  const auto fraction = fraction_us(text.substr(fixed, zone - fixed));
  const auto offset = offset_seconds(text.substr(zone));
  const auto part = [&](std::size_t at) { return number(text.substr(at, 2)); };
  const int hour = part(11), minute = part(14), second = part(17);
  const std::chrono::year_month_day date{std::chrono::year{number(text.substr(0, 4))},
                                         std::chrono::month(static_cast<unsigned>(part(5))),
                                         std::chrono::day(static_cast<unsigned>(part(8)))};
  if (!fraction || !offset || !date.ok() || hour > 23 || minute > 59 || second > 59)
    return std::nullopt;
  const std::int64_t days = std::chrono::sys_days{date}.time_since_epoch().count();
  const std::int64_t whole = days * seconds_per_day + hour * 3600 + minute * 60 + second - *offset;
  return Instant{whole * us_per_second + *fraction};
}

}  // namespace hone
