// Parallel coordinates: an axis for each parameter, a line for each trial.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"

namespace hone::cli {

// `trials` best first. Refuses (conflict) where no trial has a value or no parameter is searched.
Result<std::string> parallel_figure(const Json& sweep, const std::vector<Json>& trials,
                                    const std::string& value_title, bool is_larger_better);

}  // namespace hone::cli
