// Whole numbers beyond 64 bits, of which a reader of JSON makes other numbers. Values of parameters
// are taken as they are written, or not at all.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace hone {

// Returns the first such number of a JSON text.
std::optional<std::string> wide_integer(std::string_view text);
Error too_wide(const std::string& number);

}  // namespace hone
