// Instants as RFC 3339 texts. Calendar arithmetic only: no clock is read here.
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>

#include "schemas/codec/body.hpp"

namespace hone {
namespace {

constexpr std::int64_t us_per_second = 1'000'000;
constexpr std::int64_t seconds_per_day = 86'400;

// The years that four digits can write.
constexpr std::int64_t first_us = -62'167'219'200 * us_per_second;                     // 0000-01-01
constexpr std::int64_t last_us = 253'402'300'799 * us_per_second + us_per_second - 1;  // 9999-12-31

// Reads fixed-width fields from the front of a text; sticks at the first misfit.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  int digits(std::size_t width) {
    int number = 0;
    if (rest_.size() < width) ok_ = false;
    for (std::size_t i = 0; ok_ && i < width; ++i) {
      if (rest_[i] < '0' || rest_[i] > '9') ok_ = false;
      number = number * 10 + (rest_[i] - '0');
    }
    if (ok_) rest_.remove_prefix(width);
    return number;
  }

  // One of the given characters, or '\0'.
  char one_of(std::string_view allowed) {
    if (!ok_ || rest_.empty() || allowed.find(rest_.front()) == std::string_view::npos) {
      ok_ = false;
      return '\0';
    }
    const char found = rest_.front();
    rest_.remove_prefix(1);
    return found;
  }

  [[nodiscard]] bool at_digit() const {
    return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';
  }
  [[nodiscard]] bool at(char c) const { return !rest_.empty() && rest_.front() == c; }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool ended() const { return ok_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

// ".123456789" as microseconds; digits beyond the sixth are cut off.
std::int64_t fraction_us(Cursor& cursor) {
  if (!cursor.at('.')) return 0;
  cursor.one_of(".");
  std::int64_t us = 0;
  std::int64_t unit = us_per_second / 10;
  if (!cursor.at_digit()) cursor.one_of("0123456789");  // at least one: refuse
  while (cursor.at_digit()) {
    us += cursor.digits(1) * unit;
    unit /= 10;
  }
  return us;
}

// "Z" or "+02:00", in seconds east of Greenwich.
std::int64_t offset_seconds(Cursor& cursor) {
  const char sign = cursor.one_of("Zz+-");
  if (sign != '+' && sign != '-') return 0;
  const int hours = cursor.digits(2);
  cursor.one_of(":");
  const int minutes = cursor.digits(2);
  if (hours > 23 || minutes > 59) cursor.one_of("");  // refuse
  const int offset = hours * 3600 + minutes * 60;
  return sign == '-' ? -offset : offset;
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
  Cursor cursor(text);
  const int year = cursor.digits(4);
  cursor.one_of("-");
  const int month = cursor.digits(2);
  cursor.one_of("-");
  const int day = cursor.digits(2);
  cursor.one_of("Tt");
  const int hour = cursor.digits(2);
  cursor.one_of(":");
  const int minute = cursor.digits(2);
  cursor.one_of(":");
  const int second = cursor.digits(2);
  const std::int64_t fraction = fraction_us(cursor);
  const std::int64_t offset = offset_seconds(cursor);
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (!cursor.ended() || !date.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days{date}.time_since_epoch().count();
  const std::int64_t whole = days * seconds_per_day + hour * 3600 + minute * 60 + second - offset;
  return Instant{whole * us_per_second + fraction};
}

}  // namespace hone
