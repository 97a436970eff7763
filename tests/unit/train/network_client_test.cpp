// The client of GA3C's queues, served by other threads or by itself.
#include "worker/train/actor_critic/serving/network_client.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace hone::ac {
namespace {

class QueueClients : public testing::Test {
 protected:
  // The networks of a thread that serves the queues.
  ThreadNetworks networks() {
    return {Predictor(shape_, rows, maker_), Learner(shape_, rows, maker_, server_)};
  }

  static constexpr int rows = 8;
  const nn::NetShape shape_{4, 8, 2};
  const nn::NetworkMaker maker_ = nn::own_maker();
  ParameterServer server_{LearningRule{}, shape_, first_weights(shape_, nn::WeightStart::scaled, 1),
                          4};
  PredictionQueue predictions_{{.capacity = 4, .concurrency = 0, .batch_weight_max = rows}};
  TrainingQueue training_{{.capacity = 4, .concurrency = 0, .batch_weight_max = rows}};
};

// Its queues are served by other threads alone: it has to wake them, and to wait for them.
TEST_F(QueueClients, without_networks_is_answered_and_trained_by_other_threads) {
  predictions_.add_consumer();
  training_.add_consumer();
  std::jthread predictor([&, own = networks()]() mutable {
    predictions_.consume(
        [&](const auto& batch) { own.predictor.serve(batch, server_.weights().read().view()); });
  });
  std::jthread trainer([&, own = networks()]() mutable {
    training_.consume(
        [&](const auto& batch) { own.learner.serve(batch, server_.weights().read().view()); });
  });

  QueueClient client(predictions_, training_, std::nullopt, server_);
  const std::vector<float> observation{0.1F, -0.2F, 0.05F, 0.3F};
  std::vector<float> policy(2), values(1);
  PredictRequest request;
  request.observations = observation.data();
  request.rows = 1;
  request.policy = policy;
  request.values = values;
  client.predict(request);
  EXPECT_NEAR(policy[0] + policy[1], 1, 1e-5);
  EXPECT_EQ(request.version, 1U);

  Rollout rollout({.columns = 1, .steps_max = 1, .row_floats = 4, .numbers = 0});
  std::copy(observation.begin(), observation.end(), rollout.observations(0));
  rollout.steps = 1;
  rollout.returns(0)[0] = 1;
  rollout.version(0) = request.version;
  rollout.hand_over(1);
  const Piece piece{&rollout, 0};
  client.train({&piece, 1}, TrainingQueue::Wake::none);
  client.wait_until_trained(rollout);
  EXPECT_TRUE(rollout.is_free());
  EXPECT_EQ(server_.updates(), 1);
  predictions_.close();
  training_.close();
}

}  // namespace
}  // namespace hone::ac
