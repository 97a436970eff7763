#include "sdk/cpp/deadline.hpp"

#include <charconv>
#include <ctime>
#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"

namespace hone {
namespace {

// So many digits from `at`; nullopt if there is anything else.
std::optional<int> number_at(std::string_view text, std::size_t at, std::size_t width) {
  if (at + width > text.size()) return std::nullopt;
  int number = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + at + width, number);
  if (error != std::errc() || end != text.data() + at + width) return std::nullopt;
  return number;
}

// "18:00" or "8:00".
bool read_time(std::string_view text, std::tm& time) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon > 2 || text.size() != colon + 3)
    return false;
  const auto hour = number_at(text, 0, colon), minute = number_at(text, colon + 1, 2);
  if (!hour || !minute || *hour < 0 || *hour > 23 || *minute < 0 || *minute > 59) return false;
  time.tm_hour = *hour, time.tm_min = *minute, time.tm_sec = 0;
  return true;
}

// "2026-11-23".
bool read_date(std::string_view text, std::tm& time) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const auto year = number_at(text, 0, 4), month = number_at(text, 5, 2),
             day = number_at(text, 8, 2);
  if (!year || !month || !day || *month < 1 || *month > 12 || *day < 1 || *day > 31) return false;
  time.tm_year = *year - 1900, time.tm_mon = *month - 1, time.tm_mday = *day;
  return true;
}

std::string in_utc(std::tm time) {
  time.tm_isdst = -1;
  return rfc3339(Instant{static_cast<std::int64_t>(std::mktime(&time)) * 1'000'000});
}

}  // namespace

std::optional<std::string> clock_time(std::string_view text, Instant now) {
  const std::time_t seconds = now.us / 1'000'000;
  std::tm today{};
  ::localtime_r(&seconds, &today);
  if (text.size() > 11 && (text[10] == ' ' || text[10] == 'T')) {
    if (!read_date(text.substr(0, 10), today) || !read_time(text.substr(11), today))
      return std::nullopt;
    return in_utc(today);
  }
  const int hour = today.tm_hour, minute = today.tm_min;
  if (!read_time(text, today)) return std::nullopt;
  if (std::pair(today.tm_hour, today.tm_min) <= std::pair(hour, minute)) ++today.tm_mday;
  return in_utc(today);
}

void settle_deadline(Json& document, Instant now) {
  if (!document.is_object() || !document.contains("by") || !document["by"].is_string()) return;
  if (const auto time = clock_time(document["by"].get<std::string>(), now)) document["by"] = *time;
}

}  // namespace hone
