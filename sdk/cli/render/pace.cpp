#include "sdk/cli/render/pace.hpp"

#include <algorithm>
#include <cmath>

namespace hone::cli {
namespace {

constexpr double memory_seconds_min = 60;
constexpr double memory_share_of_age = 0.25;

double in_seconds(Duration d) { return static_cast<double>(d.us) / 1e6; }

}  // namespace

void Pace::observe(Instant at, std::int64_t done) {
  if (!anchor_) {
    anchor_ = at;
    last_at_ = at;
    last_done_ = done;
    return;
  }
  const double elapsed = in_seconds(at - last_at_);
  if (elapsed <= 0) return;
  const double age = in_seconds(at - *anchor_);
  const double keep = std::exp(-elapsed / std::max(memory_seconds_min, age * memory_share_of_age));
  const auto progress = static_cast<double>(std::max<std::int64_t>(0, done - last_done_));
  weighted_rate_ = weighted_rate_ * keep + progress / elapsed * (1 - keep);
  weight_ = weight_ * keep + (1 - keep);
  last_at_ = at;
  last_done_ = done;
}

std::optional<double> Pace::per_second() const {
  if (weight_ <= 0 || weighted_rate_ <= 0) return std::nullopt;
  return weighted_rate_ / weight_;
}

std::optional<Duration> Pace::left(std::int64_t expected) const {
  const auto rate = per_second();
  if (!rate || last_done_ >= expected) return std::nullopt;
  const double left_seconds = static_cast<double>(expected - last_done_) / *rate;
  constexpr double longest_seconds = 100.0 * 365 * 86400;  // beyond it the estimate says nothing
  if (left_seconds > longest_seconds) return std::nullopt;
  return Duration{static_cast<std::int64_t>(left_seconds * 1e6)};
}

}  // namespace hone::cli
