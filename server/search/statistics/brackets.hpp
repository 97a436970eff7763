// The sizes and rungs of Hyperband's brackets.
#pragma once

#include <cstdint>
#include <vector>

namespace hone {

struct BracketShape {
  std::int64_t trials = 0;
  std::vector<int> rungs;  // numbers of phases, ascending; the last is the whole budget
};

// The most aggressive bracket first.
std::vector<BracketShape> hyperband_shapes(int phases, int eta);

}  // namespace hone
