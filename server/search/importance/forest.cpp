#include "server/search/importance/forest.hpp"

#include <algorithm>
#include <numeric>
#include <span>

namespace hone {
namespace {

// Each node tries this share of the axes, so that the trees differ.
constexpr double axes_tried_share = 5.0 / 6;

struct Split {
  double gain = 0;  // increase of the sum of squared means; 0: no split
  std::size_t axis = 0;
  double below = 0, above = 0;     // numeric: the values next to the cut
  std::vector<std::uint8_t> left;  // categorical
};

struct Ordered {
  double key = 0;
  double value = 0;
};

class TreeGrower {
 public:
  TreeGrower(const TrialTable& table, std::size_t leaf_rows, Rng& rng)
      : table_(table), leaf_rows_(leaf_rows), rng_(rng) {}

  Tree grow() {
    const std::size_t count = table_.values.size();
    tree_.bootstrap.resize(count);
    std::vector<std::size_t> rows(count);
    for (std::size_t& row : rows) {
      row = static_cast<std::size_t>(rng_.below(count));
      tree_.bootstrap[row] = true;
    }
    tree_.nodes.emplace_back();
    grow_node(0, rows);
    return std::move(tree_);
  }

 private:
  // Makes the node a leaf of these rows, or splits them between two children.
  void grow_node(std::size_t node, std::span<std::size_t> rows) {
    double sum = 0;
    for (const std::size_t row : rows) sum += table_.values[row];
    tree_.nodes[node].value = sum / static_cast<double>(rows.size());
    if (rows.size() < 2 * leaf_rows_) return;
    const Split split = best_split(rows);
    if (split.gain <= 0) return;
    apply_split(tree_.nodes[node], split);
    const Axis& axis = table_.axes[split.axis];
    const auto& column = table_.columns[split.axis];
    const auto middle = std::stable_partition(rows.begin(), rows.end(), [&](std::size_t row) {
      return goes_left(tree_.nodes[node], axis, column[row]);
    });
    const auto left = static_cast<std::size_t>(middle - rows.begin());
    const auto children = static_cast<std::uint32_t>(tree_.nodes.size());
    tree_.nodes[node].children = children;
    tree_.nodes.resize(children + 2);
    grow_node(children, rows.first(left));
    grow_node(children + 1, rows.subspan(left));
  }

  // The cut is drawn between the two values: over many trees, a step becomes a slope.
  void apply_split(Node& node, const Split& split) {
    node.axis = split.axis;
    node.left = split.left;
    if (!split.left.empty()) return;
    node.cut = split.below == absent ? 0 : rng_.uniform(split.below, split.above);
    if (node.cut <= split.below) node.cut = split.above;
  }

  Split best_split(std::span<const std::size_t> rows) {
    Split best;
    const std::size_t count = table_.axes.size();
    std::vector<std::size_t> axes(count);
    std::iota(axes.begin(), axes.end(), std::size_t{0});
    const auto tried = std::max<std::size_t>(
        1, static_cast<std::size_t>(axes_tried_share * static_cast<double>(count) + 0.999));
    for (std::size_t i = 0; i < tried; ++i) {
      std::swap(axes[i], axes[i + static_cast<std::size_t>(rng_.below(count - i))]);
      if (table_.axes[axes[i]].categories.empty())
        try_cuts(axes[i], rows, best);
      else
        try_categories(axes[i], rows, best);
    }
    return best;
  }

  // Returns the position in `ordered_` before which to split, or 0 if no split gains more than
  // `gain`.
  std::size_t best_position(double& gain) const {
    double total = 0;
    for (const Ordered& one : ordered_) total += one.value;
    const std::size_t count = ordered_.size();
    const double whole = total * total / static_cast<double>(count);
    double left = 0;
    std::size_t position = 0;
    for (std::size_t i = 1; i < count; ++i) {
      left += ordered_[i - 1].value;
      if (i < leaf_rows_ || count - i < leaf_rows_ || ordered_[i - 1].key == ordered_[i].key)
        continue;
      const double right = total - left;
      const double here = left * left / static_cast<double>(i) +
                          right * right / static_cast<double>(count - i) - whole;
      if (here <= gain) continue;
      gain = here;
      position = i;
    }
    return position;
  }

  void order() {
    std::stable_sort(ordered_.begin(), ordered_.end(),
                     [](const Ordered& a, const Ordered& b) { return a.key < b.key; });
  }

  void try_cuts(std::size_t axis, std::span<const std::size_t> rows, Split& best) {
    ordered_.clear();
    for (const std::size_t row : rows)
      ordered_.push_back({table_.columns[axis][row], table_.values[row]});
    order();
    if (const std::size_t position = best_position(best.gain))
      best = {best.gain, axis, ordered_[position - 1].key, ordered_[position].key, {}};
  }

  // For squared error, the best split of categories is among those in the order of their means
  // (Breiman et al., 1984, section 4.2.2).
  void try_categories(std::size_t axis, std::span<const std::size_t> rows, Split& best) {
    const std::size_t count = table_.axes[axis].categories.size();
    std::vector<double> sums(count), sizes(count), ranks(count);
    for (const std::size_t row : rows) {
      const auto category = static_cast<std::size_t>(table_.columns[axis][row]);
      sums[category] += table_.values[row];
      ++sizes[category];
    }
    std::vector<std::size_t> by_mean;
    for (std::size_t c = 0; c < count; ++c)
      if (sizes[c] > 0) by_mean.push_back(c);
    std::stable_sort(by_mean.begin(), by_mean.end(), [&](std::size_t a, std::size_t b) {
      return sums[a] / sizes[a] < sums[b] / sizes[b];
    });
    for (std::size_t i = 0; i < by_mean.size(); ++i) ranks[by_mean[i]] = static_cast<double>(i);
    ordered_.clear();
    for (const std::size_t row : rows)
      ordered_.push_back(
          {ranks[static_cast<std::size_t>(table_.columns[axis][row])], table_.values[row]});
    order();
    const std::size_t position = best_position(best.gain);
    if (position == 0) return;
    // A category that none of these rows has joins the larger side.
    const bool unseen_left = 2 * position > rows.size();
    best = {best.gain, axis, 0, 0, std::vector<std::uint8_t>(count)};
    for (std::size_t c = 0; c < count; ++c) {
      const bool left = sizes[c] > 0 ? ranks[c] < ordered_[position].key : unseen_left;
      best.left[c] = left ? 1 : 0;
    }
  }

  const TrialTable& table_;
  std::size_t leaf_rows_;
  Rng& rng_;
  Tree tree_;
  std::vector<Ordered> ordered_;
};

}  // namespace

bool goes_left(const Node& node, const Axis& axis, double value) {
  if (axis.categories.empty()) return value < node.cut;
  return node.left[static_cast<std::size_t>(value)] != 0;
}

Tree grow_tree(const TrialTable& table, std::size_t leaf_rows, Rng& rng) {
  return TreeGrower(table, leaf_rows, rng).grow();
}

double predict(const Tree& tree, const TrialTable& table, std::size_t row) {
  std::size_t at = 0;
  while (tree.nodes[at].children != 0) {
    const Node& node = tree.nodes[at];
    const bool left = goes_left(node, table.axes[node.axis], table.columns[node.axis][row]);
    at = node.children + (left ? 0 : 1);
  }
  return tree.nodes[at].value;
}

}  // namespace hone
