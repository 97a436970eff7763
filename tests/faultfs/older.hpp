// A database file of an older schema whose upgrade is interrupted.
#pragma once

#include <cstdint>
#include <string>

#include "tests/faultfs/disk.hpp"

namespace hone::faultfs {

// The number of disk operations of the upgrade of this seed's file without a fault.
std::int64_t upgrade_operations(std::uint64_t seed);

// Upgrades it with a fault at operation `at`, and again after a restart. Returns what is wrong
// then, or an empty string.
std::string upgrade_with(std::uint64_t seed, std::int64_t at, Fault fault);

}  // namespace hone::faultfs
