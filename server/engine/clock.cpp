#include "server/engine/clock.hpp"

#include <algorithm>
#include <utility>

namespace hone {

SlewedClock::SlewedClock(Clock wall, Clock monotonic, Instant floor)
    : wall_(std::move(wall)),
      monotonic_(std::move(monotonic)),
      ticked_(monotonic_()),
      now_(std::max(wall_(), floor)) {}

Instant SlewedClock::operator()() {
  const Instant tick = monotonic_();
  const Duration passed = std::max(tick - std::exchange(ticked_, tick), Duration{});
  const Duration most{passed.us / 2};
  const Duration behind = wall_() - (now_ + passed);
  now_ = now_ + passed + std::clamp(behind, Duration{-most.us}, most);
  return now_;
}

}  // namespace hone
