#include "server/search/importance/fanova.hpp"

#include <algorithm>
#include <limits>

namespace hone {

// A box: [low, high) for numeric axes, a set of categories for categorical ones.
struct TreeVariance::Bounds {
  std::vector<double> low, high;
  std::vector<std::vector<std::uint8_t>> categories;
};

TreeVariance::TreeVariance(const Tree& tree, const std::vector<Axis>& axes) : axes_(axes) {
  cut_axes(tree);
  constexpr double far = std::numeric_limits<double>::infinity();
  Bounds bounds{std::vector<double>(axes.size(), -far), std::vector<double>(axes.size(), far), {}};
  for (const Axis& axis : axes) bounds.categories.emplace_back(axis.categories.size(), 1);
  visit(tree, 0, bounds);
  for (const Leaf& leaf : leaves_) {
    double mass = 1;
    for (const double side : leaf.masses) mass *= side;
    mean_ += mass * leaf.value;
    total_ += mass * leaf.value * leaf.value;
  }
  total_ = std::max(0.0, total_ - mean_ * mean_);
  for (std::size_t axis = 0; axis < axes.size(); ++axis) mains_.push_back(main_variance(axis));
}

// The first cell of a numeric axis is for absent values.
void TreeVariance::cut_axes(const Tree& tree) {
  edges_.assign(axes_.size(), {0});
  for (const Node& node : tree.nodes)
    if (node.children != 0 && node.left.empty() && node.cut > 0)
      edges_[node.axis].push_back(node.cut);
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    auto& edges = edges_[axis];
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    masses_.push_back(axes_[axis].categories);
    if (!masses_.back().empty()) continue;
    const double absence = axes_[axis].absence;
    masses_.back().push_back(absence);
    for (std::size_t i = 0; i < edges.size(); ++i)
      masses_.back().push_back((1 - absence) *
                               ((i + 1 < edges.size() ? edges[i + 1] : 1) - edges[i]));
  }
}

void TreeVariance::visit(const Tree& tree, std::size_t at, Bounds& bounds) {
  const Node& node = tree.nodes[at];
  if (node.children == 0) return add_leaf(node.value, bounds);
  for (const bool left : {true, false}) {
    Bounds inner = bounds;
    if (!node.left.empty()) {
      auto& categories = inner.categories[node.axis];
      for (std::size_t c = 0; c < categories.size(); ++c)
        if ((node.left[c] != 0) != left) categories[c] = 0;
    } else if (left) {
      inner.high[node.axis] = node.cut;
    } else {
      inner.low[node.axis] = node.cut;
    }
    visit(tree, node.children + (left ? 0 : 1), inner);
  }
}

void TreeVariance::add_leaf(double value, const Bounds& bounds) {
  Leaf leaf;
  leaf.value = value;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    leaf.sides.push_back(ranges(axis, bounds));
    double mass = 0;
    for (const Range& range : leaf.sides.back())
      for (std::size_t cell = range.first; cell < range.last; ++cell) mass += masses_[axis][cell];
    leaf.masses.push_back(mass);
  }
  leaves_.push_back(std::move(leaf));
}

std::vector<TreeVariance::Range> TreeVariance::ranges(std::size_t axis,
                                                      const Bounds& bounds) const {
  const auto& edges = edges_[axis];
  const auto& categories = bounds.categories[axis];
  std::vector<Range> out;
  if (categories.empty()) {
    const auto place = [&](double cut) {  // of the cell that begins there
      return static_cast<std::size_t>(std::lower_bound(edges.begin(), edges.end(), cut) -
                                      edges.begin()) +
             1;
    };
    const double low = bounds.low[axis], high = bounds.high[axis];
    out.push_back({low < 0 ? 0 : place(low), high > 1 ? edges.size() + 1 : place(high)});
    return out;
  }
  for (std::size_t c = 0; c < categories.size(); ++c) {
    if (categories[c] == 0) continue;
    if (out.empty() || out.back().last != c) out.push_back({c, c});
    out.back().last = c + 1;
  }
  return out;
}

double TreeVariance::rest(const Leaf& leaf, std::size_t one, std::size_t other) const {
  double mass = leaf.value;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis)
    if (axis != one && axis != other) mass *= leaf.masses[axis];
  return mass;
}

// Marginals are sums over boxes. Each box adds to the ends of its ranges; running sums complete
// them.
double TreeVariance::main_variance(std::size_t axis) const {
  const auto& masses = masses_[axis];
  std::vector<double> steps(masses.size() + 1);
  for (const Leaf& leaf : leaves_) {
    const double height = rest(leaf, axis, axis);
    for (const Range& range : leaf.sides[axis]) {
      steps[range.first] += height;
      steps[range.last] -= height;
    }
  }
  double height = 0, variance = 0;
  for (std::size_t cell = 0; cell < masses.size(); ++cell) {
    height += steps[cell];
    variance += masses[cell] * (height - mean_) * (height - mean_);
  }
  return variance;
}

double TreeVariance::interaction(std::size_t one, std::size_t other) const {
  const auto& rows = masses_[one];
  const auto& columns = masses_[other];
  const std::size_t width = columns.size() + 1;
  std::vector<double> steps((rows.size() + 1) * width);
  for (const Leaf& leaf : leaves_) {
    const double height = rest(leaf, one, other);
    for (const Range& row : leaf.sides[one])
      for (const Range& column : leaf.sides[other]) {
        steps[row.first * width + column.first] += height;
        steps[row.first * width + column.last] -= height;
        steps[row.last * width + column.first] -= height;
        steps[row.last * width + column.last] += height;
      }
  }
  double variance = 0;
  std::vector<double> heights(columns.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    double along = 0;
    for (std::size_t column = 0; column < columns.size(); ++column) {
      along += steps[row * width + column];
      heights[column] += along;
      const double off = heights[column] - mean_;
      variance += rows[row] * columns[column] * off * off;
    }
  }
  return std::max(0.0, variance - mains_[one] - mains_[other]);
}

}  // namespace hone
