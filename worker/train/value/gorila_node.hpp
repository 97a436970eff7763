// A node of Gorila (Nair et al., 2015) in its bundled mode: an actor, a learner and a replay
// memory. It plays by parameters of the server, computes gradients against its own copy of the
// target network, and sends them to the server. Each node is used by one thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "worker/train/nn/tensor_file.hpp"
#include "worker/train/value/loss_filter.hpp"
#include "worker/train/value/options.hpp"
#include "worker/train/value/player.hpp"
#include "worker/train/value/q_gradient.hpp"
#include "worker/train/value/replay_batch.hpp"

namespace hone::q {

// A gradient, and what the metrics need of it.
struct NodeGradient {
  std::span<const float> gradient;
  std::span<const std::int64_t> versions;  // of the parameters, one for each shard
  double rate = 0;
  double loss = 0, value = 0;  // means of the batch
  double norm = 0;             // before it was bounded; not finite: the run has diverged
  bool outlier = false;        // not to be applied
};

// What a node has of the run: frames to play, and the parameter server.
class GorilaLink {
 public:
  GorilaLink() = default;
  GorilaLink(const GorilaLink&) = delete;
  GorilaLink& operator=(const GorilaLink&) = delete;
  virtual ~GorilaLink() = default;

  // Claims up to steps_max steps of `columns` environments; 0 when the phase is over.
  virtual int claim(int columns, int steps_max) = 0;
  virtual void pull(std::span<float> weights, std::span<std::int64_t> versions) = 0;
  virtual void push(const NodeGradient& gradient) = 0;
  // Counts frames that this node plays. Returns those of all nodes so far: every schedule depends
  // on them and not on those of a node, because nodes differ in speed.
  virtual std::int64_t count(int frames) = 0;
};

// Of the tensors of a node: the first node's have the names of the other trainers of Q-networks.
std::string node_prefix(const char* name, int index);

class GorilaNode {
 public:
  // index: of this node among all. `options` must outlive the object. shards: of the server.
  GorilaNode(const Options& options, std::unique_ptr<envs::VecEnv> env, int index,
             std::size_t shards);

  // Plays and trains until the link grants no more frames.
  void run(GorilaLink& link, rl::EpisodeLog& episodes);

  // Thread-safe: transitions that may be drawn.
  [[nodiscard]] std::size_t replay_size() const { return replay_size_; }

  // Between two calls of run().
  [[nodiscard]] rl::GroupState state() const;
  // The target network, and the replay memory if checkpoints keep it.
  void put_tensors(trainers::TensorFile& file) const;
  // Both return what does not fit to this node, or an empty text. Precondition: nothing was played.
  std::string restore(const rl::GroupState& state);
  std::string take_tensors(const trainers::TensorFile& file);
  // Without tensors: the target network is the parameters of the server, random numbers continue at
  // least after those of so many steps, and training begins as late after them as in a new run.
  void join(GorilaLink& link, std::int64_t steps);

 private:
  void pull(GorilaLink& link);
  void train(GorilaLink& link);
  void learn(GorilaLink& link);
  [[nodiscard]] double done() const;

  const Options& options_;
  int index_;
  std::unique_ptr<replay::Index> transitions_;
  replay::Memory memory_;
  Player player_;
  QGradient q_;
  QOutputs outputs_;
  ReplayBatch batch_;
  LossFilter filter_;
  dense::Floats weights_, target_, gradient_;
  std::vector<std::int64_t> versions_;
  std::atomic<std::size_t> replay_size_{0};

  std::int64_t played_ = 0;  // steps; addresses the random numbers
  std::int64_t age_ = 0;     // frames of all nodes so far
  std::int64_t joined_ = 0;  // of these, those before its memory was new
  std::int64_t draws_ = 0;   // batches; likewise
  std::int64_t due_ = 0;     // frames since the last training
  std::int64_t seen_ = 0;    // updates of the first shard at the last pull
};

}  // namespace hone::q
