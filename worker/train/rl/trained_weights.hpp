#pragma once

#include <cstdint>
#include <vector>

namespace hone::rl {

// The weights of a training and their optimizer; vectors in the order of the model file.
struct TrainedWeights {
  std::vector<float> weights;
  std::vector<float> mean_square;
  std::vector<float> mean;  // of Adam, else empty
  std::int64_t frames = 0;  // trained: the position of the annealing
  std::int64_t updates = 0;
};

}  // namespace hone::rl
