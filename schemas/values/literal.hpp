// A scalar as a sweep file states it: the core schema of YAML 1.2. Pure.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "schemas/types/value.hpp"

namespace hone {

// Reads true, False, 12, +12, 0x1f, 0o17, 1.5e-3, .5 and 5.; any other text, null included, stays a
// text. Refuses a number that does not fit 64 bits, and .nan and .inf.
Result<Value> read_literal(std::string_view text);

}  // namespace hone
