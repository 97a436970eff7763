// Turns queued roll-outs into updates of the weights.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "worker/trainers/ga3c/desk.hpp"
#include "worker/trainers/ga3c/loss.hpp"
#include "worker/trainers/ga3c/network.hpp"
#include "worker/trainers/ga3c/optimizer.hpp"
#include "worker/trainers/ga3c/rollout.hpp"
#include "worker/trainers/ga3c/weights.hpp"

namespace hone::ga3c {

using TrainingDesk = Desk<Piece>;

// Sums since they were last taken.
struct LearningMeter {
  std::int64_t updates = 0;
  std::int64_t samples = 0;
  LossTerms loss;            // sums over samples
  double gradient_norm = 0;  // sum over updates
  double policy_lag =
      0;  // sum over samples: updates between choosing an action and learning from it
};

struct LearningRule {
  LossWeights loss;
  RmsPropRule optimizer;
  bool mean_loss = true;     // else the sum over the batch, as published
  double rate_start = 1e-3;  // annealed linearly over frames_total
  double rate_end = 0;
  std::int64_t frames_total = 1;
};

// What all learners share: the weights that count, the optimizer, the annealing.
class Master {
 public:
  Master(const LearningRule& rule, std::vector<float> weights, int readers_max);

  // Applies one gradient and publishes the new weights. A gradient that is not finite changes
  // nothing and marks the run as diverged.
  void apply(std::span<const float> gradient, const LearningMeter& batch);

  [[nodiscard]] WeightBoard& weights() { return board_; }
  [[nodiscard]] const LearningRule& rule() const { return rule_; }
  [[nodiscard]] bool diverged() const { return diverged_.load(std::memory_order_relaxed); }
  LearningMeter take_meter();

  // For checkpoints, while nobody learns.
  struct State {
    std::vector<float> weights;
    std::vector<float> mean_square;
    std::int64_t frames = 0;  // trained on: the annealing's position
    std::int64_t updates = 0;
  };
  [[nodiscard]] State state() const;
  // Precondition: of the same network.
  void restore(const State& state);

 private:
  [[nodiscard]] double rate() const;

  const LearningRule rule_;
  std::mutex mutex_;
  std::vector<float> master_;
  RmsProp optimizer_;
  std::int64_t frames_ = 0;
  std::int64_t updates_ = 0;
  LearningMeter meter_;
  std::atomic<bool> diverged_{false};
  WeightBoard board_;
};

// One for each thread that may serve the training queue.
class Learner {
 public:
  Learner(const NetShape& shape, int samples_max, Master& master);

  void serve(std::span<const Piece> pieces);
  [[nodiscard]] bool diverged() const { return master_.diverged(); }

 private:
  void gather(std::span<const Piece> pieces);
  void compute_gradient(LearningMeter& batch);

  NetShape shape_;
  Master& master_;
  std::unique_ptr<Network> network_;
  std::size_t samples_ = 0;
  std::vector<float> observations_;
  std::vector<std::int32_t> actions_;
  std::vector<float> targets_;
  std::vector<std::uint64_t> versions_;
  std::vector<float> output_gradient_;
};

}  // namespace hone::ga3c
