// Weights of a fixed number of leaves, with draws in proportion to them. A node has eight children,
// which are one cache line, and its sum is computed again from them on every change: the sums do
// not drift, and equal leaves give equal sums.
#pragma once

#include <cstddef>
#include <vector>

namespace hone::replay {

class SumTree {
 public:
  // All weights are 0 at first. Precondition: leaves > 0.
  explicit SumTree(std::size_t leaves);

  [[nodiscard]] std::size_t size() const { return leaves_; }
  [[nodiscard]] double total() const { return levels_.back().front(); }
  [[nodiscard]] double at(std::size_t leaf) const { return levels_.front()[leaf]; }
  // Precondition: the weight is finite and not negative.
  void set(std::size_t leaf, double weight);
  // Returns the leaf at which the sum of the weights up to it first exceeds `mass`; the last leaf
  // with a weight if no sum does. Never returns a leaf of weight 0. Precondition: total() > 0.
  [[nodiscard]] std::size_t find(double mass) const;

 private:
  static constexpr std::size_t fan = 8;

  std::size_t leaves_;
  // From the leaves to the root; a level has whole groups of children, the last one has the root.
  std::vector<std::vector<double>> levels_;
};

}  // namespace hone::replay
