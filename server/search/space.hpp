// One coordinate of a space: from the unit interval to a value of the domain.
#pragma once

#include "schemas/types/space.hpp"

namespace hone {

// The value at position `unit` in [0, 1) of the domain: the inverse of the cumulative distribution
// that the domain's type and scale mean. Uniform `unit` gives
//   float linear: uniform; log: log-uniform; with a step: each grid value its share of the
//   unquantized interval around it int linear: every value equally likely; log: quantized
//   log-uniform on [min - 1/2, max + 1/2), min >= 1 choice, bool: every value equally likely;
//   fixed: the value
Value value_at(const Domain& domain, double unit);

// Whether `value` is one that value_at could return.
bool contains(const Domain& domain, const Value& value);

}  // namespace hone
