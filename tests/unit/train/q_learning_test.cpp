// Q-learning: the loss and its gradient, targets, the target network, exploration.
#include <gtest/gtest.h>

#include <cmath>

#include "worker/train/envs/core/stream.hpp"
#include "worker/train/value/exploration.hpp"
#include "worker/train/value/q_learner.hpp"
#include "worker/train/value/q_loss.hpp"

namespace hone::q {
namespace {

constexpr std::int64_t stride = 16;

// Outputs of a network with three actions and a value.
struct Outputs {
  explicit Outputs(int count) : rows(count), data(4 * stride, 0.0F) {}
  float& at(int output, int row) { return data[static_cast<std::size_t>(output * stride + row)]; }
  dense::Heads heads() { return {data.data(), rows, 3, stride}; }

  int rows;
  dense::Floats data;
};

TEST(Dueling, values_are_the_state_value_plus_centered_advantages) {
  Outputs outputs(1);
  for (int a = 0; a < 3; ++a) outputs.at(a, 0) = static_cast<float>(a + 1);
  outputs.at(3, 0) = 10;
  std::vector<double> q(3);
  q_values(outputs.heads(), 0, true, q);
  EXPECT_EQ(q, (std::vector<double>{9, 10, 11}));
  q_values(outputs.heads(), 0, false, q);
  EXPECT_EQ(q, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(greedy_action(outputs.heads(), 0), 2);
}

struct LossKind {
  const char* name;
  bool dueling;
  double bound;
};

void PrintTo(const LossKind& kind, std::ostream* out) { *out << kind.name; }

class QLosses : public testing::TestWithParam<LossKind> {
 protected:
  static constexpr int rows = 6;

  QLosses() {
    envs::Stream random(7, envs::Purpose::weights, 0);
    for (auto& number : outputs_.data) number = static_cast<float>(random.uniform(-3, 3));
    for (int row = 0; row < rows; ++row) {
      actions_.push_back(row % 3);
      targets_.push_back(random.uniform(-4, 4));
      weights_.push_back(static_cast<float>(random.uniform(0.2, 1)));
    }
  }

  // In plain double arithmetic, of the mean over rows.
  double reference(const std::vector<double>& outputs) const {
    double loss = 0;
    for (int row = 0; row < rows; ++row) {
      const auto at = [&](int output) {
        return outputs[static_cast<std::size_t>(output * stride + row)];
      };
      const auto i = static_cast<std::size_t>(row);
      double q = at(actions_[i]);
      if (GetParam().dueling) q += at(3) - (at(0) + at(1) + at(2)) / 3;
      const double error = std::abs(targets_[i] - q);
      const double bound = GetParam().bound;
      const bool linear = bound > 0 && error > bound;
      loss += weights_[i] * (linear ? bound * (error - bound / 2) : error * error / 2);
    }
    return loss / rows;
  }

  QLossSums loss() {
    QLossPlan plan;
    plan.outputs = outputs_.heads();
    plan.actions = actions_.data();
    plan.targets = targets_.data();
    plan.weights = weights_.data();
    plan.dueling = GetParam().dueling;
    plan.bound = GetParam().bound;
    plan.gradient = gradient_.data();
    plan.errors = errors_.data();
    return q_loss(plan);
  }

  Outputs outputs_{rows};
  std::vector<std::int32_t> actions_;
  std::vector<double> targets_;
  std::vector<float> weights_, errors_ = std::vector<float>(rows);
  dense::Floats gradient_ = dense::Floats(4 * stride, 0.0F);
};

TEST_P(QLosses, agree_with_their_definition) {
  const std::vector<double> outputs(outputs_.data.begin(), outputs_.data.end());
  EXPECT_NEAR(loss().loss / rows, reference(outputs), 1e-6);
}

TEST_P(QLosses, have_the_gradient_of_finite_differences) {
  loss();
  std::vector<double> outputs(outputs_.data.begin(), outputs_.data.end());
  constexpr double nudge = 1e-5;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (static_cast<std::int64_t>(i) % stride >= rows) continue;
    auto up = outputs, down = outputs;
    up[i] += nudge;
    down[i] -= nudge;
    EXPECT_NEAR(gradient_[i], (reference(up) - reference(down)) / (2 * nudge), 1e-5) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, QLosses,
                         testing::Values(LossKind{"squares", false, 0}, LossKind{"huber", false, 1},
                                         LossKind{"dueling", true, 1},
                                         LossKind{"dueling_squares", true, 0}),
                         [](const auto& kind) { return std::string(kind.param.name); });

nn::NetShape small_net() {
  nn::NetShape net;
  net.inputs = 3;
  net.hidden = 8;
  net.actions = 3;
  net.layers = 2;
  return net;
}

// A batch of random transitions.
struct Batch {
  explicit Batch(int count) : rows(count) {
    envs::Stream random(9, envs::Purpose::weights, 0);
    const auto fill = [&](std::vector<float>& numbers, int each) {
      for (int i = 0; i < rows * each; ++i)
        numbers.push_back(static_cast<float>(random.uniform(-1, 1)));
    };
    fill(observations, 3);
    fill(next, 3);
    fill(rewards, 1);
    for (int row = 0; row < rows; ++row) actions.push_back(row % 3);
    discounts.assign(static_cast<std::size_t>(rows), 0.9F);
    weights.assign(static_cast<std::size_t>(rows), 1.0F);
    errors.resize(static_cast<std::size_t>(rows));
  }
  [[nodiscard]] QBatch view() const {
    return {rows,           observations.data(), next.data(),   actions.data(),
            rewards.data(), discounts.data(),    weights.data()};
  }

  int rows;
  std::vector<float> observations, next, rewards, discounts, weights, errors;
  std::vector<std::int32_t> actions;
};

QLearner learner_of(QRule rule) {
  rule.optimizer.kind = nn::OptimizerKind::adam;
  rule.optimizer.decay = 0.999;
  const auto net = small_net();
  return {rule, net, first_weights(net, nn::WeightStart::uniform, 1), 16,
          nn::network_maker(nn::Backend::own).value()};
}

std::vector<double> row_of(QLearner& learner, const float* observation, bool dueling) {
  std::vector<double> q(3);
  q_values(learner.outputs(observation, 1), 0, dueling, q);
  return q;
}

TEST(QLearners, the_target_of_a_terminal_step_is_its_reward) {
  auto learner = learner_of({});
  Batch batch(6);
  std::fill(batch.discounts.begin(), batch.discounts.end(), 0.0F);
  std::vector<double> before;
  for (int row = 0; row < 6; ++row)
    before.push_back(row_of(learner, &batch.observations[static_cast<std::size_t>(3 * row)],
                            true)[static_cast<std::size_t>(row % 3)]);
  learner.update(batch.view(), 1e-3, batch.errors);
  for (std::size_t row = 0; row < 6; ++row)
    EXPECT_NEAR(batch.errors[row], batch.rewards[row] - before[row], 1e-5);
}

TEST(QLearners, value_the_action_of_the_online_network_by_the_target_network) {
  QRule rule;
  rule.target_every = 1'000'000;
  auto twin = learner_of(rule);
  Batch batch(9);
  for (int i = 0; i < 300; ++i) twin.update(batch.view(), 0.05, batch.errors);  // now they differ
  auto state = twin.state();
  auto online = learner_of(rule);
  auto target = state;
  target.weights = state.target;
  online.restore(target);  // outputs() are now those of the target network
  std::vector<double> expected;
  for (std::size_t row = 0; row < 9; ++row) {
    const auto* next = &batch.next[3 * row];
    const auto chosen = greedy_action(twin.outputs(next, 1), 0);
    const double value = row_of(online, next, true)[static_cast<std::size_t>(chosen)];
    const double q = row_of(twin, &batch.observations[3 * row], true)[row % 3];
    expected.push_back(static_cast<double>(batch.rewards[row]) + 0.9F * value - q);
  }
  twin.update(batch.view(), 1e-3, batch.errors);
  for (std::size_t row = 0; row < 9; ++row) EXPECT_NEAR(batch.errors[row], expected[row], 1e-4);
}

TEST(QLearners, copy_the_target_network_every_so_many_updates) {
  QRule rule;
  rule.target_every = 3;
  auto learner = learner_of(rule);
  Batch batch(6);
  for (int update = 1; update <= 6; ++update) {
    learner.update(batch.view(), 1e-2, batch.errors);
    EXPECT_EQ(learner.state().target == learner.state().weights, update % 3 == 0) << update;
  }
}

TEST(QLearners, move_the_target_network_a_part_of_the_way) {
  QRule rule;
  rule.target_every = 1;
  rule.target_rate = 0.25;
  auto learner = learner_of(rule);
  Batch batch(6);
  const auto before = learner.state();
  learner.update(batch.view(), 1e-2, batch.errors);
  const auto after = learner.state();
  for (std::size_t i = 0; i < after.target.size(); ++i)
    EXPECT_NEAR(after.target[i], before.target[i] + 0.25F * (after.weights[i] - before.target[i]),
                1e-6);
}

TEST(QLearners, average_their_weights_over_all_updates_and_then_over_the_last) {
  QRule rule;
  rule.average_updates = 3;
  auto learner = learner_of(rule);
  Batch batch(6);
  std::vector<double> expected(learner.state().weights.size());
  for (int update = 1; update <= 6; ++update) {
    learner.update(batch.view(), 1e-2, batch.errors);
    const auto state = learner.state();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expected[i] += (static_cast<double>(state.weights[i]) - expected[i]) / std::min(update, 3);
      EXPECT_NEAR(state.average[i], expected[i], 1e-6) << update;
    }
  }
  EXPECT_TRUE(learner_of({}).state().average.empty());
}

TEST(QLearners, that_continue_from_a_state_without_an_average_begin_it_at_the_weights) {
  auto learner = learner_of({});
  Batch batch(6);
  for (int i = 0; i < 5; ++i) learner.update(batch.view(), 1e-2, batch.errors);
  QRule rule;
  rule.average_updates = 10;
  auto averaging = learner_of(rule);
  averaging.restore(learner.state());
  EXPECT_EQ(averaging.state().average, learner.state().weights);
}

TEST(QLearners, continue_alike_from_their_state) {
  auto learner = learner_of({});
  Batch batch(8);
  for (int i = 0; i < 5; ++i) learner.update(batch.view(), 1e-2, batch.errors);
  auto copy = learner_of({});
  copy.restore(learner.state());
  for (auto* each : {&learner, &copy}) each->update(batch.view(), 1e-2, batch.errors);
  EXPECT_EQ(copy.state().weights, learner.state().weights);
}

TEST(QLearners, an_update_that_is_not_finite_ends_the_run) {
  auto learner = learner_of({});
  Batch batch(4);
  batch.rewards[2] = std::nanf("");
  learner.update(batch.view(), 1e-2, batch.errors);
  EXPECT_TRUE(learner.diverged());
}

TEST(Exploration, falls_linearly_and_then_stays) {
  const Exploration rule{EpsilonSchedule::linear, 1, 0.1, 1000, 7};
  EXPECT_DOUBLE_EQ(rule.epsilon(0, 0, 1), 1);
  EXPECT_DOUBLE_EQ(rule.epsilon(500, 0, 1), 0.55);
  EXPECT_DOUBLE_EQ(rule.epsilon(1000, 0, 1), 0.1);
  EXPECT_DOUBLE_EQ(rule.epsilon(99999, 0, 1), 0.1);
}

TEST(Exploration, falls_exponentially_towards_its_end) {
  const Exploration rule{EpsilonSchedule::exponential, 1, 0.2, 100, 7};
  EXPECT_DOUBLE_EQ(rule.epsilon(0, 0, 1), 1);
  EXPECT_NEAR(rule.epsilon(100, 0, 1), 0.2 + 0.8 * std::exp(-1), 1e-12);
}

TEST(Exploration, of_each_actor_is_the_published_one) {
  const Exploration rule{EpsilonSchedule::per_actor, 0.4, 0, 1, 7};
  EXPECT_NEAR(rule.epsilon(5, 0, 8), 0.4, 1e-12);
  EXPECT_NEAR(rule.epsilon(5, 1, 8), 0.16, 1e-12);
  EXPECT_NEAR(rule.epsilon(5, 3, 8), 0.0256, 1e-12);
  EXPECT_NEAR(rule.epsilon(5, 7, 8), 0.00065536, 1e-12);
  EXPECT_NEAR(rule.epsilon(5, 0, 1), 0.4, 1e-12) << "one actor";
}

TEST(CenteredRmsprop, moves_by_the_deviation_of_the_gradient) {
  nn::OptimizerRule rule;
  rule.kind = nn::OptimizerKind::rmsprop_centered;
  rule.decay = 0.95;
  rule.epsilon = 0.01;
  rule.clip = 0;
  nn::Optimizer optimizer(rule, dense::Floats(16, 1.0F));
  dense::Floats parameters(16, 0.0F), gradient(16, 2.0F);
  double mean = 0, square = 0, expected = 0;
  for (const double slope : {2.0, -1.0, 3.0}) {
    std::fill(gradient.begin(), gradient.end(), static_cast<float>(slope));
    optimizer.step(parameters, gradient, 0.1);
    mean = 0.95 * mean + 0.05 * slope;
    square = 0.95 * square + 0.05 * slope * slope;
    expected -= 0.1 * slope / std::sqrt(square - mean * mean + 0.01);
    EXPECT_NEAR(parameters[0], expected, 1e-5);
  }
}

}  // namespace
}  // namespace hone::q
