#include "server/sweep/state/fair_share.hpp"

#include <algorithm>
#include <limits>

namespace hone {

double standing(const ShareClaim& claim) {
  return claim.service + lookahead_s * static_cast<double>(claim.held) / claim.weight;
}

void limit_credit(std::span<ShareClaim> claims) {
  if (claims.size() < 2) return;
  const auto by_service = [](const ShareClaim& a, const ShareClaim& b) {
    return a.service < b.service;
  };
  const auto least = std::ranges::min_element(claims, by_service);
  double second = std::numeric_limits<double>::infinity();
  for (const ShareClaim& claim : claims)
    if (claim.sweep != least->sweep) second = std::min(second, claim.service);
  least->service = std::max(least->service, second - credit_max);
}

bool served_before(const ShareClaim& a, const ShareClaim& b) {
  const bool a_below = a.held < a.min, b_below = b.held < b.min;
  if (a_below != b_below) return a_below;
  const double first = standing(a), second = standing(b);
  return first != second ? first < second : a.sweep < b.sweep;
}

bool gives_way(const ShareClaim& holder, const ShareClaim& waiting, bool started) {
  ShareClaim after = holder;
  after.held -= holder.needs;
  if (after.held < holder.min) return false;
  if (waiting.held < waiting.min) return true;
  if (!started && waiting.held == 0) return standing(waiting) < standing(holder);
  return standing(waiting) + yield_lead < standing(after);
}

double urgency(const Pressure& pressure) {
  if (pressure.work <= 0 || pressure.slots <= 0) return 1;
  if (pressure.left <= 0) return urgency_max;
  const double needed = pressure.work / pressure.left / pressure.all;  // of all slots
  const double fair = pressure.slots / pressure.all;
  if (needed <= fair) return 1;
  if (needed >= 1) return urgency_max;
  return std::min(needed * (1 - fair) / (fair * (1 - needed)), urgency_max);
}

}  // namespace hone
