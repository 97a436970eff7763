// The logarithms of the probabilities, or densities, that a network gives to chosen actions.
#pragma once

#include <cstdint>

#include "worker/train/nn/network.hpp"

namespace hone::ac {

// Of all rows of the outputs. Where actions are discrete `actions` are read, else `numbers`
// [row][number]. `actions` and `out` have room up to the stride.
void note_log_chances(const nn::NetShape& shape, const dense::Heads& outputs,
                      const std::int32_t* actions, const float* numbers, float* out);

}  // namespace hone::ac
