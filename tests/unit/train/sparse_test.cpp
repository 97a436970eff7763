// The kernels that skip zeros, of every instruction set that this machine has.
#include <algorithm>
#include <cmath>

#include "tests/unit/train/kernels_given.hpp"
#include "worker/train/nn/kernels/sparse_room.hpp"

namespace hone::dense {
namespace {

class SparseKernels : public KernelsTest {};

// Only zeros are skipped, and the other terms are added in the same order.
TEST_P(SparseKernels, multiply_mostly_zeros_to_the_same_bits) {
  for (const int rows : {1, 9, 130})
    for (const int inner : {5, 64, 150})
      for (const int columns : {16, 64, 144}) {
        auto left = noise(static_cast<std::size_t>(rows * inner), 1);
        for (std::size_t i = 0; i < left.size(); ++i)
          if (i % 3 != 0 || i / 64 == 1) left[i] = 0;
        const auto right = noise(static_cast<std::size_t>(inner * columns), 2);
        const auto bias = noise(static_cast<std::size_t>(columns), 3);
        Floats out(static_cast<std::size_t>(rows * columns)), dense(out.size());
        for (const float* start : {bias.data(), static_cast<const float*>(nullptr)}) {
          Product product{rows, inner, columns, left.data(), inner, 1, right.data(), start};
          product.out = dense.data();
          kernels_.multiply(product);
          product.out = out.data();
          kernels_.multiply_sparse(product);
          EXPECT_EQ(out, dense) << rows << 'x' << inner << 'x' << columns;
        }
      }
}

TEST_P(SparseKernels, multiply_by_a_turned_side_to_the_same_bits) {
  for (const int rows : {1, 9, 70})
    for (const int inner : {16, 80})
      for (const int columns : {16, 208}) {
        auto left = noise(static_cast<std::size_t>(rows * inner), 1);
        for (std::size_t i = 0; i < left.size(); ++i)
          if (i % 3 != 0) left[i] = 0;
        const auto lying = noise(static_cast<std::size_t>(inner * columns), 2);
        Floats right(lying.size()), out(static_cast<std::size_t>(rows * columns)),
            dense(out.size());
        kernels_.transpose({columns, inner, lying.data(), right.data()});
        Product product{rows, inner, columns, left.data(), inner, 1, right.data()};
        product.out = dense.data();
        kernels_.multiply(product);
        product.right = lying.data();
        product.out = out.data();
        kernels_.multiply_turned_sparse(product);
        EXPECT_EQ(out, dense) << rows << 'x' << inner << 'x' << columns;
      }
}

TEST_P(SparseKernels, sum_outer_products_of_mostly_zeros_to_the_same_bits) {
  for (const int rows : {1, 64, 130})
    for (const int inner : {5, 48})
      for (const int columns : {16, 64, 144}) {
        auto left = noise(static_cast<std::size_t>(rows * inner), 1);
        for (std::size_t i = 0; i < left.size(); ++i)
          if (i % 3 != 0) left[i] = 0;
        const auto right = noise(static_cast<std::size_t>(rows * columns), 2);
        Floats out(static_cast<std::size_t>(inner * columns)), dense(out.size());
        Floats sums(static_cast<std::size_t>(columns)), dense_sums(sums.size());
        Product product{rows, inner, columns, left.data(), inner, 1, right.data()};
        product.out = dense.data();
        kernels_.outer(product, dense_sums.data());
        product.out = out.data();
        kernels_.outer_sparse(product, sums.data());
        EXPECT_EQ(out, dense) << rows << 'x' << inner << 'x' << columns;
        EXPECT_EQ(sums, dense_sums);
      }
}

// Both directions of a convolution of mostly zeros against its definition.
TEST_P(SparseKernels, convolve_sparse_samples_as_the_definition_says) {
  constexpr int samples = 3, rows = 5, columns = 6, channels = 3, side = 3, filters = 16;
  constexpr int down = rows - side + 1, across = columns - side + 1;
  auto in = noise(samples * rows * columns * channels, 1);
  for (std::size_t i = 0; i < in.size(); ++i)
    if (i % 4 != 0) in[i] = 0;
  const auto weights = noise(side * side * channels * filters, 2);
  const auto bias = noise(filters, 3);
  const auto slopes = noise(samples * down * across * filters, 4);
  Floats out(slopes.size()), weight_gradient(weights.size(), 7), bias_gradient(filters, 7);
  SparseRoom room(rows, columns, channels, samples);
  auto plan = room.plan();
  plan.samples = samples;
  plan.in = in.data();
  plan.weights = weights.data();
  plan.bias = bias.data();
  plan.out = out.data();
  kernels_.convolve_sparse(plan);
  kernels_.convolve_sparse_back(
      {plan, slopes.data(), weight_gradient.data(), bias_gradient.data()});

  const auto at = [](const Floats& values, int i) {
    return double{values[static_cast<std::size_t>(i)]};
  };
  std::vector<double> expected_weights(weights.size()), expected_bias(filters);
  for (int place = 0; place < samples * down * across; ++place) {
    const int s = place / (down * across), y = place / across % down, x = place % across;
    for (int f = 0; f < filters; ++f) {
      const auto cell = [&](int k) {
        const int row = y + k / (side * channels), column = x + k / channels % side;
        return at(in, ((s * rows + row) * columns + column) * channels + k % channels);
      };
      double sum = at(bias, f);
      for (int k = 0; k < side * side * channels; ++k)
        sum += cell(k) * at(weights, k * filters + f);
      expect_near(out[static_cast<std::size_t>(place * filters + f)], std::max(sum, 0.0));
      if (sum <= 0) continue;
      const double slope = at(slopes, place * filters + f);
      for (int k = 0; k < side * side * channels; ++k)
        expected_weights[static_cast<std::size_t>(k * filters + f)] += cell(k) * slope;
      expected_bias[static_cast<std::size_t>(f)] += slope;
    }
  }
  for (std::size_t i = 0; i < weights.size(); ++i)
    expect_near(weight_gradient[i], expected_weights[i]);
  for (std::size_t i = 0; i < filters; ++i) expect_near(bias_gradient[i], expected_bias[i]);
}

INSTANTIATE_TEST_SUITE_P(Instructions, SparseKernels,
                         testing::ValuesIn(usable_kernels().begin(), usable_kernels().end()),
                         [](const auto& kernels) { return std::string(kernels.param->name); });

}  // namespace
}  // namespace hone::dense
