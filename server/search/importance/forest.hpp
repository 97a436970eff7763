// A regression forest (Breiman, 2001) over the trials of a sweep: what fANOVA takes apart.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rng.hpp"

namespace hone {

// Where a numeric axis has no value: below all of [0, 1], so that one cut sets it apart.
inline constexpr double absent = -1;

struct Axis {
  // Of a categorical axis: how likely each category is, the last one being "inactive". Empty for a
  // numeric axis, whose values lie in [0, 1] or are `absent`.
  std::vector<double> categories;
  double absence = 0;  // how likely a numeric axis is to be `absent`
};

struct Sheet {
  std::vector<Axis> axes;
  std::vector<std::vector<double>> columns;  // of each axis: a value or the index of a category
  std::vector<double> values;                // of the rows
};

struct Node {
  std::size_t axis = 0;
  double cut = 0;                  // numeric: values below it go left
  std::vector<std::uint8_t> left;  // categorical: 1 for each category that goes left
  std::uint32_t children = 0;      // index of the left one, the right one follows; 0 for a leaf
  double value = 0;                // the mean of its rows
};

struct Tree {
  std::vector<Node> nodes;      // the root first
  std::vector<bool> bootstrap;  // the rows that it was grown on
};

// Grown on rows drawn with replacement. Leaves hold at least `leaf_rows` of them.
Tree grow_tree(const Sheet& sheet, std::size_t leaf_rows, Rng& rng);

double predict(const Tree& tree, const Sheet& sheet, std::size_t row);

// Whether a value of the node's axis goes left.
bool goes_left(const Node& node, const Axis& axis, double value);

}  // namespace hone
