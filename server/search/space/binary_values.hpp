// The values of sweeps that were submitted before members of stepped ranges were decimals. They
// keep them, so that they replay as they were decided.
#pragma once

#include "schemas/types/space.hpp"

namespace hone {

// Returns the member of such a sweep for that of member_of(): of a stepped float min + k * step as
// it is rounded in binary (0.30000000000000004), else the same.
Value binary_member(const Domain& domain, Value member);

// Returns whether such a sweep has the value: of the domain's own type, and equal in all bits.
bool has_binary_member(const Domain& domain, const Value& value);

}  // namespace hone
