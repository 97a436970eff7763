// Soft actor-critic: the squashed policy, gradients by finite differences, targets, temperature.
#include "worker/train/continuous/sac_learner.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "worker/train/continuous/squashed.hpp"

namespace hone::sac {
namespace {

constexpr int rows = 5;
constexpr int each = 2;
constexpr std::int64_t stride = 16;
constexpr double nudge = 1e-4;

std::vector<double> noise_of(std::size_t count, std::uint64_t seed) {
  envs::Stream random(seed, envs::Purpose::weights, 0);
  std::vector<double> noise(count);
  for (auto& number : noise) number = random.normal();
  return noise;
}

std::vector<float> floats_of(std::size_t count, std::uint64_t seed) {
  const auto noise = noise_of(count, seed);
  return {noise.begin(), noise.end()};
}

// Outputs of a policy of two numbers: means, log deviations, the value that is not used.
struct Outputs {
  Outputs() {
    const auto numbers = floats_of(data.size(), 3);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = 0.5F * numbers[i];
  }
  dense::Heads heads() { return {data.data(), rows, 2 * each, stride}; }
  dense::Floats data = dense::Floats((2 * each + 1) * stride);
};

// log pi by its definition, in which the density of tanh(u) is divided by the slope of tanh.
double log_density(Outputs& outputs, const std::vector<double>& noise, int row) {
  double sum = 0;
  for (int i = 0; i < each; ++i) {
    const double mean = outputs.data[static_cast<std::size_t>(i * stride + row)];
    const double deviation = std::exp(
        static_cast<double>(outputs.data[static_cast<std::size_t>((each + i) * stride + row)]));
    const double u = mean + deviation * noise[static_cast<std::size_t>(row * each + i)];
    const double off = (u - mean) / deviation;
    const double density = std::exp(-off * off / 2) / (deviation * std::sqrt(2 * std::numbers::pi));
    sum += std::log(density / (1 - std::tanh(u) * std::tanh(u)));
  }
  return sum;
}

TEST(Squashed, density_is_that_of_its_definition) {
  Outputs outputs;
  const auto noise = noise_of(rows * each, 4);
  std::vector<float> actions(rows * each);
  std::vector<double> densities(rows);
  squash(outputs.heads(), noise, actions, densities);
  for (int row = 0; row < rows; ++row)
    EXPECT_NEAR(densities[static_cast<std::size_t>(row)], log_density(outputs, noise, row), 1e-9);
  for (const float action : actions) EXPECT_LT(std::abs(action), 1);
}

TEST(Squashed, density_sums_to_one) {
  Outputs outputs;
  outputs.data[0] = 0.7F;
  outputs.data[stride] = -0.4F;
  dense::Heads one{outputs.data.data(), 1, 2, stride};
  double sum = 0;
  constexpr double step = 1e-3;
  for (double z = -7; z < 7; z += step) {  // by the noise that gives each action
    const double before[] = {z - step / 2}, here[] = {z}, after[] = {z + step / 2};
    float low = 0, action = 0, high = 0;
    double density = 0;
    squash(one, before, {&low, 1}, {&density, 1});
    squash(one, after, {&high, 1}, {&density, 1});
    squash(one, here, {&action, 1}, {&density, 1});
    sum += std::exp(density) * (static_cast<double>(high) - static_cast<double>(low));
  }
  EXPECT_NEAR(sum, 1, 2e-3);
}

TEST(Squashed, density_is_finite_where_tanh_rounds_to_one) {
  Outputs outputs;
  outputs.data[0] = 60;
  dense::Heads one{outputs.data.data(), 1, 2, stride};
  const double noise[] = {0.5};
  float action = 0;
  double density = 0;
  squash(one, noise, {&action, 1}, {&density, 1});
  EXPECT_EQ(action, 1);
  EXPECT_TRUE(std::isfinite(density));
  EXPECT_GT(density, 100);
}

// With Q(a) = sum of weight * a + a^2 of each number.
TEST(Squashed, gradient_is_that_of_finite_differences) {
  constexpr double temperature = 0.3;
  Outputs outputs;
  const auto noise = noise_of(rows * each, 4);
  const auto weights = noise_of(rows * each, 5);
  std::vector<float> actions(rows * each);
  std::vector<double> densities(rows);
  const auto loss = [&] {
    squash(outputs.heads(), noise, actions, densities);
    double sum = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      sum += temperature * densities[row];
      for (std::size_t at = row * each; at < (row + 1) * each; ++at) {
        const double deviation =
            std::exp(static_cast<double>(outputs.data[(each + at % each) * stride + row]));
        const double mean = outputs.data[at % each * stride + row];
        const double action = std::tanh(mean + deviation * noise[at]);  // not rounded
        sum -= weights[at] * action + action * action;
      }
    }
    return sum / rows;
  };
  loss();
  std::vector<float> slopes;
  for (std::size_t at = 0; at < actions.size(); ++at)
    slopes.push_back(static_cast<float>(weights[at]) + 2 * actions[at]);
  dense::Floats gradient(outputs.data.size(), 0.0F);
  policy_gradient({outputs.heads(), noise, actions, slopes, temperature}, gradient.data());
  for (std::size_t output = 0; output <= 2 * each; ++output)
    for (std::size_t row = 0; row < rows; ++row) {
      auto& number = outputs.data[output * stride + row];
      const float before = number;
      number = before + static_cast<float>(nudge);
      const double up_at = number, up = loss();
      number = before - static_cast<float>(nudge);
      const double down_at = number, down = loss();
      number = before;
      EXPECT_NEAR(gradient[output * stride + row], (up - down) / (up_at - down_at), 1e-5)
          << output << " " << row;
    }
}

TEST(Squashed, gradient_of_a_deviation_at_its_bound_is_zero) {
  Outputs outputs;
  for (std::size_t row = 0; row < rows; ++row) outputs.data[each * stride + row] = 3;
  const auto noise = noise_of(rows * each, 4);
  std::vector<float> actions(rows * each), slopes(rows * each, 1.0F);
  std::vector<double> densities(rows);
  squash(outputs.heads(), noise, actions, densities);
  dense::Floats gradient(outputs.data.size(), 1.0F);
  policy_gradient({outputs.heads(), noise, actions, slopes, 0.1}, gradient.data());
  for (std::size_t row = 0; row < rows; ++row) {
    EXPECT_EQ(gradient[each * stride + row], 0);
    EXPECT_NE(gradient[(each + 1) * stride + row], 0);
  }
}

class InputGradient : public testing::TestWithParam<std::tuple<int, nn::Activation, int>> {};

TEST_P(InputGradient, is_that_of_finite_differences) {
  const auto [count, activation, layers] = GetParam();
  nn::NetShape shape{
      .inputs = 5, .hidden = 24, .actions = 1, .activation = activation, .layers = layers};
  const auto network = nn::make_input_network(shape, count);
  const auto weights = nn::pack(shape, first_weights(shape, nn::WeightStart::uniform, 2));
  auto inputs = floats_of(static_cast<std::size_t>(count * shape.inputs), 6);
  const auto value = [&](int row) {
    const auto heads = network->forward(weights, inputs.data(), count);
    return static_cast<double>(heads.data[heads.actions * heads.stride + row]);
  };
  const auto heads = network->forward(weights, inputs.data(), count);
  dense::Floats slopes(static_cast<std::size_t>(heads.stride * shape.outputs()), 0.0F);
  for (int row = 0; row < count; ++row)
    slopes[static_cast<std::size_t>(heads.actions * heads.stride + row)] = 1;
  std::vector<float> gradient(static_cast<std::size_t>(count) * 2);
  network->input_gradient(weights, slopes.data(), {2, 2}, gradient.data());
  constexpr float wide = 4e-3F;
  for (int row = 0; row < count; ++row)
    for (int i = 0; i < 2; ++i) {
      auto& number = inputs[static_cast<std::size_t>(row * shape.inputs + 2 + i)];
      const float before = number;
      number = before + wide;
      const double up = value(row);
      number = before - wide;
      const double down = value(row);
      number = before;
      const double middle = value(row);
      // Across the corner of a ReLU both sides differ, and neither is the slope.
      if (std::abs(up + down - 2 * middle) > 1e-5) continue;
      EXPECT_NEAR(gradient[static_cast<std::size_t>(2 * row + i)],
                  (up - down) / (2 * static_cast<double>(wide)), 2e-3)
          << row << " " << i;
    }
}

std::string shape_name(const testing::TestParamInfo<InputGradient::ParamType>& shape) {
  const auto& [batch, activation, layers] = shape.param;
  return std::string(activation == nn::Activation::relu ? "relu" : "tanh") + "_" +
         std::to_string(layers) + "_layers_" + std::to_string(batch) + "_rows";
}

INSTANTIATE_TEST_SUITE_P(Shapes, InputGradient,
                         testing::Combine(testing::Values(1, 20),
                                          testing::Values(nn::Activation::relu,
                                                          nn::Activation::tanh),
                                          testing::Values(1, 2, 3)),
                         shape_name);

nn::NetShape small_policy() {
  nn::NetShape net{
      .inputs = 3, .hidden = 16, .actions = each, .activation = nn::Activation::relu, .layers = 2};
  net.policy = nn::Policy::squashed;
  return net;
}

struct Batch {
  static constexpr int count = 200;
  static std::vector<float> uniform_actions() {
    envs::Stream random(10, envs::Purpose::weights, 0);
    std::vector<float> actions(each * count);
    for (auto& action : actions) action = static_cast<float>(random.uniform(-1, 1));
    return actions;
  }
  [[nodiscard]] SacBatch view() const {
    return {count,          observations.data(), next.data(),
            actions.data(), rewards.data(),      discounts.data()};
  }
  std::vector<float> observations = floats_of(3 * count, 7), next = floats_of(3 * count, 8);
  std::vector<float> actions = uniform_actions();
  std::vector<float> rewards = floats_of(count, 9);
  std::vector<float> discounts = std::vector<float>(count, 0.9F);
};

SacRule adam_rule() {
  SacRule rule;
  rule.optimizer = {nn::OptimizerKind::adam, 0.999, 1e-8, 0.9, 0};
  rule.target_entropy = -2;
  return rule;
}

void train(SacLearner& learner, const Batch& batch, int updates, double rate = 1e-3) {
  for (int i = 0; i < updates; ++i) {
    envs::Stream random(1, envs::Purpose::replay, static_cast<std::uint64_t>(i));
    learner.update(batch.view(), rate, random);
  }
}

TEST(SacLearners, critics_learn_the_reward_of_a_terminal_step) {
  SacLearner learner(adam_rule(), small_policy(), 1, Batch::count);
  Batch batch;
  std::fill(batch.discounts.begin(), batch.discounts.end(), 0.0F);
  for (std::size_t i = 0; i < Batch::count; ++i)
    batch.rewards[i] = batch.observations[3 * i] - batch.actions[each * i];
  train(learner, batch, 50, 1e-2);
  learner.take_meter();
  train(learner, batch, 400, 1e-2);
  const auto meter = learner.take_meter();
  EXPECT_LT(meter.critic_loss / 400, 0.02);
}

TEST(SacLearners, move_their_targets_a_part_of_the_way) {
  auto rule = adam_rule();
  rule.target_rate = 0.25;
  SacLearner learner(rule, small_policy(), 1, Batch::count);
  const auto before = learner.state();
  train(learner, {}, 1);
  const auto after = learner.state();
  for (std::size_t critic = 0; critic < 2; ++critic) {
    EXPECT_EQ(before.targets[critic], before.critics[critic].weights);
    for (std::size_t i = 0; i < after.targets[critic].size(); ++i)
      EXPECT_NEAR(after.targets[critic][i],
                  before.targets[critic][i] +
                      0.25F * (after.critics[critic].weights[i] - before.targets[critic][i]),
                  1e-6);
  }
  EXPECT_NE(before.critics[0].weights, before.critics[1].weights);
}

TEST(SacLearners, keep_the_target_entropy_by_the_temperature) {
  std::vector<double> kept;
  for (const double entropy : {-2.0, 0.5}) {
    auto rule = adam_rule();
    rule.target_entropy = entropy;
    SacLearner learner(rule, small_policy(), 1, Batch::count);
    train(learner, {}, 2500, 3e-3);
    learner.take_meter();
    train(learner, {}, 1000, 1e-3);
    kept.push_back(learner.take_meter().entropy / 1000);
    EXPECT_NEAR(kept.back(), entropy, 0.3);
  }
  EXPECT_GT(kept[1], kept[0] + 1.5);
}

TEST(SacLearners, leave_a_fixed_temperature_alone) {
  auto rule = adam_rule();
  rule.automatic = false;
  rule.temperature = 0.2;
  SacLearner learner(rule, small_policy(), 1, Batch::count);
  train(learner, {}, 20);
  EXPECT_NEAR(learner.temperature(), 0.2, 1e-12);
}

TEST(SacLearners, continue_alike_from_their_state) {
  SacLearner learner(adam_rule(), small_policy(), 1, Batch::count);
  train(learner, {}, 5);
  SacLearner copy(adam_rule(), small_policy(), 2, Batch::count);
  ASSERT_TRUE(copy.restore(learner.state()));
  for (auto* each_one : {&learner, &copy}) train(*each_one, {}, 3);
  EXPECT_EQ(learner.state().policy.weights, copy.state().policy.weights);
  EXPECT_EQ(learner.state().critics[1].weights, copy.state().critics[1].weights);
  EXPECT_EQ(learner.temperature(), copy.temperature());
}

TEST(SacLearners, mark_a_run_that_is_not_finite_as_diverged) {
  SacLearner learner(adam_rule(), small_policy(), 1, Batch::count);
  Batch batch;
  batch.rewards[3] = INFINITY;
  train(learner, batch, 1);
  EXPECT_TRUE(learner.diverged());
}

}  // namespace
}  // namespace hone::sac
