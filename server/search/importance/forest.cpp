#include "server/search/importance/forest.hpp"

#include <algorithm>
#include <numeric>
#include <span>

namespace hone {
namespace {

// Each node looks at this share of the axes, which sets the trees apart from each other.
constexpr double axes_looked_at = 5.0 / 6;

struct Split {
  double gain = 0;  // of the sum of squared means; 0: there is none
  std::size_t axis = 0;
  double below = 0, above = 0;     // numeric: the neighbours that the cut parts
  std::vector<std::uint8_t> left;  // categorical
};

struct Ordered {
  double key = 0;
  double value = 0;
};

class Grower {
 public:
  Grower(const Sheet& sheet, std::size_t leaf_rows, Rng& rng)
      : sheet_(sheet), leaf_rows_(leaf_rows), rng_(rng) {}

  Tree grow() {
    const std::size_t count = sheet_.values.size();
    tree_.bootstrap.resize(count);
    std::vector<std::size_t> rows(count);
    for (std::size_t& row : rows) {
      row = static_cast<std::size_t>(rng_.below(count));
      tree_.bootstrap[row] = true;
    }
    tree_.nodes.emplace_back();
    part(0, rows);
    return std::move(tree_);
  }

 private:
  // Makes the node the leaf of these rows, or parts them among two children.
  void part(std::size_t node, std::span<std::size_t> rows) {
    double sum = 0;
    for (const std::size_t row : rows) sum += sheet_.values[row];
    tree_.nodes[node].value = sum / static_cast<double>(rows.size());
    if (rows.size() < 2 * leaf_rows_) return;
    const Split split = best_split(rows);
    if (split.gain <= 0) return;
    become(tree_.nodes[node], split);
    const Axis& axis = sheet_.axes[split.axis];
    const auto& column = sheet_.columns[split.axis];
    const auto middle = std::stable_partition(rows.begin(), rows.end(), [&](std::size_t row) {
      return goes_left(tree_.nodes[node], axis, column[row]);
    });
    const auto left = static_cast<std::size_t>(middle - rows.begin());
    const auto children = static_cast<std::uint32_t>(tree_.nodes.size());
    tree_.nodes[node].children = children;
    tree_.nodes.resize(children + 2);
    part(children, rows.first(left));
    part(children + 1, rows.subspan(left));
  }

  // A cut lies anywhere between the neighbours it parts: over many trees, a step becomes a slope.
  void become(Node& node, const Split& split) {
    node.axis = split.axis;
    node.left = split.left;
    if (!split.left.empty()) return;
    node.cut = split.below == absent ? 0 : rng_.uniform(split.below, split.above);
    if (node.cut <= split.below) node.cut = split.above;
  }

  Split best_split(std::span<const std::size_t> rows) {
    Split best;
    const std::size_t count = sheet_.axes.size();
    std::vector<std::size_t> axes(count);
    std::iota(axes.begin(), axes.end(), std::size_t{0});
    const auto looked_at = std::max<std::size_t>(
        1, static_cast<std::size_t>(axes_looked_at * static_cast<double>(count) + 0.999));
    for (std::size_t i = 0; i < looked_at; ++i) {
      std::swap(axes[i], axes[i + static_cast<std::size_t>(rng_.below(count - i))]);
      if (sheet_.axes[axes[i]].categories.empty())
        try_cuts(axes[i], rows, best);
      else
        try_categories(axes[i], rows, best);
    }
    return best;
  }

  // The place in `ordered_` before which to part the rows, and what it gains; 0 for none.
  std::size_t best_place(double& gain) const {
    double total = 0;
    for (const Ordered& one : ordered_) total += one.value;
    const std::size_t count = ordered_.size();
    const double whole = total * total / static_cast<double>(count);
    double left = 0;
    std::size_t place = 0;
    for (std::size_t i = 1; i < count; ++i) {
      left += ordered_[i - 1].value;
      if (i < leaf_rows_ || count - i < leaf_rows_ || ordered_[i - 1].key == ordered_[i].key)
        continue;
      const double right = total - left;
      const double here = left * left / static_cast<double>(i) +
                          right * right / static_cast<double>(count - i) - whole;
      if (here <= gain) continue;
      gain = here;
      place = i;
    }
    return place;
  }

  void order() {
    std::stable_sort(ordered_.begin(), ordered_.end(),
                     [](const Ordered& a, const Ordered& b) { return a.key < b.key; });
  }

  void try_cuts(std::size_t axis, std::span<const std::size_t> rows, Split& best) {
    ordered_.clear();
    for (const std::size_t row : rows)
      ordered_.push_back({sheet_.columns[axis][row], sheet_.values[row]});
    order();
    if (const std::size_t place = best_place(best.gain))
      best = {best.gain, axis, ordered_[place - 1].key, ordered_[place].key, {}};
  }

  // For squared error, the best parting of categories is one of those in the order of their means
  // (Breiman et al., 1984, section 4.2.2).
  void try_categories(std::size_t axis, std::span<const std::size_t> rows, Split& best) {
    const std::size_t count = sheet_.axes[axis].categories.size();
    std::vector<double> sums(count), sizes(count), ranks(count);
    for (const std::size_t row : rows) {
      const auto category = static_cast<std::size_t>(sheet_.columns[axis][row]);
      sums[category] += sheet_.values[row];
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
          {ranks[static_cast<std::size_t>(sheet_.columns[axis][row])], sheet_.values[row]});
    order();
    const std::size_t place = best_place(best.gain);
    if (place == 0) return;
    // A category that none of these rows has goes with the larger part.
    const bool unseen_left = 2 * place > rows.size();
    best = {best.gain, axis, 0, 0, std::vector<std::uint8_t>(count)};
    for (std::size_t c = 0; c < count; ++c) {
      const bool left = sizes[c] > 0 ? ranks[c] < ordered_[place].key : unseen_left;
      best.left[c] = left ? 1 : 0;
    }
  }

  const Sheet& sheet_;
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

Tree grow_tree(const Sheet& sheet, std::size_t leaf_rows, Rng& rng) {
  return Grower(sheet, leaf_rows, rng).grow();
}

double predict(const Tree& tree, const Sheet& sheet, std::size_t row) {
  std::size_t at = 0;
  while (tree.nodes[at].children != 0) {
    const Node& node = tree.nodes[at];
    const bool left = goes_left(node, sheet.axes[node.axis], sheet.columns[node.axis][row]);
    at = node.children + (left ? 0 : 1);
  }
  return tree.nodes[at].value;
}

}  // namespace hone
