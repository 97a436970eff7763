#include "server/api/rates.hpp"

#include <algorithm>

namespace hone::api {

Rates::Rates(std::int64_t per_s, std::int64_t burst, std::size_t keys_max)
    : period_(microseconds(std::max<std::int64_t>(1, 1'000'000 / per_s))),
      depth_(microseconds(period_.us * std::max<std::int64_t>(1, burst))),
      keys_max_(keys_max) {}

std::optional<Duration> Rates::take(const std::string& who, Instant now) {
  if (full_at_.size() >= keys_max_ && !full_at_.contains(who)) forget_full(now);
  const bool is_crowded = full_at_.size() >= keys_max_ && !full_at_.contains(who);
  Instant& full_at = full_at_[is_crowded ? std::string() : who];
  const Instant then = std::max(full_at, now) + period_;
  if (then - now > depth_) return then - now - depth_;
  full_at = then;
  return std::nullopt;
}

// A full bucket need not be stored.
void Rates::forget_full(Instant now) {
  std::erase_if(full_at_, [now](const auto& entry) { return entry.second <= now; });
}

}  // namespace hone::api
