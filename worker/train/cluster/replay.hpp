// The experience replay of the trainer `harmony`: a queue of decisions over the last intervals.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "base/rng.hpp"
#include "schemas/codec/json.hpp"
#include "server/cluster/harmony/harmony.hpp"

namespace hone::trainers {

// One inference, with the reward of the interval in which it was made.
struct Experience {
  std::vector<std::vector<double>> inputs;  // of the open actions
  std::size_t chosen = 0;
  double probability = 1;     // of the choice, under what chose
  std::vector<double> state;  // input of the value network
  double reward = 0;
};

class PlacementReplay {
 public:
  explicit PlacementReplay(std::size_t capacity) : capacity_(capacity) {}

  // Drops the oldest beyond the capacity.
  void add(Experience experience);
  void clear() { items_.clear(); }
  [[nodiscard]] std::size_t size() const { return items_.size(); }
  // Uniform. Precondition: not empty.
  [[nodiscard]] const Experience& draw(Rng& rng) const { return items_[rng.below(items_.size())]; }

  [[nodiscard]] Json state() const;
  // False for a damaged state and for inputs of other sizes.
  [[nodiscard]] bool restore(const Json& state, std::size_t action_inputs,
                             std::size_t value_inputs);

 private:
  std::size_t capacity_;
  std::deque<Experience> items_;
};

}  // namespace hone::trainers
