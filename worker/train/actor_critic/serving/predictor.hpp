// Evaluates the network for the requests of agents, a batch at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "worker/train/nn/network.hpp"
#include "worker/train/rl/weights.hpp"

namespace hone::ac {

// A slot of an agent, used again for every request. The agent fills in the input and then leaves
// the whole request alone until it is answered.
class PredictRequest {
 public:
  // Input.
  const float* observations = nullptr;  // [rows][row_floats]
  int rows = 0;
  const float* extra_observations = nullptr;  // states for which only the value is needed
  int extra_rows = 0;

  // Answer. policy: [outputs][rows], the probabilities of the actions, or the means and log
  // deviations of their numbers.
  std::span<float> policy;
  std::span<float> values;        // [rows]
  std::span<float> extra_values;  // [extra_rows]
  std::uint64_t version = 0;      // of the weights that were used

  void ask() { answered_.store(false, std::memory_order_relaxed); }
  void answer() {
    answered_.store(true, std::memory_order_release);
    answered_.notify_one();
  }
  [[nodiscard]] bool answered() const { return answered_.load(std::memory_order_acquire); }
  void wait() const { answered_.wait(false, std::memory_order_acquire); }

 private:
  std::atomic<bool> answered_{true};
};

inline int weight_of(const PredictRequest* request) { return request->rows + request->extra_rows; }

// Each thread that serves requests has its own.
class Predictor {
 public:
  Predictor(const nn::NetShape& shape, int rows_max, const nn::NetworkMaker& networks);

  // Answers all requests with one evaluation. Precondition: they have at most rows_max rows.
  void serve(std::span<PredictRequest* const> requests, const nn::WeightView& weights);

 private:
  const float* gather(std::span<PredictRequest* const> requests);

  nn::NetShape shape_;
  std::unique_ptr<nn::Network> network_;
};

}  // namespace hone::ac
