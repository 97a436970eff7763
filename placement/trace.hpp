// Writes a simulated step for chrome://tracing or ui.perfetto.dev.
#pragma once

#include <string>

#include "placement/simulator.hpp"

namespace hone::placement {

// Returns Chrome trace JSON: for each device a row of tasks and a row of transfers; times in
// microseconds.
std::string chrome_trace(const Problem& problem, const Placement& placement);

}  // namespace hone::placement
