#include "server/search/importance/importance.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "server/search/importance/fanova.hpp"

namespace hone {
namespace {

constexpr std::size_t trees_grown = 64;
constexpr std::size_t paired_dimensions = 6;  // the most important ones, in all pairs
constexpr std::size_t leaves_max = 128;       // approximate; bounds the cost of a tree
constexpr int prior_draws = 2000;             // to estimate how often a dimension is inactive

std::vector<Axis> axes_of(const SearchSpace& space, Rng& rng) {
  const auto dimensions = space.dimensions();
  std::vector<double> inactive_share(dimensions.size());
  if (!space.unconditional())
    for (int i = 0; i < prior_draws; ++i) {
      const Point point = space.uniform_point(rng);
      for (std::size_t d = 0; d < point.size(); ++d)
        if (std::isnan(point[d])) inactive_share[d] += 1.0 / prior_draws;
    }
  std::vector<Axis> axes(dimensions.size());
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    const Dimension& dimension = dimensions[d];
    axes[d].absence = inactive_share[d];
    if (dimension.kind != Dimension::Kind::choice) continue;
    const auto levels = static_cast<std::size_t>(dimension.levels);
    axes[d].categories.assign(levels, (1 - inactive_share[d]) / static_cast<double>(levels));
    for (std::size_t k = 0; k < dimension.weights.size(); ++k)
      axes[d].categories[k] = (1 - inactive_share[d]) * dimension.weights[k];
    axes[d].categories.push_back(inactive_share[d]);
  }
  return axes;
}

TrialTable table_of(const SearchSpace& space, std::span<const Observation> observations, Rng& rng) {
  TrialTable table{axes_of(space, rng), {}, {}};
  table.columns.resize(table.axes.size());
  const std::size_t count = std::min(observations.size(), importance_trials_max);
  for (std::size_t i = 0; i < count; ++i) {
    const Observation& one = observations[i * observations.size() / count];
    table.values.push_back(one.value);
    for (std::size_t d = 0; d < table.axes.size(); ++d) {
      const auto& categories = table.axes[d].categories;
      const double without =
          categories.empty() ? absent : static_cast<double>(categories.size() - 1);
      table.columns[d].push_back(std::isnan(one.point[d]) ? without : one.point[d]);
    }
  }
  return table;
}

// Out-of-bag predictions: for each row, the mean over the trees that were not grown on it.
class OutOfBag {
 public:
  explicit OutOfBag(const TrialTable& table)
      : table_(table), sums_(table.values.size()), counts_(table.values.size()) {}

  void add(const Tree& tree) {
    for (std::size_t row = 0; row < sums_.size(); ++row) {
      if (tree.bootstrap[row]) continue;
      sums_[row] += predict(tree, table_, row);
      ++counts_[row];
    }
  }

  [[nodiscard]] double explained() const {
    double mean = 0, seen = 0;
    for (std::size_t row = 0; row < sums_.size(); ++row)
      if (counts_[row] > 0) {
        mean += table_.values[row];
        ++seen;
      }
    mean /= std::max(1.0, seen);
    double off = 0, all = 0;
    for (std::size_t row = 0; row < sums_.size(); ++row) {
      if (counts_[row] == 0) continue;
      const double value = table_.values[row];
      const double miss = value - sums_[row] / counts_[row];
      off += miss * miss;
      all += (value - mean) * (value - mean);
    }
    return all > 0 ? 1 - off / all : 0;
  }

 private:
  const TrialTable& table_;
  std::vector<double> sums_;
  std::vector<double> counts_;
};

Effect effect_of(std::vector<std::size_t> dimensions, std::span<const double> shares) {
  Effect effect{std::move(dimensions), 0, 0};
  const auto count = static_cast<double>(shares.size());
  for (const double share : shares) effect.share += share / count;
  for (const double share : shares)
    effect.deviation += (share - effect.share) * (share - effect.share);
  effect.deviation = std::sqrt(effect.deviation / std::max(1.0, count - 1));
  return effect;
}

void sort_by_share(std::vector<Effect>& effects) {
  std::stable_sort(effects.begin(), effects.end(),
                   [](const Effect& a, const Effect& b) { return a.share > b.share; });
}

std::vector<Effect> main_effects(std::span<const TreeVariance> trees, std::size_t dimensions) {
  std::vector<Effect> effects;
  std::vector<double> shares(trees.size());
  for (std::size_t d = 0; d < dimensions; ++d) {
    for (std::size_t t = 0; t < trees.size(); ++t) shares[t] = trees[t].main(d) / trees[t].total();
    effects.push_back(effect_of({d}, shares));
  }
  sort_by_share(effects);
  return effects;
}

std::vector<Effect> pair_effects(std::span<const TreeVariance> trees,
                                 std::span<const Effect> mains) {
  std::vector<Effect> effects;
  std::vector<double> shares(trees.size());
  const std::size_t count = std::min(mains.size(), paired_dimensions);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = i + 1; j < count; ++j) {
      const std::size_t one = mains[i].dimensions[0], other = mains[j].dimensions[0];
      for (std::size_t t = 0; t < trees.size(); ++t)
        shares[t] = trees[t].interaction(one, other) / trees[t].total();
      effects.push_back(effect_of({one, other}, shares));
    }
  sort_by_share(effects);
  return effects;
}

}  // namespace

Result<Importance> measure_importance(const SearchSpace& space,
                                      std::span<const Observation> observations,
                                      std::uint64_t seed) {
  if (observations.size() < importance_trials_min)
    return refuse(Code::conflict, "importance needs at least " +
                                      std::to_string(importance_trials_min) +
                                      " trials with a finite value at the phase where they "
                                      "are compared, the last one that half of them reached; "
                                      "there are " +
                                      std::to_string(observations.size()));
  if (space.dimensions().empty())
    return refuse(Code::conflict, "no parameter of this sweep varies: none can be important");
  Rng rng(seed, Purpose::importance, 0);
  const TrialTable table = table_of(space, observations, rng);
  const std::size_t leaf_rows = std::max<std::size_t>(2, table.values.size() / leaves_max);
  Importance result;
  OutOfBag unseen(table);
  std::vector<TreeVariance> trees;
  for (std::size_t t = 0; t < trees_grown; ++t) {
    Rng own(seed, Purpose::importance, t + 1);
    const Tree tree = grow_tree(table, leaf_rows, own);
    unseen.add(tree);
    TreeVariance variance(tree, table.axes);
    if (variance.total() > 0) trees.push_back(std::move(variance));
  }
  if (trees.empty())
    return refuse(Code::conflict,
                  "the completed trials all have about the same value: no parameter made a "
                  "difference that can be measured");
  result.effects = main_effects(trees, table.axes.size());
  const auto pairs = pair_effects(trees, result.effects);
  result.effects.insert(result.effects.end(), pairs.begin(), pairs.end());
  result.explained = unseen.explained();
  result.trees = trees.size();
  result.trials = table.values.size();
  return result;
}

}  // namespace hone
