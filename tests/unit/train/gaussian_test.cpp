// The loss of continuous actions against its definition in double precision, by central
// differences.
#include "worker/train/nn/gaussian.hpp"

#include <gtest/gtest.h>

#include <numbers>
#include <vector>

#include "worker/train/actor_critic/learning/loss.hpp"
#include "worker/train/envs/core/stream.hpp"
#include "worker/train/nn/kernels/floats.hpp"

namespace hone::ac {
namespace {

constexpr int numbers_each = 2;
constexpr int outputs_count = 2 * numbers_each + 1;

struct Terms {
  double policy = 0, value = 0, entropy = 0;
};

// One sample; outputs are means, log deviations and the value.
Terms reference(const std::vector<double>& outputs, const std::vector<double>& action,
                double target, double advantage, const LossWeights& weights) {
  Terms terms;
  for (std::size_t i = 0; i < numbers_each; ++i) {
    const double deviation = std::exp(outputs[numbers_each + i]);
    const double off = action[i] - outputs[i];
    const double density = std::exp(-off * off / (2 * deviation * deviation)) /
                           (deviation * std::sqrt(2 * std::numbers::pi));
    terms.policy -= std::log(density) * advantage;
    terms.entropy += 0.5 * std::log(2 * std::numbers::pi * std::numbers::e * deviation * deviation);
  }
  const double error = target - outputs.back();
  terms.value = weights.value * error * error;
  return terms;
}

struct Batch {
  static constexpr int rows = 5;
  static constexpr std::size_t stride = dense::line_floats;
  dense::Floats outputs, gradient, targets;
  std::vector<float> actions;

  Batch() : gradient(outputs_count * stride) {
    envs::Stream random(1, envs::Purpose::weights, 0);
    const auto noise = [&] { return static_cast<float>(0.7 * random.normal()); };
    for (std::size_t i = 0; i < outputs_count * stride; ++i) outputs.push_back(noise());
    for (std::size_t i = 0; i < stride; ++i) targets.push_back(noise());
    for (int i = 0; i < rows * numbers_each; ++i) actions.push_back(noise());
  }

  dense::LossSums loss(const LossWeights& weights) {
    return nn::gaussian_loss({{outputs.data(), rows, 2 * numbers_each, stride},
                              nullptr,
                              targets.data(),
                              gradient.data(),
                              static_cast<float>(weights.entropy),
                              static_cast<float>(weights.value),
                              0,
                              1},
                             actions.data());
  }
  [[nodiscard]] std::vector<double> row(std::size_t r) const {
    std::vector<double> values;
    for (std::size_t i = 0; i < outputs_count; ++i) values.push_back(outputs[i * stride + r]);
    return values;
  }
  [[nodiscard]] std::vector<double> action(std::size_t r) const {
    return {actions[numbers_each * r], actions[numbers_each * r + 1]};
  }
};

TEST(Gaussian, loss_is_that_of_its_definition) {
  const LossWeights weights{.entropy = 0.03, .value = 0.4};
  Batch batch;
  const auto sums = batch.loss(weights);
  Terms expected;
  for (std::size_t r = 0; r < Batch::rows; ++r) {
    const auto row = batch.row(r);
    const double target = batch.targets[r];
    const auto terms = reference(row, batch.action(r), target, target - row.back(), weights);
    expected.policy += terms.policy;
    expected.value += terms.value;
    expected.entropy += terms.entropy;
  }
  EXPECT_NEAR(sums.policy, expected.policy, 1e-5);
  EXPECT_NEAR(sums.value, expected.value, 1e-5);
  EXPECT_NEAR(sums.entropy, expected.entropy, 1e-5);
}

TEST(Gaussian, gradient_is_that_of_the_loss) {
  const LossWeights weights{.entropy = 0.03, .value = 0.4};
  constexpr double nudge = 1e-5;
  Batch batch;
  batch.loss(weights);
  for (std::size_t r = 0; r < Batch::rows; ++r) {
    const auto row = batch.row(r);
    const double target = batch.targets[r];
    const auto total = [&](const std::vector<double>& outputs) {
      const auto terms = reference(outputs, batch.action(r), target, target - row.back(), weights);
      return terms.policy + terms.value - weights.entropy * terms.entropy;
    };
    for (std::size_t i = 0; i < outputs_count; ++i) {
      auto up = row, down = row;
      up[i] += nudge;
      down[i] -= nudge;
      EXPECT_NEAR(batch.gradient[i * Batch::stride + r], (total(up) - total(down)) / (2 * nudge),
                  1e-4);
    }
  }
}

// At ratios of 1 the clipped term has the gradient of the plain one; beyond the bound it has none.
TEST(Gaussian, bounded_term_pushes_until_the_bound) {
  const LossWeights weights{.entropy = 0, .value = 0};
  Batch plain, bounded;
  plain.loss(weights);
  dense::Floats advantages(Batch::stride), log_chances(Batch::stride);
  for (std::size_t r = 0; r < Batch::rows; ++r) {
    const auto row = bounded.row(r);
    const auto action = bounded.action(r);
    double log_density = 0;
    for (std::size_t i = 0; i < numbers_each; ++i)
      log_density += nn::gaussian_log_density(action[i], row[i], std::exp(row[numbers_each + i]));
    advantages[r] = bounded.targets[r] - static_cast<float>(row.back());
    log_chances[r] = static_cast<float>(log_density);
  }
  dense::LossPlan plan{{bounded.outputs.data(), Batch::rows, 2 * numbers_each, Batch::stride},
                       nullptr,
                       bounded.targets.data(),
                       bounded.gradient.data(),
                       0,
                       0,
                       0,
                       1,
                       advantages.data(),
                       log_chances.data(),
                       0.2F};
  nn::gaussian_loss(plan, bounded.actions.data());
  for (std::size_t i = 0; i < 2 * numbers_each; ++i)
    for (std::size_t r = 0; r < Batch::rows; ++r)
      EXPECT_NEAR(bounded.gradient[i * Batch::stride + r], plain.gradient[i * Batch::stride + r],
                  1e-4);
  for (std::size_t r = 0; r < Batch::rows; ++r)  // already far more probable, or far less
    log_chances[r] += advantages[r] > 0 ? -1.0F : 1.0F;
  nn::gaussian_loss(plan, bounded.actions.data());
  for (std::size_t i = 0; i < 2 * numbers_each; ++i)
    for (std::size_t r = 0; r < Batch::rows; ++r)
      EXPECT_EQ(bounded.gradient[i * Batch::stride + r], 0);
}

TEST(Gaussian, deviation_stays_within_bounds_however_far_its_logarithm_went) {
  EXPECT_NEAR(nn::gaussian_deviation(-1000), std::exp(-5), 1e-9);
  EXPECT_NEAR(nn::gaussian_deviation(1000), std::exp(2), 1e-9);
  EXPECT_NEAR(nn::gaussian_deviation(0), 1, 1e-9);
}

}  // namespace
}  // namespace hone::ac
