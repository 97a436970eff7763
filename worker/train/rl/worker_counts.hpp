// How many agents, predictors and trainers run. GA3C adjusts the numbers, and its files keep where
// it is; in those of other trainers they are 1.
#pragma once

#include <cstdint>

namespace hone::rl {

struct WorkerCounts {
  int agents = 1;
  int predictors = 1;
  int trainers = 1;
  friend bool operator==(const WorkerCounts&, const WorkerCounts&) = default;
};

struct WorkerCountState {
  WorkerCounts kept;
  double kept_throughput = 0;  // 0: not measured since the last move was undone
  std::uint64_t moves = 0;     // drawn so far: index of the random stream
};

}  // namespace hone::rl
