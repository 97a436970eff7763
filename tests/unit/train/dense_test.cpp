// The kernels of every instruction set that this machine has, against plain loops in double
// precision.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/unit/train/kernels_given.hpp"
#include "tests/unit/train/reference.hpp"

namespace hone::dense {
namespace {

class EveryKernels : public KernelsTest {};

TEST_P(EveryKernels, multiply_as_the_definition_says) {
  for (const int rows : {1, 2, 7, 8, 33})
    for (const int inner : {1, 4, 19}) {
      constexpr int columns = 48;
      const auto left = noise(static_cast<std::size_t>(rows * inner), 1);
      const auto right = noise(static_cast<std::size_t>(inner * columns), 2);
      const auto bias = noise(columns, 3);
      Floats out(static_cast<std::size_t>(rows * columns));
      kernels_.multiply(
          {rows, inner, columns, left.data(), inner, 1, right.data(), bias.data(), out.data()});
      for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) {
          double sum = bias[static_cast<std::size_t>(c)];
          for (int k = 0; k < inner; ++k)
            sum += static_cast<double>(left[static_cast<std::size_t>(r * inner + k)]) *
                   right[static_cast<std::size_t>(k * columns + c)];
          expect_near(out[static_cast<std::size_t>(r * columns + c)], sum);
        }
    }
}

TEST_P(EveryKernels, multiply_a_row_the_same_whatever_lies_beside_it) {
  constexpr int rows = 13, inner = 5, columns = 32;
  const auto left = noise(rows * inner, 1);
  const auto right = noise(inner * columns, 2);
  Floats together(rows * columns), alone(columns), dots(rows * rows), dot(rows);
  kernels_.multiply(
      {rows, inner, columns, left.data(), inner, 1, right.data(), nullptr, together.data()});
  kernels_.dot(
      {rows, columns, rows, together.data(), together.data(), nullptr, dots.data(), rows, 1});
  for (int r = 0; r < rows; ++r) {
    kernels_.multiply({1, inner, columns, left.data() + r * inner, inner, 1, right.data(), nullptr,
                       alone.data()});
    kernels_.dot({1, columns, rows, alone.data(), together.data(), nullptr, dot.data(), rows, 1});
    EXPECT_TRUE(std::equal(alone.begin(), alone.end(), together.begin() + r * columns)) << r;
    EXPECT_TRUE(std::equal(dot.begin(), dot.end(), dots.begin() + r * rows)) << r;
  }
}

TEST_P(EveryKernels, take_dot_products_of_rows) {
  for (const int rows : {1, 4, 9})
    for (const int columns : {1, 3, 5, 19}) {
      constexpr int inner = 64;
      const auto left = noise(static_cast<std::size_t>(rows * inner), 1);
      const auto right = noise(static_cast<std::size_t>(inner * columns), 2);
      const auto bias = noise(static_cast<std::size_t>(columns), 3);
      Floats out(static_cast<std::size_t>(rows * columns));
      kernels_.dot(
          {rows, inner, columns, left.data(), right.data(), bias.data(), out.data(), 1, rows});
      for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) {
          double sum = bias[static_cast<std::size_t>(c)];
          for (int k = 0; k < inner; ++k)
            sum += static_cast<double>(left[static_cast<std::size_t>(r * inner + k)]) *
                   right[static_cast<std::size_t>(c * inner + k)];
          expect_near(out[static_cast<std::size_t>(c * rows + r)], sum);
        }
    }
}

TEST_P(EveryKernels, sum_outer_products_over_the_rows) {
  for (const int rows : {1, 32})
    for (const int inner : {1, 3, 4, 8, 21}) {
      constexpr int columns = 32;
      const auto left = noise(static_cast<std::size_t>(rows * inner), 1);
      const auto right = noise(static_cast<std::size_t>(rows * columns), 2);
      Floats out(static_cast<std::size_t>(inner * columns)), sums(columns);
      kernels_.outer(
          {rows, inner, columns, left.data(), inner, 1, right.data(), nullptr, out.data()},
          sums.data());
      for (int c = 0; c < columns; ++c) {
        double plain = 0;
        for (int r = 0; r < rows; ++r) plain += right[static_cast<std::size_t>(r * columns + c)];
        expect_near(sums[static_cast<std::size_t>(c)], plain);
        for (int i = 0; i < inner; ++i) {
          double sum = 0;
          for (int r = 0; r < rows; ++r)
            sum += static_cast<double>(left[static_cast<std::size_t>(r * inner + i)]) *
                   right[static_cast<std::size_t>(r * columns + c)];
          expect_near(out[static_cast<std::size_t>(i * columns + c)], sum);
        }
      }
    }
}

TEST_P(EveryKernels, add_outer_products_to_what_is_there) {
  constexpr int rows = 7, inner = 21, columns = 32, step = 24;
  const auto left = noise(rows * step, 1);
  const auto right = noise(rows * columns, 2);
  Floats once(inner * columns), twice(once.size(), 3), sums(columns), both(columns, 4);
  Product product{rows, inner, columns, left.data(), step, 1, right.data(), nullptr, once.data()};
  kernels_.outer(product, sums.data());
  product.adds = true;
  product.out = twice.data();
  for (int i = 0; i < 2; ++i) kernels_.outer(product, both.data());
  for (std::size_t i = 0; i < once.size(); ++i) expect_near(twice[i], 3 + 2 * once[i]);
  for (std::size_t i = 0; i < sums.size(); ++i) expect_near(both[i], 4 + 2 * sums[i]);
}

TEST_P(EveryKernels, widen_bytes) {
  constexpr int rows = 3, step = 50;
  std::vector<std::uint8_t> bytes(rows * step);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(7 * i);
  for (const int columns : {1, 16, 24, 37}) {
    std::vector<float> out(static_cast<std::size_t>(rows * columns));
    kernels_.widen({rows, columns, bytes.data(), step, 0.5F, out.data()});
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c)
        EXPECT_EQ(out[static_cast<std::size_t>(r * columns + c)],
                  0.5F * bytes[static_cast<std::size_t>(r * step + c)]);
  }
}

TEST_P(EveryKernels, turn_a_matrix) {
  constexpr int rows = 32, columns = 48;
  const auto in = noise(rows * columns, 1);
  Floats out(in.size());
  kernels_.transpose({rows, columns, in.data(), out.data()});
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) EXPECT_EQ(out[c * rows + r], in[r * columns + c]);
}

TEST_P(EveryKernels, know_the_hyperbolic_tangent) {
  Floats values(4096);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = (static_cast<float>(i) - 2048) / 200;
  auto results = values;
  kernels_.tanh(results.data(), static_cast<std::int64_t>(results.size()));
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(results[i], std::tanh(static_cast<double>(values[i])), 4e-7) << values[i];
}

TEST_P(EveryKernels, keep_what_is_not_a_number) {
  Floats values(16, std::numeric_limits<float>::quiet_NaN());
  auto rectified = values;
  kernels_.tanh(values.data(), 16);
  kernels_.relu(rectified.data(), 16);
  EXPECT_TRUE(std::isnan(values[3]));
  EXPECT_TRUE(std::isnan(rectified[3]));
}

TEST_P(EveryKernels, pass_gradients_through_the_activations) {
  const auto results = noise(32, 1);
  const auto gradient = noise(32, 2);
  auto through_tanh = gradient;
  auto through_relu = gradient;
  kernels_.tanh_back(results.data(), through_tanh.data(), 32);
  kernels_.relu_back(results.data(), through_relu.data(), 32);
  for (std::size_t i = 0; i < 32; ++i) {
    expect_near(through_tanh[i], gradient[i] * (1.0 - results[i] * results[i]));
    EXPECT_EQ(through_relu[i], results[i] > 0 ? gradient[i] : 0.0F);
  }
}

// A batch of random outputs in the layout of the kernels.
struct Batch {
  int rows;
  int actions;
  std::int64_t stride;
  Floats outputs, targets, gradient;
  Numbers chosen;

  Batch(int row_count, int action_count, float spread)
      : rows(row_count),
        actions(action_count),
        stride(static_cast<std::int64_t>(padded(static_cast<std::size_t>(row_count)))),
        outputs(noise(static_cast<std::size_t>(stride * (action_count + 1)), 1)),
        targets(noise(static_cast<std::size_t>(stride), 2)),
        gradient(outputs.size(), 7.0F) {
    for (auto& value : outputs) value *= spread;
    for (std::int64_t i = 0; i < stride; ++i)
      chosen.push_back(static_cast<std::int32_t>(i * 7 % action_count));
  }

  [[nodiscard]] ac::RowOutputs row(int r) const {
    ac::RowOutputs values;
    for (int a = 0; a <= actions; ++a)
      values.push_back(outputs[static_cast<std::size_t>(a * stride + r)]);
    return values;
  }
  [[nodiscard]] ac::Sample sample(int r) const {
    const auto i = static_cast<std::size_t>(r);
    return {chosen[i], targets[i]};
  }
  Heads heads() { return {outputs.data(), rows, actions, stride}; }
  LossPlan plan(const ac::LossWeights& weights) {
    return {heads(),
            chosen.data(),
            targets.data(),
            gradient.data(),
            static_cast<float>(weights.entropy),
            static_cast<float>(weights.value),
            static_cast<float>(weights.log_floor),
            1};
  }
};

TEST_P(EveryKernels, make_probabilities_of_logits) {
  for (const int actions : {2, 3, 18}) {
    Batch batch(21, actions, 5);
    const auto before = batch;
    kernels_.softmax(batch.heads());
    for (int r = 0; r < batch.rows; ++r) {
      const auto reference = ac::reference_softmax(before.row(r));
      for (int a = 0; a < actions; ++a)
        EXPECT_NEAR(batch.outputs[static_cast<std::size_t>(a * batch.stride + r)],
                    reference[static_cast<std::size_t>(a)], 3e-7);
      EXPECT_EQ(batch.row(r).back(), before.row(r).back()) << "the value is left alone";
    }
  }
}

TEST_P(EveryKernels, take_the_logarithms_of_the_chosen_probabilities) {
  for (const int actions : {1, 2, 18}) {
    Batch batch(21, actions, 20);
    Floats logarithms(static_cast<std::size_t>(batch.stride));
    kernels_.log_chosen(batch.heads(), batch.chosen.data(), logarithms.data());
    for (int r = 0; r < batch.rows; ++r) {
      const auto chosen = static_cast<std::size_t>(batch.sample(r).action);
      const double expected = std::log(ac::reference_softmax(batch.row(r))[chosen]);
      EXPECT_NEAR(logarithms[static_cast<std::size_t>(r)], expected, 4e-6) << actions;
    }
  }
}

TEST_P(EveryKernels, know_the_logarithm) {
  Floats values;
  for (int exponent = -126; exponent < 127; ++exponent)
    for (const float m : {1.0F, 1.2F, 1.414F, 1.9F}) values.push_back(std::ldexp(m, exponent));
  values.resize(padded(values.size()), 1);
  auto results = values;
  kernels_.logarithm(results.data(), static_cast<std::int64_t>(results.size()));
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(results[i], std::log(static_cast<double>(values[i])), 8e-6) << values[i];
}

TEST_P(EveryKernels, take_the_loss_and_its_slope) {
  for (const auto& weights : {ac::LossWeights{.entropy = 0.05, .value = 0.5, .log_floor = 0},
                              ac::LossWeights{.entropy = 1, .value = 2, .log_floor = 0.02}})
    for (const int actions : {2, 3, 18}) {
      Batch batch(21, actions, 1.5F);
      const auto sums = kernels_.loss(batch.plan(weights));
      LossSums expected;
      for (int r = 0; r < batch.rows; ++r) {
        const auto row = batch.row(r);
        const auto sample = batch.sample(r);
        const auto terms = ac::reference_loss(row, sample, sample.target - row.back(), weights);
        expected.policy += terms.policy;
        expected.value += terms.value;
        expected.entropy += terms.entropy;
        const auto slopes = ac::reference_gradient(row, sample, weights);
        for (int a = 0; a <= actions; ++a)
          EXPECT_NEAR(batch.gradient[static_cast<std::size_t>(a * batch.stride + r)],
                      slopes[static_cast<std::size_t>(a)], 2e-5)
              << "output " << a << " of row " << r;
      }
      expect_near(static_cast<float>(sums.policy), expected.policy);
      expect_near(static_cast<float>(sums.value), expected.value);
      expect_near(static_cast<float>(sums.entropy), expected.entropy);
      for (int a = 0; a <= actions; ++a)
        EXPECT_EQ(batch.gradient[static_cast<std::size_t>(a * batch.stride + batch.rows)], 0)
            << "rows beyond the batch weigh nothing";
    }
}

TEST_P(EveryKernels, bound_the_policy_term_by_what_the_probability_was) {
  constexpr int actions = 3;
  constexpr double clip = 0.2, nudge = 1e-5;
  Batch batch(21, actions, 1);
  const auto advantages = noise(static_cast<std::size_t>(batch.stride), 5);
  auto log_chances = noise(static_cast<std::size_t>(batch.stride), 6);
  const auto log_of_chosen = [&](const ac::RowOutputs& row, int r) {
    const auto chosen = static_cast<std::size_t>(batch.sample(r).action);
    return std::log(ac::reference_softmax(row)[chosen]);
  };
  for (int r = 0; r < batch.rows; ++r) {  // ratios on both sides of both bounds
    auto& log_chance = log_chances[static_cast<std::size_t>(r)];
    log_chance = static_cast<float>(log_of_chosen(batch.row(r), r)) + 0.3F * log_chance;
  }
  const auto term = [&](const ac::RowOutputs& row, int r) {
    const auto at = static_cast<std::size_t>(r);
    const double advantage = advantages[at];
    const double ratio = std::exp(log_of_chosen(row, r) - double{log_chances[at]});
    return -std::min(ratio * advantage, std::clamp(ratio, 1 - clip, 1 + clip) * advantage);
  };
  auto plan = batch.plan({.entropy = 0, .value = 0, .log_floor = 0});
  plan.advantages = advantages.data();
  plan.log_chances = log_chances.data();
  plan.ratio_clip = static_cast<float>(clip);
  const auto sums = kernels_.loss(plan);
  double expected = 0;
  for (int r = 0; r < batch.rows; ++r) {
    expected += term(batch.row(r), r);
    for (std::size_t a = 0; a < actions; ++a) {
      auto up = batch.row(r), down = batch.row(r);
      up[a] += nudge;
      down[a] -= nudge;
      EXPECT_NEAR(
          batch.gradient[a * static_cast<std::size_t>(batch.stride) + static_cast<std::size_t>(r)],
          (term(up, r) - term(down, r)) / (2 * nudge), 2e-5)
          << "output " << a << " of row " << r;
    }
  }
  expect_near(static_cast<float>(sums.policy), expected);
}

INSTANTIATE_TEST_SUITE_P(Instructions, EveryKernels,
                         testing::ValuesIn(usable_kernels().begin(), usable_kernels().end()),
                         [](const auto& kernels) { return std::string(kernels.param->name); });

}  // namespace
}  // namespace hone::dense
