// A simulated step for people: chrome://tracing or ui.perfetto.dev open it.
#pragma once

#include <string>

#include "placement/simulator.hpp"

namespace hone::placement {

// Chrome trace JSON: a row for each device's tasks and one for what it sends, times in
// microseconds.
std::string chrome_trace(const Problem& problem, const Placement& placement);

}  // namespace hone::placement
