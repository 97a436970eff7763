#include "sdk/cli/render/numbers.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>

namespace hone::cli {
namespace {

template <class... Args>
std::string format(const char* pattern, Args... args) {
  std::array<char, 64> buffer{};
  const int length = std::snprintf(buffer.data(), buffer.size(), pattern, args...);
  return {buffer.data(), static_cast<std::size_t>(std::max(0, length))};
}

// At most two decimals, cut rather than rounded, without trailing zeros.
std::string scaled(double value, const char* unit) {
  const int decimals = value < 10 ? 2 : value < 100 ? 1 : 0;
  const double power = std::pow(10, decimals);
  std::string text = format("%.*f", decimals, std::floor(value * power + 1e-9) / power);
  if (text.find('.') != std::string::npos) {
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
  }
  return text + unit;
}

}  // namespace

std::string rounded_text(double value, double error) {
  constexpr double plain_max = 1e9;  // larger numbers, and errors below 1e-6, have an exponent
  if (!(error >= 1e-6) || std::abs(value) >= plain_max || error >= plain_max)
    return number_text(value);
  const int decimals = 1 - static_cast<int>(std::floor(std::log10(error)));
  const double scale = std::pow(10.0, -decimals);
  const double near = std::round(value / scale) * scale;
  return format("%.*f", std::max(0, decimals), near == 0 ? 0 : near);  // not -0
}

std::string count_text(std::int64_t count) {
  const double size = std::fabs(static_cast<double>(count));  // the lowest number has no opposite
  const std::string sign = count < 0 ? "-" : "";
  if (size < 1e3) return std::to_string(count);
  if (size < 1e6) return sign + scaled(size / 1e3, "k");
  if (size < 1e9) return sign + scaled(size / 1e6, "M");
  return sign + scaled(size / 1e9, "G");
}

std::string bytes_text(std::int64_t bytes) {
  static constexpr std::array<const char*, 5> units = {" KiB", " MiB", " GiB", " TiB", " PiB"};
  if (bytes < 1024) return std::to_string(bytes) + " B";
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  return scaled(value, units[unit]);
}

Duration duration_of(double seconds) {
  constexpr double longest = 100'000.0 * 365 * 86400;
  if (!(seconds > -longest)) seconds = -longest;  // and no number
  return {static_cast<std::int64_t>(std::min(seconds, longest) * 1e6)};
}

std::string duration_text(Duration duration) {
  if (duration.us < 0) return "0s";
  if (duration.us >= 1'000 && duration.us < 99'500)
    return format("%.0fms", static_cast<double>(duration.us) / 1e3);
  if (duration.us < 9'950'000) return format("%.1fs", static_cast<double>(duration.us) / 1e6);
  const long long s = duration.us / 1'000'000 + (duration.us % 1'000'000 >= 500'000 ? 1 : 0);
  if (s < 60) return format("%llds", s);
  if (s < 3600) return format("%lldm%02llds", s / 60, s % 60);
  if (s < 86400) return format("%lldh%02lldm", s / 3600, s / 60 % 60);
  return format("%lldd%02lldh", s / 86400, s / 3600 % 24);
}

std::string ago_text(Instant then, Instant now) {
  const Duration age = now - then;
  return age.us < 1'500'000 ? "just now" : duration_text(age) + " ago";
}

std::string rate_text(double per_second) {
  if (!(per_second > 0)) return "0/s";
  if (per_second >= 1) return number_text(std::round(per_second * 10) / 10) + "/s";
  if (per_second * 60 >= 1) return number_text(std::round(per_second * 600) / 10) + "/min";
  return number_text(std::round(per_second * 36000) / 10) + "/h";
}

std::string clock_text(Instant t) {
  const std::time_t whole = t.us / 1'000'000;
  std::tm parts{};
  gmtime_r(&whole, &parts);
  std::array<char, 32> buffer{};
  const auto length = std::strftime(buffer.data(), buffer.size(), "%Y-%m-%d %H:%M:%S", &parts);
  return {buffer.data(), length};
}

Instant now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::microseconds>(since).count()};
}

}  // namespace hone::cli
