#include "worker/train/replay/index.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "worker/train/replay/rank_index.hpp"
#include "worker/train/replay/sum_tree.hpp"

namespace hone::replay {
namespace {

// The slots in a list without gaps, and the place of each slot in it.
class UniformIndex final : public Index {
 public:
  explicit UniformIndex(std::size_t slots) : places_(slots, absent) {}

  void add(std::size_t slot) override {
    places_[slot] = static_cast<std::uint32_t>(slots_.size());
    slots_.push_back(static_cast<std::uint32_t>(slot));
  }
  void remove(std::size_t slot) override {
    slots_[places_[slot]] = slots_.back();
    places_[slots_.back()] = places_[slot];
    slots_.pop_back();
    places_[slot] = absent;
  }
  void set_error(std::size_t, double) override {}
  [[nodiscard]] bool contains(std::size_t slot) const override { return places_[slot] != absent; }
  [[nodiscard]] std::size_t size() const override { return slots_.size(); }

  void draw(std::span<Draw> out, envs::Stream& random) const override {
    const auto count = static_cast<double>(slots_.size());
    for (auto& draw : out)
      draw = {slots_[static_cast<std::size_t>(random.uniform() * count)], 1 / count};
  }

  [[nodiscard]] std::vector<std::uint64_t> save() const override {
    return {slots_.begin(), slots_.end()};
  }
  bool restore(std::span<const std::uint64_t> words) override {
    for (const auto slot : words) {
      if (slot >= places_.size() || places_[slot] != absent) return false;
      add(slot);
    }
    return true;
  }

 private:
  static constexpr auto absent = std::numeric_limits<std::uint32_t>::max();

  std::vector<std::uint32_t> slots_, places_;
};

class ProportionalIndex final : public Index {
 public:
  ProportionalIndex(const IndexRule& rule, std::size_t slots) : rule_(rule), tree_(slots) {}

  void add(std::size_t slot) override {
    tree_.set(slot, most_);
    ++size_;
  }
  void remove(std::size_t slot) override {
    tree_.set(slot, 0);
    --size_;
  }
  void set_error(std::size_t slot, double error) override {
    const double weight = std::pow(std::abs(error) + rule_.epsilon, rule_.alpha);
    tree_.set(slot, std::max(weight, least));
    most_ = std::max(most_, weight);
  }
  [[nodiscard]] bool contains(std::size_t slot) const override { return tree_.at(slot) > 0; }
  [[nodiscard]] std::size_t size() const override { return size_; }

  void draw(std::span<Draw> out, envs::Stream& random) const override {
    const double part = tree_.total() / static_cast<double>(out.size());
    double start = 0;
    for (auto& draw : out) {
      const auto slot = tree_.find(start + part * random.uniform());
      draw = {slot, tree_.at(slot) / tree_.total()};
      start += part;
    }
  }

  [[nodiscard]] std::vector<std::uint64_t> save() const override {
    std::vector<std::uint64_t> words{std::bit_cast<std::uint64_t>(most_)};
    for (std::size_t slot = 0; slot < tree_.size(); ++slot)
      if (tree_.at(slot) > 0)
        words.insert(words.end(), {slot, std::bit_cast<std::uint64_t>(tree_.at(slot))});
    return words;
  }
  bool restore(std::span<const std::uint64_t> words) override {
    if (words.size() % 2 == 0) return false;
    most_ = std::bit_cast<double>(words.front());
    if (!(most_ >= least && std::isfinite(most_))) return false;
    for (auto pair = words.subspan(1); !pair.empty(); pair = pair.subspan(2), ++size_) {
      const auto weight = std::bit_cast<double>(pair[1]);
      if (pair[0] >= tree_.size() || contains(pair[0]) || !(weight > 0 && weight <= most_))
        return false;
      tree_.set(pair[0], weight);
    }
    return true;
  }

 private:
  // A weight of 0 would mean that the slot is not in the index.
  static constexpr double least = 1e-100;

  IndexRule rule_;
  SumTree tree_;
  double most_ = 1;
  std::size_t size_ = 0;
};

}  // namespace

std::unique_ptr<Index> make_index(const IndexRule& rule, std::size_t slots) {
  switch (rule.priority) {
    case Priority::uniform:
      return std::make_unique<UniformIndex>(slots);
    case Priority::proportional:
      return std::make_unique<ProportionalIndex>(rule, slots);
    case Priority::rank:
      break;
  }
  return std::make_unique<RankIndex>(rule.alpha, slots);
}

void importance_weights(std::span<const Draw> draws, std::size_t count, double beta,
                        std::span<float> out) {
  double least = 1;
  for (const auto& draw : draws) least = std::min(least, draw.probability);
  const double most = std::pow(static_cast<double>(count) * least, -beta);
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const double weight = std::pow(static_cast<double>(count) * draws[i].probability, -beta);
    out[i] = static_cast<float>(weight / most);
  }
}

}  // namespace hone::replay
