// Functional analysis of variance of a regression tree (Hutter, Hoos and Leyton-Brown, 2014): the
// variance over the whole space that each axis explains, and that each pair explains beyond its two
// axes. Exact, because a tree is constant on boxes.
#pragma once

#include <vector>

#include "server/search/importance/forest.hpp"

namespace hone {

class TreeVariance {
 public:
  TreeVariance(const Tree& tree, const std::vector<Axis>& axes);

  [[nodiscard]] double total() const { return total_; }
  // The variance that the axis explains alone.
  [[nodiscard]] double main(std::size_t axis) const { return mains_[axis]; }
  // The variance that the two explain together, beyond what each explains alone.
  [[nodiscard]] double interaction(std::size_t one, std::size_t other) const;

 private:
  struct Range {  // of cells
    std::size_t first = 0, last = 0;
  };
  struct Leaf {
    std::vector<std::vector<Range>> sides;  // by axis: the cells that the box spans
    std::vector<double> masses;             // by axis: the probability of those cells
    double value = 0;
  };
  struct Bounds;

  void cut_axes(const Tree& tree);
  void visit(const Tree& tree, std::size_t node, Bounds& bounds);
  void add_leaf(double value, const Bounds& bounds);
  [[nodiscard]] std::vector<Range> ranges(std::size_t axis, const Bounds& bounds) const;
  // The leaf's value times the probability that all axes but these two lie in its box.
  [[nodiscard]] double rest(const Leaf& leaf, std::size_t one, std::size_t other) const;
  [[nodiscard]] double main_variance(std::size_t axis) const;

  const std::vector<Axis>& axes_;
  std::vector<std::vector<double>> edges_;   // numeric: 0 and the cuts, ascending
  std::vector<std::vector<double>> masses_;  // of the cells of each axis
  std::vector<Leaf> leaves_;
  double mean_ = 0;
  double total_ = 0;
  std::vector<double> mains_;
};

}  // namespace hone
