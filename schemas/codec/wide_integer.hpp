// Whole numbers beyond 64 bits, of which a reader of JSON makes other numbers. Values of parameters
// are taken as they are written, or not at all.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.hpp"

namespace hone {

// Refuses the first such number of a JSON text; error.at is its place. nullopt without one.
std::optional<Error> wide_integer(std::string_view text);

}  // namespace hone
