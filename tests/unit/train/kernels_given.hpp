// What tests of the kernels start from: noise, every instruction set of this machine, and how near
// sums of floats come to those of doubles.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "worker/train/envs/core/stream.hpp"
#include "worker/train/nn/kernels/floats.hpp"
#include "worker/train/nn/kernels/kernels.hpp"

namespace hone::dense {

inline Floats noise(std::size_t count, std::uint64_t seed) {
  envs::Stream dice(seed, envs::Purpose::weights, 0);
  Floats values(count);
  for (auto& value : values) value = static_cast<float>(dice.normal());
  return values;
}

class KernelsTest : public testing::TestWithParam<const Kernels*> {
 protected:
  const Kernels& kernels_ = *GetParam();
};

inline void expect_near(float ours, double reference) {
  EXPECT_NEAR(ours, reference, 2e-5 * (1 + std::abs(reference)));
}

}  // namespace hone::dense
