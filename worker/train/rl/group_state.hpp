// What a checkpoint has of a group of environments that one thread steps together.
#pragma once

#include <cstdint>
#include <vector>

namespace hone::rl {

struct GroupState {
  std::vector<std::uint64_t> environments;
  std::vector<std::uint64_t> streams;  // of the actions
  std::vector<double> running_returns;
  std::vector<double> running_lengths;
  std::vector<double> discounted_returns;
};

}  // namespace hone::rl
