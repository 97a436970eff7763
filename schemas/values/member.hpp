// The members of a domain, and the member that a person or another program means by a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schemas/types/space.hpp"

namespace hone {

// Returns the number of members of a range with a step. Precondition: it has one.
std::int64_t member_count(const FloatDomain& domain);

// Returns member k of a range with a step, as people write it: min + k * step with the decimals of
// min and step, so that 3 * 0.1 is 0.3 and not 0.30000000000000004. Where the last member and max
// differ by rounding only, it is the one with fewer digits. Precondition: 0 <= k <
// member_count(domain).
double member_at(const FloatDomain& domain, std::int64_t k);

// Returns the k whose member is nearest to `value`.
std::int64_t nearest_member(const FloatDomain& domain, double value);

// Returns the member that `value` means; nullopt if it means none. Numbers are taken as numbers: 1
// is 1.0 where a float is wanted, 3.0 is 3 where an int is, and a number within a millionth of a
// step of a member is that member. A text is never a number. A derived domain takes any value: its
// expression decides.
std::optional<Value> member_of(const Domain& domain, const Value& value);

// Why `value` is no member, with what the domain holds and the nearest member: "0.35 is not in
// [0, 1] in steps of 0.1; the nearest value is 0.3".
std::string not_a_member(const Domain& domain, const Value& value);

}  // namespace hone
