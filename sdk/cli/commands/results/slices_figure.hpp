// Slices: a chart for each parameter, of the values of the trials over it.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"

namespace hone::cli {

// Refuses (conflict) where no trial has a value or no parameter varies.
Result<std::string> slices_figure(const Json& sweep, const std::vector<Json>& trials,
                                  const std::string& value_title);

}  // namespace hone::cli
