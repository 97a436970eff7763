// IMPALA: V-trace next to published numbers and references, the learner, and runs that repeat.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/unit/train/given_trainer.hpp"
#include "worker/train/actor_critic/learning/vtrace_learner.hpp"
#include "worker/train/actor_critic/options.hpp"
#include "worker/train/envs/core/stream.hpp"

namespace hone::ac {
namespace {

using trainers::Settings;
using trainers::Trainer;

struct Traced {
  std::vector<float> targets, advantages;
};

Traced traced(const std::vector<rl::Step>& steps, const std::vector<double>& ratios,
              const std::vector<double>& values, double tail, const VtraceRule& rule) {
  std::vector<double> log_ratios;
  for (const double ratio : ratios) log_ratios.push_back(std::log(ratio));
  Traced out{std::vector<float>(steps.size()), std::vector<float>(steps.size())};
  vtrace({steps, log_ratios, values, tail}, rule, out.targets, out.advantages);
  return out;
}

void expect_near(const std::vector<float>& actual, const std::vector<double>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-6) << i;
}

TEST(Vtrace, has_the_golden_targets_and_advantages) {
  const std::vector<rl::Step> steps{{.reward = 1}, {.reward = 0}, {.reward = -1}};
  const auto out = traced(steps, {1.5, 0.5, 1}, {0.2, 0.4, 0.1}, 0.3, {{0.9, 1}, 1, 1});
  expect_near(out.targets, {0.88435, -0.1285, -0.73});
  expect_near(out.advantages, {0.68435, -0.5285, -0.83});
}

TEST(Vtrace, on_policy_is_the_return_of_all_steps) {
  std::vector<rl::Step> steps;
  std::vector<double> values;
  envs::Stream random(3, envs::Purpose::weights, 0);
  for (int t = 0; t < 12; ++t) {
    steps.push_back({.reward = random.normal()});
    if (t == 4) steps.back().ending = rl::Ending::terminated;
    if (t == 8) steps.back().ending = rl::Ending::truncated;
    steps.back().cut_value = random.normal();
    values.push_back(random.normal());
  }
  const auto out = traced(steps, std::vector<double>(12, 1.0), values, 0.7, {{0.95, 1}, 1, 1});
  std::vector<float> returns(12);
  discounted_returns(steps, 0.7, {0.95, 1}, returns);
  for (std::size_t t = 0; t < 12; ++t) {
    EXPECT_NEAR(out.targets[t], returns[t], 1e-5);
    EXPECT_NEAR(out.advantages[t], static_cast<double>(returns[t]) - values[t], 1e-5);
  }
}

// By the sum of the definition (Espeholt et al., 2018, equation 1) instead of a recurrence.
TEST(Vtrace, agrees_with_its_definition_as_a_sum) {
  constexpr double gamma = 0.9, lambda = 0.8, rho_clip = 1.2, c_clip = 0.9;
  constexpr std::size_t count = 9;
  std::vector<rl::Step> steps(count);
  std::vector<double> ratios, values;
  envs::Stream random(4, envs::Purpose::weights, 0);
  for (auto& step : steps) {
    step.reward = random.normal();
    ratios.push_back(random.uniform(0.2, 2));
    values.push_back(random.normal());
  }
  const double tail = 0.4;
  const auto out = traced(steps, ratios, values, tail, {{gamma, lambda}, rho_clip, c_clip});
  for (std::size_t s = 0; s < count; ++s) {
    double target = values[s];
    double weight = 1;
    for (std::size_t t = s; t < count; ++t) {
      const double next = t + 1 < count ? values[t + 1] : tail;
      target +=
          weight * std::min(rho_clip, ratios[t]) * (steps[t].reward + gamma * next - values[t]);
      weight *= gamma * lambda * std::min(c_clip, ratios[t]);
    }
    EXPECT_NEAR(out.targets[s], target, 1e-5) << s;
  }
}

TEST(Vtrace, crosses_no_end_of_an_episode) {
  for (const auto ending : {rl::Ending::terminated, rl::Ending::truncated}) {
    std::vector<rl::Step> steps(4);
    steps[1].ending = ending;
    steps[1].cut_value = 5;
    const std::vector<double> ones(4, 1.0), values(4, 0.5);
    const auto before = traced(steps, ones, values, 0, {{0.9, 1}, 1, 1});
    steps[2].reward = 100;
    const auto after = traced(steps, ones, values, 0, {{0.9, 1}, 1, 1});
    EXPECT_EQ(before.targets[0], after.targets[0]);
    EXPECT_EQ(before.targets[1], after.targets[1]);
    EXPECT_NE(before.targets[2], after.targets[2]);
    EXPECT_NEAR(before.targets[1], ending == rl::Ending::truncated ? 4.5 : 0, 1e-6);
  }
}

// A learner whose actors played with the weights that it has now.
class VtraceLearners : public testing::Test {
 protected:
  static constexpr int columns = 3;
  static constexpr int steps = 5;

  static nn::NetShape net() {
    nn::NetShape net;
    net.inputs = 3;
    net.hidden = 8;
    net.actions = 3;
    return net;
  }
  static LearningRule rule() {
    LearningRule rule;
    rule.rate = {1e-3, 1e-3};
    rule.frames_total = 1'000'000;
    rule.optimizer.clip = 0;
    return rule;
  }

  VtraceLearners() {
    rollout_.steps = steps;
    envs::Stream random(5, envs::Purpose::weights, 0);
    for (int t = 0; t <= steps; ++t)
      for (int i = 0; i < columns * 3; ++i)
        rollout_.observations(t)[i] = static_cast<float>(random.uniform(-1, 1));
    for (int column = 0; column < columns; ++column) {
      pieces_.push_back({&rollout_, column});
      for (std::size_t t = 0; t < steps; ++t) {
        rollout_.actions(column)[t] = static_cast<std::int32_t>(t % 3);
        rollout_.outcomes(column)[t] = {.reward = random.uniform(-1, 1)};
      }
    }
  }

  // The probabilities of the policy with these weights, and the returns from its values.
  void play_by(const std::vector<float>& weights, double mu_factor) {
    const auto packed = pack(net(), weights);
    const auto network = make_own_network(net(), 1);
    const auto values_of = [&](int t, int column) {
      const auto heads = network->forward(packed, rollout_.observation(t, column), 1);
      std::vector<double> row;
      for (int a = 0; a <= heads.actions; ++a)
        row.push_back(static_cast<double>(heads.data[a * heads.stride]));
      return row;
    };
    for (int column = 0; column < columns; ++column) {
      for (int t = 0; t < steps; ++t) {
        const auto row = values_of(t, column);
        double sum = 0;
        for (int a = 0; a < 3; ++a) sum += std::exp(row[static_cast<std::size_t>(a)]);
        const auto cell = static_cast<std::size_t>(t);
        const auto action = static_cast<std::size_t>(rollout_.actions(column)[cell]);
        rollout_.log_chances(column)[cell] =
            static_cast<float>(row[action] - std::log(sum) + std::log(mu_factor));
      }
      discounted_returns(rollout_.outcomes(column).first(steps), values_of(steps, column).back(),
                         {0.99, 1}, rollout_.returns(column));
    }
    rollout_.hand_over(columns);
  }

  Rollout rollout_{{columns, steps, 3, 0}};
  std::vector<Piece> pieces_;
};

TEST_F(VtraceLearners, on_policy_make_the_update_of_a2c) {
  const auto weights = first_weights(net(), nn::WeightStart::scaled, 1);
  play_by(weights, 1);
  ParameterServer plain(rule(), net(), weights, 2), traced(rule(), net(), weights, 2);
  const auto networks = nn::network_maker(nn::Backend::own).value();
  Learner(net(), 64, networks, plain).serve(pieces_, plain.weights().read().view());
  rollout_.hand_over(columns);
  VtraceLearner(net(), 64, columns, networks, traced, {{0.99, 1}, 1, 1}).serve(pieces_);
  EXPECT_TRUE(rollout_.is_free());
  const auto expected = plain.state().weights, actual = traced.state().weights;
  double moved = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    EXPECT_NEAR(actual[i], expected[i], 1e-6) << i;
    moved = std::max(moved, std::abs(static_cast<double>(expected[i] - weights[i])));
  }
  EXPECT_GT(moved, 1e-4);
}

TEST_F(VtraceLearners, learn_less_from_actions_that_were_likelier_when_they_were_chosen) {
  const auto weights = first_weights(net(), nn::WeightStart::scaled, 1);
  const auto networks = nn::network_maker(nn::Backend::own).value();
  std::vector<double> norms;
  for (const double factor : {1.0, 10.0}) {
    play_by(weights, factor);
    ParameterServer server(rule(), net(), weights, 2);
    VtraceLearner(net(), 64, columns, networks, server, {{0.99, 1}, 1, 1}).serve(pieces_);
    norms.push_back(server.take_meter().gradient_norm);
  }
  EXPECT_LT(norms[1], 0.5 * norms[0]);
}

TEST_F(VtraceLearners, count_the_updates_by_which_a_policy_lags) {
  const auto weights = first_weights(net(), nn::WeightStart::scaled, 1);
  const auto networks = nn::network_maker(nn::Backend::own).value();
  ParameterServer server(rule(), net(), weights, 2);
  VtraceLearner learner(net(), 64, columns, networks, server, {{0.99, 1}, 1, 1});
  play_by(weights, 1);
  for (int t = 0; t < steps; ++t) rollout_.version(t) = server.weights().read().version();
  learner.serve(pieces_);
  EXPECT_EQ(server.take_meter().policy_lag, 0);
  rollout_.hand_over(columns);
  learner.serve(pieces_);
  const auto meter = server.take_meter();
  EXPECT_EQ(meter.policy_lag / static_cast<double>(meter.samples), 1);
}

// Nothing else trains: an actor that only waited would never return.
TEST_F(VtraceLearners, on_the_thread_of_an_actor_train_what_is_queued_until_its_rollout_is_free) {
  const auto weights = first_weights(net(), nn::WeightStart::scaled, 1);
  const auto networks = nn::network_maker(nn::Backend::own).value();
  ParameterServer server(rule(), net(), weights, 2);
  TrainingQueue training({.capacity = columns, .concurrency = 1, .batch_weight_max = steps});
  ActorClient actor(Predictor(net(), columns, networks), server, training,
                    VtraceLearner(net(), 64, columns, networks, server, {{0.99, 1}, 1, 1}));
  play_by(weights, 1);
  actor.train(pieces_, TrainingQueue::Wake::one);
  EXPECT_EQ(server.updates(), 0);
  actor.wait_until_trained(rollout_);
  EXPECT_TRUE(rollout_.is_free());
  EXPECT_EQ(server.updates(), columns);
}

class Impala : public testing::Test, public GivenTrainer {
 protected:
  Impala() : GivenTrainer("impala", 20'000) {}
};

TEST_F(Impala, repeats_and_continues_to_the_byte_where_it_is_deterministic) {
  for (const char* env : {"CartPole-v1", "Pendulum-v1"}) {
    const Params params{word("deterministic", "yes"), word("env", env), count("hidden", 16)};
    SCOPED_TRACE(env);
    expect_repeated_and_continued(params, 4000, 8000);
  }
}

TEST_F(Impala, with_several_actors_plays_every_frame_and_trains_it) {
  for (const char* learner : {"actors", "thread"}) {
    SCOPED_TRACE(learner);
    const auto trainer = made(
        {count("agents", 3), count("slots", 3), count("hidden", 16), word("learner", learner)});
    trainer->advance(12'000, {}, [] {});
    EXPECT_GE(trainer->step(), 12'000);
    EXPECT_LT(trainer->step(), 12'000 + 3 * 8);
    double updates = 0;
    for (const auto& [name, value] : trainer->take_metrics()) {
      EXPECT_TRUE(std::isfinite(value)) << name;
      if (name == "policy_lag") {
        EXPECT_GE(value, 0);
      }
      if (name == "train_batch") updates = static_cast<double>(trainer->step()) / value;
    }
    EXPECT_GE(updates, 12'000.0 / 32);
  }
}

TEST_F(Impala, has_no_actors_that_train_where_they_are_processes) {
  const auto refused = tried({word("processes", "yes"), word("learner", "actors")});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().at, "/learner");
  EXPECT_TRUE(tried({word("processes", "yes"), word("learner", "thread")}).ok());
}

TEST_F(Impala, learns_to_balance) {
  const auto trainer = made({word("deterministic", "yes")});
  trainer->advance(20'000, {}, [] {});
  EXPECT_GT(trainer->value().value(), 40) << "a random player has 22";
}

TEST_F(Impala, refuses_more_actors_where_it_is_deterministic) {
  for (const char* name : {"agents", "slots"}) {
    const auto refused = tried({word("deterministic", "yes"), count(name, 2)});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().at, "/deterministic");
  }
}

TEST_F(Impala, refuses_files_of_other_trainers) {
  auto settings = Settings::resolve(*find_trainer("a2c"), {}, {});
  const auto a2c = trainers::find_trainer_row("a2c")->make({*std::move(settings), 1, 1000}).value();
  ASSERT_TRUE(a2c->save(path_).ok());
  EXPECT_FALSE(made({})->load(path_).ok());
}

}  // namespace
}  // namespace hone::ac
