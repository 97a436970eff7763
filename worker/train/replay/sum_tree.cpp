#include "worker/train/replay/sum_tree.hpp"

namespace hone::replay {

SumTree::SumTree(std::size_t leaves) : leaves_(leaves) {
  for (auto count = leaves; count > 1; count = (count + fan - 1) / fan)
    levels_.emplace_back((count + fan - 1) / fan * fan, 0.0);
  if (levels_.empty()) levels_.emplace_back(fan, 0.0);  // one leaf
  levels_.emplace_back(1, 0.0);
}

void SumTree::set(std::size_t leaf, double weight) {
  levels_.front()[leaf] = weight;
  for (std::size_t level = 0; level + 1 < levels_.size(); ++level) {
    const double* w = &levels_[level][leaf / fan * fan];
    leaf /= fan;
    levels_[level + 1][leaf] = ((w[0] + w[1]) + (w[2] + w[3])) + ((w[4] + w[5]) + (w[6] + w[7]));
  }
}

std::size_t SumTree::find(double mass) const {
  std::size_t node = 0;
  for (auto level = levels_.size() - 1; level-- > 0;) {
    const auto first = node * fan;
    const double* w = &levels_[level][first];
    node = first;
    // Rounding can leave more mass than the children have: the last one with a weight takes it.
    for (std::size_t child = 0; child < fan; ++child) {
      if (w[child] <= 0) continue;
      node = first + child;
      if (mass < w[child]) break;
      mass -= w[child];
    }
  }
  return node;
}

}  // namespace hone::replay
