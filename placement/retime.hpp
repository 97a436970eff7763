// Replaces the times of a problem by measured ones.
#pragma once

#include <vector>

#include "placement/core/problem.hpp"

namespace hone::placement {

struct Timings {
  double scale = 1;             // of every tensor: the measured graph is smaller
  std::vector<double> cost_ms;  // [task * devices + device]
  Link link;                    // between any two devices
};

// Returns the problem with measured times. Scales all bytes and the capacity of the devices, so
// that a placement still fits. A transfer with a time from a file becomes as many bytes as take the
// same time relative to the tasks.
Problem retimed(Problem problem, Timings timings);

}  // namespace hone::placement
