// A placement as JSON: {"placement": {NODE: DEVICE, ...}, ...}.
#pragma once

#include <string>
#include <string_view>

#include "placement/core/problem.hpp"

namespace hone::placement {

std::string placement_text(const Problem& problem, const Placement& placement);

// Refuses unknown and missing nodes, a device out of range, and nodes of one group on two devices.
Result<Placement> read_placement(const Problem& problem, std::string_view text);

}  // namespace hone::placement
