// Steps of a group of environments, which an agent hands to the trainers. The agent uses the buffer
// again after everything in it is trained.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "worker/train/rl/returns.hpp"

namespace hone::ac {

struct RolloutShape {
  int columns = 1;  // environments
  int steps_max = 1;
  int row_floats = 1;  // floats of an observation
  int numbers = 0;     // numbers of a continuous action; 0: actions are discrete
};

class Rollout {
 public:
  explicit Rollout(const RolloutShape& shape)
      : shape_(shape),
        observations_(size(shape.columns) * size(shape.steps_max + 1) * size(shape.row_floats)),
        actions_(cells()),
        numbers_(cells() * size(shape.numbers)),
        steps_(cells()),
        returns_(cells()),
        advantages_(cells()),
        log_chances_(cells()),
        versions_(size(shape.steps_max)) {}

  [[nodiscard]] const RolloutShape& shape() const { return shape_; }

  int steps = 0;  // filled so far

  // Observations at step t, [columns][row_floats]; at `steps`: those after the last step.
  float* observations(int t) {
    return observations_.data() + size(t) * size(shape_.columns) * size(shape_.row_floats);
  }
  const float* observation(int t, int column) const {
    const auto row = size(t) * size(shape_.columns) + size(column);
    return observations_.data() + row * size(shape_.row_floats);
  }
  // Version of the weights that chose the actions of step t.
  std::uint64_t& version(int t) { return versions_[size(t)]; }

  // The rest is stored column by column: a span has one element for each step.
  std::span<std::int32_t> actions(int column) { return of(actions_, column); }
  // The continuous action of step t.
  std::span<float> numbers(int t, int column) {
    const auto cell = size(column) * size(shape_.steps_max) + size(t);
    return std::span(numbers_).subspan(cell * size(shape_.numbers), size(shape_.numbers));
  }
  std::span<rl::Step> outcomes(int column) { return of(steps_, column); }
  std::span<float> returns(int column) { return of(returns_, column); }

  // Returns minus the values predicted while playing, and the logarithms of the probabilities of
  // the chosen actions. Filled only if AgentRule::bounded.
  std::span<float> advantages(int column) { return of(advantages_, column); }
  std::span<float> log_chances(int column) { return of(log_chances_, column); }

  // The agent calls hand_over() and may write again when is_free(). Trainers call piece_trained()
  // once for each piece.
  void hand_over(int pieces) { pending_.store(pieces, std::memory_order_release); }
  void piece_trained() {
    if (pending_.fetch_sub(1, std::memory_order_acq_rel) == 1) pending_.notify_all();
  }
  [[nodiscard]] bool is_free() const { return pending_.load(std::memory_order_acquire) == 0; }
  void wait_until_free() const {
    for (int left; (left = pending_.load(std::memory_order_acquire)) != 0;) pending_.wait(left);
  }

 private:
  static std::size_t size(int n) { return static_cast<std::size_t>(n); }
  [[nodiscard]] std::size_t cells() const { return size(shape_.columns) * size(shape_.steps_max); }
  template <class T>
  std::span<T> of(std::vector<T>& cells, int column) {
    const auto start = size(column) * size(shape_.steps_max);
    return std::span(cells).subspan(start, size(shape_.steps_max));
  }

  RolloutShape shape_;
  std::vector<float> observations_;
  std::vector<std::int32_t> actions_;
  std::vector<float> numbers_;
  std::vector<rl::Step> steps_;
  std::vector<float> returns_;
  std::vector<float> advantages_, log_chances_;
  std::vector<std::uint64_t> versions_;
  std::atomic<int> pending_{0};
};

// The steps of one environment: an item of the training queue.
struct Piece {
  Rollout* rollout = nullptr;
  int column = 0;
};

inline int weight_of(const Piece& piece) { return piece.rollout->steps; }

}  // namespace hone::ac
