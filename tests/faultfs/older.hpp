// A file of an older schema, and what becomes of it when its upgrade is interrupted.
#pragma once

#include <cstdint>
#include <string>

#include "tests/faultfs/disk.hpp"

namespace hone::faultfs {

// How many operations the upgrade of this seed's file takes without a fault.
std::int64_t upgrade_operations(std::uint64_t seed);

// Upgrades it, meeting the fault at that operation, and again after a restart. Empty, or what is
// wrong then.
std::string upgrade_with(std::uint64_t seed, std::int64_t at, Fault fault);

}  // namespace hone::faultfs
