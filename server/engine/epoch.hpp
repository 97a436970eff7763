// Draws the epoch of a server's start. After a restore, two lives of one ledger follow the same
// backup. Leases that both of them number 1, 2, 3, ... would let a worker of the lost life report
// for a run of the other, so that each start counts its leases from a number that no other start
// has.
#pragma once

#include <algorithm>
#include <cstdint>

#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"

namespace hone {

// The seconds since 1970, then 30 random bits, in 63 bits together, until the year 2106. Between
// starts in different seconds are a thousand million leases; starts in one second, or with a clock
// that was set back, differ by chance. Later starts have larger numbers, so that leases stay in the
// order of their grants.
inline Epoch draw_epoch(Instant now, std::uint64_t random) {
  constexpr std::int64_t seconds_max = (std::int64_t{1} << 32U) - 1;
  constexpr std::uint64_t random_bits = (std::uint64_t{1} << 30U) - 1;
  const std::int64_t at = std::clamp<std::int64_t>(now.us / 1'000'000, 0, seconds_max);
  return {(at << 31U) + static_cast<std::int64_t>(random & random_bits) + 1};
}

}  // namespace hone
