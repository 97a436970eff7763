// Losses, returns and optimizers against values computed by hand from the published definitions.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "tests/unit/train/reference.hpp"
#include "worker/train/nn/kernels/kernels.hpp"
#include "worker/train/nn/optimizer.hpp"
#include "worker/train/rl/observation_scale.hpp"
#include "worker/train/rl/returns.hpp"
#include "worker/train/rl/reward_scale.hpp"

namespace hone::ac {
namespace {

constexpr double gamma_of_table = 0.99;

TEST(Returns, parity_clips_rewards_and_bootstraps_from_the_last_state) {
  const std::array<double, 6> rewards{1, 0, -2, 0.5, 0, 9};
  std::array<float, 5> returns{};
  rl::parity_returns(rewards, 2.0, {gamma_of_table, 1}, returns);
  const std::array<double, 5> golden{2.40703, 1.42124, 1.43560, 2.46020, 1.98000};
  for (std::size_t t = 0; t < golden.size(); ++t) EXPECT_NEAR(returns[t], golden[t], 1e-5) << t;
}

TEST(Returns, parity_drops_the_terminal_reward) {
  const std::array<double, 6> rewards{1, 0, -2, 0.5, 0, 9};
  std::array<float, 5> returns{};
  rl::parity_returns(rewards, 0.0, {gamma_of_table, 1}, returns);
  const std::array<double, 5> golden{0.50505, -0.49995, -0.505, 0.5, 0};
  for (std::size_t t = 0; t < golden.size(); ++t) EXPECT_NEAR(returns[t], golden[t], 1e-5) << t;
}

TEST(Returns, corrected_trains_the_terminal_reward) {
  const std::array<rl::Step, 3> steps{{{1}, {5, rl::Ending::terminated}, {2}}};
  std::array<float, 3> returns{};
  discounted_returns(steps, 10.0, {0.5}, returns);
  EXPECT_FLOAT_EQ(returns[2], 2 + 0.5F * 10);  // of the next episode
  EXPECT_FLOAT_EQ(returns[1], 5);              // nothing follows a termination
  EXPECT_FLOAT_EQ(returns[0], 1 + 0.5F * 5);
}

TEST(Returns, corrected_values_the_last_state_of_a_truncated_episode) {
  const std::array<rl::Step, 2> steps{{{1, rl::Ending::truncated, 20}, {1}}};
  std::array<float, 2> returns{};
  discounted_returns(steps, 0.0, {0.5}, returns);
  EXPECT_FLOAT_EQ(returns[0], 1 + 0.5F * 20);
}

TEST(Returns, mix_in_values_of_the_states_between_as_lambda_says) {
  const std::array<rl::Step, 3> steps{
      {{1, rl::Ending::none, 0, 8}, {2, rl::Ending::none, 0, 6}, {3}}};
  std::array<float, 3> returns{};
  discounted_returns(steps, 4.0, {0.5, 0.25}, returns);
  EXPECT_FLOAT_EQ(returns[2], 3 + 0.5F * 4);
  EXPECT_FLOAT_EQ(returns[1], 2 + 0.5F * (0.25F * 5 + 0.75F * 6));
  EXPECT_FLOAT_EQ(returns[0], 1 + 0.5F * (0.25F * returns[1] + 0.75F * 8));
  discounted_returns(steps, 4.0, {0.5, 0}, returns);
  EXPECT_FLOAT_EQ(returns[0], 1 + 0.5F * 8);
}

// The kernels' loss of one state, whose outputs are given as probabilities and a value.
struct OneLoss {
  dense::LossSums terms;
  std::vector<float> gradient;  // of the logits, then of the value

  OneLoss(const std::vector<float>& pi, float value, const Sample& sample,
          const LossWeights& weights) {
    constexpr std::size_t stride = dense::line_floats;
    dense::Floats outputs((pi.size() + 1) * stride), slopes(outputs.size()), targets(stride);
    dense::Numbers chosen(stride);
    for (std::size_t a = 0; a < pi.size(); ++a) outputs[a * stride] = std::log(pi[a]);
    outputs[pi.size() * stride] = value;
    chosen[0] = sample.action;
    targets[0] = static_cast<float>(sample.target);
    terms = dense::best_kernels().loss({{outputs.data(), 1, static_cast<int>(pi.size()), stride},
                                        chosen.data(),
                                        targets.data(),
                                        slopes.data(),
                                        static_cast<float>(weights.entropy),
                                        static_cast<float>(weights.value),
                                        static_cast<float>(weights.log_floor),
                                        1});
    for (std::size_t a = 0; a <= pi.size(); ++a) gradient.push_back(slopes[a * stride]);
  }
};

TEST(Loss, of_the_published_form) {
  const LossWeights weights{.entropy = 0.01, .value = 0.5, .log_floor = 1e-6};
  const auto terms = OneLoss({0.7F, 0.2F, 0.1F}, 0.5, {1, 1.5}, weights).terms;
  EXPECT_NEAR(terms.value, 0.5, 1e-6);
  EXPECT_NEAR(terms.entropy, 0.801819, 1e-6);
  EXPECT_NEAR(terms.policy + terms.value - 0.01 * terms.entropy, 2.101420, 1e-6);
}

TEST(Loss, gradient_does_not_pass_through_a_floored_logarithm) {
  const LossWeights weights{.entropy = 0, .value = 0.5, .log_floor = 1e-6};
  const OneLoss loss({1.0F, 1e-9F}, 0, {1, 3}, weights);
  EXPECT_NEAR(loss.terms.policy, -std::log(1e-6) * 3, 1e-5);
  EXPECT_EQ(loss.gradient[0], 0.0F);
  EXPECT_EQ(loss.gradient[1], 0.0F);
}

TEST(Loss, stays_finite_for_a_probability_of_zero) {
  const OneLoss loss({1.0F, 1e-44F}, 0, {1, 1}, {});
  EXPECT_TRUE(std::isfinite(loss.terms.policy));
  for (const float g : loss.gradient) EXPECT_TRUE(std::isfinite(g));
}

TEST(Softmax, survives_large_logits) {
  dense::Floats outputs(3 * dense::line_floats);
  outputs[0] = 1000;
  outputs[dense::line_floats] = 998;
  dense::best_kernels().softmax({outputs.data(), 1, 2, dense::line_floats});
  EXPECT_NEAR(outputs[0], 0.880797, 1e-6);
  EXPECT_NEAR(outputs[0] + outputs[dense::line_floats], 1.0, 1e-6);
}

TEST(RewardScale, brings_rewards_of_any_size_to_the_same_one) {
  const auto scaled = [](double reward) {
    rl::RewardScale scale(0.99);
    double sum = 0;
    std::vector<rl::Step> steps;
    for (int i = 0; i < 5000; ++i) {
      steps.assign(1, {reward, i % 50 == 49 ? rl::Ending::terminated : rl::Ending::none});
      scale.apply(steps, sum);
    }
    return steps[0].reward;
  };
  EXPECT_NEAR(scaled(1), scaled(1000), 1e-3);
  EXPECT_NEAR(scaled(1), 1 / 11.5, 0.01);  // the deviation of 1, 1.99, 2.97, ..., 39.5
  EXPECT_EQ(scaled(0), 0);
}

TEST(RewardScale, bounds_a_first_reward_after_a_long_drought) {
  rl::RewardScale scale(0.99);
  double sum = 0;
  std::vector<rl::Step> steps(100'000);
  scale.apply(steps, sum);
  std::vector<rl::Step> jackpot{{1000}};
  scale.apply(jackpot, sum);
  EXPECT_LE(jackpot[0].reward, 10);
  EXPECT_GT(jackpot[0].reward, 0);
}

// Statistics of two batches, one after the other, are those of all rows.
TEST(ObservationScale, brings_what_was_seen_to_mean_0_and_deviation_1) {
  std::vector<float> rows;
  for (int i = 0; i < 100; ++i) {
    rows.push_back(1000 + static_cast<float>(i % 7));
    rows.push_back(0.001F * static_cast<float>(i % 5));
  }
  rl::ObservationScale scale(2);
  scale.learn(rows.data(), 30);
  scale.learn(rows.data() + 60, 70);
  scale.apply(rows.data(), 100);
  for (std::size_t k = 0; k < 2; ++k) {
    double sum = 0, squares = 0;
    for (std::size_t i = k; i < rows.size(); i += 2) {
      sum += rows[i];
      squares += rows[i] * rows[i];
    }
    EXPECT_NEAR(sum / 100, 0, 1e-3);
    EXPECT_NEAR(squares / 100, 1, 1e-2);
  }
  std::vector<float> far{1e9F, -1e9F};
  scale.apply(far.data(), 1);
  EXPECT_EQ(far, (std::vector<float>{10, -10}));
}

class OneLine {
 public:
  explicit OneLine(const nn::OptimizerRule& rule)
      : weights(dense::line_floats), optimizer_(rule, dense::Floats(dense::line_floats, 1.0F)) {}

  double step(std::vector<float> gradient, double rate) {
    dense::Floats line(dense::line_floats);
    std::copy(gradient.begin(), gradient.end(), line.begin());
    return optimizer_.step(weights, line, rate);
  }
  [[nodiscard]] const nn::Optimizer& optimizer() const { return optimizer_; }

  dense::Floats weights;

 private:
  nn::Optimizer optimizer_;
};

constexpr auto adam = nn::OptimizerKind::adam;

TEST(RmsProp, first_step_of_the_published_form) {
  OneLine line({.decay = 0.99, .epsilon = 0.1, .clip = 0});
  EXPECT_DOUBLE_EQ(line.step({2.0F}, 3e-4), 2.0);
  EXPECT_NEAR(line.weights[0], -5.6443e-4, 1e-8);
}

TEST(RmsProp, does_not_move_without_a_gradient_even_without_an_epsilon) {
  OneLine line({.decay = 0, .epsilon = 0, .clip = 0});
  line.weights[0] = 1;
  EXPECT_EQ(line.step({0.0F}, 1.0), 0.0);
  EXPECT_EQ(line.weights[0], 1.0F);
}

TEST(Adam, first_steps_of_the_published_form) {
  OneLine line({.kind = adam, .decay = 0.999, .epsilon = 1e-8, .momentum = 0.9, .clip = 0});
  line.step({0.5F, -20.0F}, 1e-3);  // the first step is the rate, whatever the gradient's size
  EXPECT_NEAR(line.weights[0], -1e-3, 1e-8);
  EXPECT_NEAR(line.weights[1], 1e-3, 1e-8);
  line.step({0.1F}, 1e-3);
  // mean 0.055 / 0.19, mean square 0.00025975 / 0.001999
  EXPECT_NEAR(line.weights[0], -1e-3 - 1e-3 * (0.055 / 0.19) / std::sqrt(0.00025975 / 0.001999),
              1e-7);
}

TEST(AdaGrad, divides_by_the_root_of_the_sum_of_squares) {
  OneLine line({.kind = nn::OptimizerKind::adagrad, .epsilon = 0.01, .clip = 0});
  line.step({2.0F, 0.0F}, 0.1);
  EXPECT_NEAR(line.weights[0], -0.1 * 2 / std::sqrt(4.01), 1e-7);
  EXPECT_EQ(line.weights[1], 0.0F);
  line.step({-1.0F, 3.0F}, 0.1);
  EXPECT_NEAR(line.weights[0], -0.1 * 2 / std::sqrt(4.01) + 0.1 / std::sqrt(5.01), 1e-7);
  EXPECT_NEAR(line.weights[1], -0.1 * 3 / std::sqrt(9.01), 1e-7);
}

TEST(Optimizer, clips_the_norm_of_the_whole_gradient) {
  for (const auto kind : {nn::OptimizerKind::rmsprop, nn::OptimizerKind::adagrad, adam}) {
    OneLine clipped({.kind = kind, .decay = 0.99, .epsilon = 0.1, .clip = 0.5});
    OneLine small({.kind = kind, .decay = 0.99, .epsilon = 0.1, .clip = 0});
    EXPECT_DOUBLE_EQ(clipped.step({3.0F, 4.0F}, 1e-3), 5.0);
    small.step({0.3F, 0.4F}, 1e-3);
    EXPECT_FLOAT_EQ(clipped.weights[0], small.weights[0]);
    EXPECT_FLOAT_EQ(clipped.weights[1], small.weights[1]);
  }
}

TEST(Optimizer, moves_nothing_for_a_gradient_that_is_not_finite) {
  for (const auto kind : {nn::OptimizerKind::rmsprop, nn::OptimizerKind::adagrad, adam}) {
    OneLine line({.kind = kind});
    line.weights[0] = 1;
    const auto before = line.optimizer().state();
    EXPECT_FALSE(std::isfinite(line.step({1.0F, std::numeric_limits<float>::quiet_NaN()}, 1e-3)));
    EXPECT_EQ(line.weights[0], 1.0F);
    EXPECT_EQ(line.optimizer().state().mean_square, before.mean_square);
  }
}

// Means of weights without a gradient stayed at the smallest numbers there are, which took half of
// the time of a training by pixels.
TEST(Optimizer, kept_means_too_small_to_weigh) {
  for (const auto kind : {nn::OptimizerKind::rmsprop, nn::OptimizerKind::rmsprop_centered, adam}) {
    OneLine line({.kind = kind, .decay = 0.9, .momentum = 0.8});
    line.step({1.0F, -1.0F}, 1e-3);
    for (int i = 0; i < 2000; ++i) line.step({}, 1e-3);
    const auto& state = line.optimizer().state();
    for (const auto* means : {&state.mean, &state.mean_square})
      for (const float mean : *means) EXPECT_EQ(mean, 0);
  }
}

TEST(Optimizer, tells_that_a_parameter_overflowed) {
  for (const auto kind : {nn::OptimizerKind::rmsprop, nn::OptimizerKind::adagrad, adam}) {
    OneLine line({.kind = kind, .decay = 0.5, .epsilon = 0, .momentum = 0, .clip = 0});
    line.weights[0] = -3e38F;
    EXPECT_FALSE(std::isfinite(line.step({1.0F}, 1e39)));
  }
}

}  // namespace
}  // namespace hone::ac
