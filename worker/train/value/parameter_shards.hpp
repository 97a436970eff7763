// The parameter server of Gorila (Nair et al., 2015): the parameters in shards, of which each has
// its own optimizer, lock and count of updates, as if it were a separate machine. A shard drops its
// part of a gradient that was computed from parameters too many updates ago. Thread-safe, unless it
// says otherwise.
//
// All of it is in memory that processes may share: those of the nodes apply their gradients
// themselves. One that is killed meanwhile leaves a shard with a part of a step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "worker/train/ipc/shared_mutex.hpp"
#include "worker/train/nn/network.hpp"
#include "worker/train/nn/optimizer.hpp"

namespace hone::q {

struct ShardRule {
  nn::OptimizerRule optimizer;  // its clip is not used: learners bound whole gradients
  int shards = 4;
  std::int64_t staleness = 20;  // the most updates between the parameters of a gradient and its use
};

class ParameterShards {
 public:
  // Of the memory of shards with this rule.
  static std::size_t bytes(const ShardRule& rule, const nn::NetShape& shape);
  // memory: bytes() of them, which begin() has filled in this or another process, or will fill.
  ParameterShards(const ShardRule& rule, const nn::NetShape& shape, std::span<std::byte> memory);
  // Fills the memory before any other use of it. weights: in the order of the model file
  // (net_parts()).
  void begin(std::span<const float> weights);

  [[nodiscard]] std::size_t size() const { return size_; }  // floats, as the kernels take them
  [[nodiscard]] std::size_t count() const { return shards_.size(); }

  // Copies the parameters, and the updates that each shard had made of them: count() numbers.
  void pull(std::span<float> weights, std::span<std::int64_t> versions) const;

  struct Pushed {
    int applied = 0;  // shards
    int stale = 0;
    std::int64_t age = 0;  // sum over the shards that applied it
    bool finite = true;    // false: the run has diverged
  };
  // versions: from the pull() of the parameters of which this is the gradient.
  Pushed push(std::span<const float> gradient, std::span<const std::int64_t> versions, double rate);

  // Updates of the first shard: target networks follow it.
  [[nodiscard]] std::int64_t updates() const;

  // Vectors in the order of the model file. Not to be called while learners run.
  struct State {
    std::vector<float> weights, mean_square;
    std::vector<float> mean;  // empty, unless the optimizer has one
    std::int64_t updates = 0;
  };
  [[nodiscard]] State state() const;
  // Precondition: the state is of the same network and optimizer.
  void restore(const State& state);

 private:
  struct Head {
    ipc::SharedMutex mutex;
    std::int64_t updates = 0;
  };
  // A place in the memory.
  struct Shard {
    std::size_t begin = 0;
    Head* head = nullptr;
    nn::OptimizerVectors vectors{};
  };

  ShardRule rule_;
  nn::NetShape shape_;
  std::size_t size_;
  std::vector<Shard> shards_;
};

}  // namespace hone::q
