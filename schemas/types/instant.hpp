// Time as data. Rules take an Instant; only server/engine/clock.hpp and the worker's loop read a
// clock.
#pragma once

#include <compare>
#include <cstdint>

namespace hone {

struct Duration {
  std::int64_t us = 0;
  friend auto operator<=>(const Duration&, const Duration&) = default;
};

constexpr Duration microseconds(std::int64_t n) { return {n}; }
constexpr Duration milliseconds(std::int64_t n) { return {n * 1'000}; }
constexpr Duration seconds(std::int64_t n) { return {n * 1'000'000}; }

// Microseconds since 1970-01-01T00:00:00Z, without leap seconds.
struct Instant {
  std::int64_t us = 0;
  friend auto operator<=>(const Instant&, const Instant&) = default;
};

// The last second of the year 9999: what the wire's times can still say.
inline constexpr Instant never{253'402'300'799'000'000};

constexpr Duration operator+(Duration a, Duration b) { return {a.us + b.us}; }
constexpr Duration operator-(Duration a, Duration b) { return {a.us - b.us}; }
constexpr Instant operator+(Instant t, Duration d) { return {t.us + d.us}; }
constexpr Instant operator-(Instant t, Duration d) { return {t.us - d.us}; }
constexpr Duration operator-(Instant a, Instant b) { return {a.us - b.us}; }

}  // namespace hone
