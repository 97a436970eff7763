// The same problem on devices whose times somebody measured.
#pragma once

#include <vector>

#include "placement/core/problem.hpp"

namespace hone::placement {

struct Timings {
  double scale = 1;             // of every tensor: what runs is the graph made smaller
  std::vector<double> cost_ms;  // [task * devices + device]
  Link link;                    // between any two devices
};

// Bytes are scaled, and so is what a device may hold: a placement fits as it did. A transfer whose
// time a file tells becomes the bytes that take as long beside the tasks.
Problem retimed(Problem problem, Timings timings);

}  // namespace hone::placement
