// The trees of a regression forest (Breiman, 2001) over the trials of a sweep, for fANOVA.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rng.hpp"

namespace hone {

// The value of an inactive numeric axis: below [0, 1], so that one cut separates it.
inline constexpr double absent = -1;

struct Axis {
  // The probability of each category of a categorical axis; the last category is "inactive". Empty
  // for a numeric axis, whose values lie in [0, 1] or are `absent`.
  std::vector<double> categories;
  double absence = 0;  // probability that a numeric axis is `absent`
};

// The observed trials: a column for each axis, a row for each trial.
struct TrialTable {
  std::vector<Axis> axes;
  std::vector<std::vector<double>> columns;  // by axis: a value, or the index of a category
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
  std::vector<bool> bootstrap;  // flags the rows that it was grown on
};

// Grows a tree on rows drawn with replacement. A leaf holds at least `leaf_rows` of them.
Tree grow_tree(const TrialTable& table, std::size_t leaf_rows, Rng& rng);

double predict(const Tree& tree, const TrialTable& table, std::size_t row);

// Returns whether a value of the node's axis belongs to the left child.
bool goes_left(const Node& node, const Axis& axis, double value);

}  // namespace hone
