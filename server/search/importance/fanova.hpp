// Functional analysis of variance of a regression tree (Hutter, Hoos and Leyton-Brown, 2014): how
// much of its variance over the whole space each axis explains, and each pair beyond its two axes.
// Exact: a tree is constant on boxes.
#pragma once

#include <vector>

#include "server/search/importance/forest.hpp"

namespace hone {

class TreeVariance {
 public:
  TreeVariance(const Tree& tree, const std::vector<Axis>& axes);

  [[nodiscard]] double total() const { return total_; }
  // What the axis explains by itself.
  [[nodiscard]] double main(std::size_t axis) const { return mains_[axis]; }
  // What the two explain together and neither alone.
  [[nodiscard]] double interaction(std::size_t one, std::size_t other) const;

 private:
  struct Range {  // of cells
    std::size_t first = 0, last = 0;
  };
  struct Leaf {
    std::vector<std::vector<Range>> sides;  // of each axis: which of its cells the box spans
    std::vector<double> masses;             // of each axis: how likely they are
    double value = 0;
  };
  struct Bounds;

  void cut_axes(const Tree& tree);
  void visit(const Tree& tree, std::size_t node, Bounds& bounds);
  void add_leaf(double value, const Bounds& bounds);
  [[nodiscard]] std::vector<Range> ranges(std::size_t axis, const Bounds& bounds) const;
  // How likely the other axes are to be in the box.
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
