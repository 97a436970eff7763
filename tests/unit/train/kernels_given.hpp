// Helpers of the tests of kernels: noise, every instruction set of this machine, and a tolerance
// for sums of floats.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "worker/train/envs/core/stream.hpp"
#include "worker/train/nn/kernels/floats.hpp"
#include "worker/train/nn/kernels/kernels.hpp"

namespace hone::dense {

inline Floats noise(std::size_t count, std::uint64_t seed) {
  envs::Stream random(seed, envs::Purpose::weights, 0);
  Floats values(count);
  for (auto& value : values) value = static_cast<float>(random.normal());
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
