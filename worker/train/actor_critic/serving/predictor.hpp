// Answers the agents' requests "what would the network do in these states?", a batch at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "worker/train/actor_critic/learning/weights.hpp"
#include "worker/train/nn/network.hpp"

namespace hone::ga3c {

// An agent's slot, used again for every request. The asker fills the upper part and leaves
// everything alone until answered.
class PredictRequest {
 public:
  const float* observations = nullptr;
  int rows = 0;
  const float* extra_observations = nullptr;  // states of which only the value is wanted
  int extra_rows = 0;

  // Of output 0 for every row, of output 1, ...: probabilities of the actions, or means and log
  // deviations of their numbers.
  std::span<float> policy;
  std::span<float> values;        // rows
  std::span<float> extra_values;  // extra_rows
  std::uint64_t version = 0;      // of the weights that answered

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

// One for each thread that may serve.
class Predictor {
 public:
  Predictor(const NetShape& shape, int rows_max, NetworkMaker networks);

  void serve(std::span<PredictRequest* const> requests, const WeightView& weights);

 private:
  const float* gather(std::span<PredictRequest* const> requests);

  NetShape shape_;
  std::unique_ptr<Network> network_;
  dense::Floats observations_;
};

}  // namespace hone::ga3c
