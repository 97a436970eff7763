// The logarithms of the probabilities, or densities, that a network gives to chosen actions.
#pragma once

#include <cstdint>
#include <span>

#include "worker/train/nn/network.hpp"

namespace hone::ga3c {

// Of the first out.size() rows. `actions` are read where they are discrete, `numbers` [row][number]
// where they are continuous.
void note_log_chances(const NetShape& shape, const dense::Heads& outputs,
                      const std::int32_t* actions, const float* numbers, std::span<double> out);

}  // namespace hone::ga3c
