// Numbers, durations, sizes and times as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "schemas/types/instant.hpp"

namespace hone::cli {

// Four significant digits: 471.5, 0.001234, 1.2e-5, 123457.
inline std::string number_text(double value) { return short_number_text(value); }
// To the second significant digit of its error: 12.71 for 12.7141 and 0.36. Without a positive
// error as number_text.
std::string rounded_text(double value, double error);
// 999, 12.3k, 1M, 2.5G: three significant digits at least, never rounded up to look done.
std::string count_text(std::int64_t count);
// 512 B, 1.4 MiB.
std::string bytes_text(std::int64_t bytes);
// Takes a number that any server may have sent: at most 100,000 years.
Duration duration_of(double seconds);
// 0.8s, 42s, 3m05s, 2h04m, 1d03h.
std::string duration_text(Duration duration);
// "3m05s ago", "just now".
std::string ago_text(Instant then, Instant now);
// 1.3/s, 12/min, 3.5/h: the unit that gives a number of at least one.
std::string rate_text(double per_second);
// 2026-11-21 10:04:05, UTC.
std::string clock_text(Instant t);

Instant now();

}  // namespace hone::cli
