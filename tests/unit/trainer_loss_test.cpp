// The arithmetic of ga3c against values computed by hand from the published definitions.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "worker/trainers/ga3c/loss.hpp"
#include "worker/trainers/ga3c/optimizer.hpp"
#include "worker/trainers/ga3c/returns.hpp"
#include "worker/trainers/ga3c/reward_scale.hpp"

namespace hone::ga3c {
namespace {

constexpr double gamma_of_table = 0.99;

TEST(Returns, parity_clips_rewards_and_bootstraps_from_the_last_state) {
  const std::array<double, 6> rewards{1, 0, -2, 0.5, 0, 9};
  std::array<float, 5> returns{};
  parity_returns(rewards, 2.0, gamma_of_table, returns);
  const std::array<double, 5> golden{2.40703, 1.42124, 1.43560, 2.46020, 1.98000};
  for (std::size_t t = 0; t < golden.size(); ++t) EXPECT_NEAR(returns[t], golden[t], 1e-5) << t;
}

TEST(Returns, parity_drops_the_terminal_reward) {
  const std::array<double, 6> rewards{1, 0, -2, 0.5, 0, 9};
  std::array<float, 5> returns{};
  parity_returns(rewards, 0.0, gamma_of_table, returns);
  const std::array<double, 5> golden{0.50505, -0.49995, -0.505, 0.5, 0};
  for (std::size_t t = 0; t < golden.size(); ++t) EXPECT_NEAR(returns[t], golden[t], 1e-5) << t;
}

TEST(Returns, corrected_trains_the_terminal_reward) {
  const std::array<Step, 3> steps{{{1}, {5, Ending::terminated}, {2}}};
  std::array<float, 3> returns{};
  discounted_returns(steps, 10.0, 0.5, returns);
  EXPECT_FLOAT_EQ(returns[2], 2 + 0.5F * 10);  // of the next episode
  EXPECT_FLOAT_EQ(returns[1], 5);              // nothing follows a termination
  EXPECT_FLOAT_EQ(returns[0], 1 + 0.5F * 5);
}

TEST(Returns, corrected_values_the_last_state_of_a_truncated_episode) {
  const std::array<Step, 2> steps{{{1, Ending::truncated, 20}, {1}}};
  std::array<float, 2> returns{};
  discounted_returns(steps, 0.0, 0.5, returns);
  EXPECT_FLOAT_EQ(returns[0], 1 + 0.5F * 20);
}

TEST(Loss, of_the_published_form) {
  const std::array<float, 3> pi{0.7F, 0.2F, 0.1F};
  std::array<float, 4> gradient{};
  const LossWeights weights{.entropy = 0.01, .value = 0.5, .log_floor = 1e-6};
  const auto terms =
      sample_loss({pi, 0.5}, {.action = 1, .target = 1.5, .advantage = 1.0}, weights, gradient, 1);
  EXPECT_NEAR(terms.value, 0.5, 1e-6);
  EXPECT_NEAR(terms.entropy, 0.801819, 1e-6);
  EXPECT_NEAR(terms.total(weights), 2.101420, 1e-6);
}

// d loss / d outputs by central differences, with the advantage held constant as the definition
// says.
double loss_at(std::array<double, 4> outputs, const Sample& sample, const LossWeights& weights) {
  const std::array<float, 3> logits{static_cast<float>(outputs[0]), static_cast<float>(outputs[1]),
                                    static_cast<float>(outputs[2])};
  std::array<float, 3> pi{};
  softmax(logits, pi);
  std::array<float, 4> ignored{};
  return sample_loss({pi, outputs[3]}, sample, weights, ignored, 1).total(weights);
}

void expect_gradient(const std::array<double, 4>& outputs, const LossWeights& weights) {
  const Sample sample{.action = 2, .target = 1.5, .advantage = -0.8};
  const std::array<float, 3> logits{static_cast<float>(outputs[0]), static_cast<float>(outputs[1]),
                                    static_cast<float>(outputs[2])};
  std::array<float, 3> pi{};
  softmax(logits, pi);
  std::array<float, 4> gradient{};
  (void)sample_loss({pi, outputs[3]}, sample, weights, gradient, 1);
  constexpr double nudge = 1e-2;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    auto up = outputs;
    auto down = outputs;
    up[i] += nudge;
    down[i] -= nudge;
    const double slope =
        (loss_at(up, sample, weights) - loss_at(down, sample, weights)) / (2 * nudge);
    EXPECT_NEAR(gradient[i], slope, 2e-4) << "output " << i;
  }
}

TEST(Loss, gradient_is_the_slope_of_the_loss) {
  expect_gradient({0.3, -0.5, 0.9, 0.4}, {.entropy = 0.05, .value = 0.5, .log_floor = 0});
  expect_gradient({2.0, 1.0, -3.0, -2.0}, {.entropy = 1.0, .value = 2.0, .log_floor = 0});
}

TEST(Loss, gradient_does_not_pass_through_a_floored_logarithm) {
  const std::array<float, 2> pi{1.0F, 1e-9F};
  std::array<float, 3> gradient{};
  const LossWeights weights{.entropy = 0, .value = 0.5, .log_floor = 1e-6};
  const auto terms =
      sample_loss({pi, 0}, {.action = 1, .target = 0, .advantage = 3}, weights, gradient, 1);
  EXPECT_NEAR(terms.policy, -std::log(1e-6) * 3, 1e-6);
  EXPECT_EQ(gradient[0], 0.0F);
  EXPECT_EQ(gradient[1], 0.0F);
}

TEST(Loss, stays_finite_for_a_probability_of_zero) {
  const std::array<float, 2> pi{1.0F, 0.0F};
  std::array<float, 3> gradient{};
  const auto terms =
      sample_loss({pi, 0}, {.action = 1, .target = 0, .advantage = 1}, {}, gradient, 1);
  EXPECT_TRUE(std::isfinite(terms.policy));
  for (const float g : gradient) EXPECT_TRUE(std::isfinite(g));
}

TEST(Softmax, survives_large_logits) {
  std::array<float, 2> pi{1000.0F, 998.0F};
  softmax(pi, pi);
  EXPECT_NEAR(pi[0], 0.880797, 1e-6);
  EXPECT_NEAR(pi[0] + pi[1], 1.0, 1e-6);
}

TEST(RewardScale, brings_rewards_of_any_size_to_the_same_one) {
  const auto scaled = [](double reward) {
    RewardScale scale(0.99);
    double sum = 0;
    std::vector<Step> steps;
    for (int i = 0; i < 5000; ++i) {
      steps.assign(1, {reward, i % 50 == 49 ? Ending::terminated : Ending::none});
      scale.apply(steps, sum);
    }
    return steps[0].reward;
  };
  EXPECT_NEAR(scaled(1), scaled(1000), 1e-3);
  EXPECT_NEAR(scaled(1), 1 / 11.5, 0.01);  // the deviation of 1, 1.99, 2.97, ..., 39.5
  EXPECT_EQ(scaled(0), 0);
}

TEST(RewardScale, bounds_a_first_reward_after_a_long_drought) {
  RewardScale scale(0.99);
  double sum = 0;
  std::vector<Step> steps(100'000);
  scale.apply(steps, sum);
  std::vector<Step> jackpot{{1000}};
  scale.apply(jackpot, sum);
  EXPECT_LE(jackpot[0].reward, 10);
  EXPECT_GT(jackpot[0].reward, 0);
}

TEST(RmsProp, first_step_of_the_published_form) {
  RmsProp optimizer({.decay = 0.99, .epsilon = 0.1, .clip = 0}, 1);
  std::array<float, 1> weight{0.0F};
  const std::array<float, 1> gradient{2.0F};
  EXPECT_DOUBLE_EQ(optimizer.step(weight, gradient, 3e-4), 2.0);
  EXPECT_NEAR(weight[0], -5.6443e-4, 1e-8);
}

TEST(RmsProp, clips_the_norm_of_the_whole_gradient) {
  RmsProp clipped({.decay = 0.99, .epsilon = 0.1, .clip = 0.5}, 2);
  RmsProp small({.decay = 0.99, .epsilon = 0.1, .clip = 0}, 2);
  std::array<float, 2> a{};
  std::array<float, 2> b{};
  EXPECT_DOUBLE_EQ(clipped.step(a, std::array<float, 2>{3.0F, 4.0F}, 1e-3), 5.0);
  small.step(b, std::array<float, 2>{0.3F, 0.4F}, 1e-3);
  EXPECT_FLOAT_EQ(a[0], b[0]);
  EXPECT_FLOAT_EQ(a[1], b[1]);
}

TEST(RmsProp, moves_nothing_for_a_gradient_that_is_not_finite) {
  RmsProp optimizer({}, 2);
  std::array<float, 2> weights{1.0F, 2.0F};
  const std::array<float, 2> gradient{1.0F, std::numeric_limits<float>::quiet_NaN()};
  EXPECT_FALSE(std::isfinite(optimizer.step(weights, gradient, 1e-3)));
  EXPECT_EQ(weights[0], 1.0F);
  EXPECT_EQ(optimizer.mean_square()[0], 1.0F);
}

TEST(RmsProp, tells_that_a_parameter_overflowed) {
  RmsProp optimizer({.decay = 1.0, .epsilon = 0, .clip = 0}, 1);
  std::array<float, 1> weight{-3e38F};
  EXPECT_FALSE(std::isfinite(optimizer.step(weight, std::array<float, 1>{3e38F}, 1.0)));
}

TEST(RmsProp, does_not_move_without_a_gradient_even_without_an_epsilon) {
  RmsProp optimizer({.decay = 0, .epsilon = 0, .clip = 0}, 1);
  std::array<float, 1> weight{1.0F};
  EXPECT_EQ(optimizer.step(weight, std::array<float, 1>{0.0F}, 1.0), 0.0);
  EXPECT_EQ(weight[0], 1.0F);
}

}  // namespace
}  // namespace hone::ga3c
