#include "worker/train/value/parameter_shards.hpp"

#include <algorithm>
#include <cmath>

namespace hone::dqn {
namespace {

dense::Floats slice_of(const dense::Floats& packed, std::size_t begin, std::size_t size) {
  const auto from = packed.begin() + static_cast<std::ptrdiff_t>(begin);
  return {from, from + static_cast<std::ptrdiff_t>(size)};
}

void put(std::span<const float> slice, std::size_t begin, std::span<float> packed) {
  std::copy(slice.begin(), slice.end(), packed.begin() + static_cast<std::ptrdiff_t>(begin));
}

}  // namespace

ParameterShards::ParameterShards(const ShardRule& rule, const ga3c::NetShape& shape,
                                 std::span<const float> weights)
    : rule_(rule), shape_(shape) {
  rule_.optimizer.clip = 0;
  const auto packed = ga3c::pack(shape, weights);
  const auto ones = ga3c::pack(shape, std::vector<float>(weights.size(), 1.0F));
  size_ = packed.size();
  // Each shard has whole cache lines, as the kernels need them.
  const auto lines = size_ / dense::line_floats;
  const auto shards = std::min(static_cast<std::size_t>(rule.shards), lines);
  for (std::size_t i = 0; i < shards; ++i) {
    const auto begin = i * lines / shards * dense::line_floats;
    const auto end = (i + 1) * lines / shards * dense::line_floats;
    shards_.emplace_back(begin, slice_of(packed, begin, end - begin),
                         ga3c::Optimizer(rule_.optimizer, slice_of(ones, begin, end - begin)));
  }
}

void ParameterShards::pull(std::span<float> weights, std::span<std::int64_t> versions) const {
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    const auto& shard = shards_[i];
    const std::scoped_lock lock(shard.mutex);
    put(shard.parameters, shard.begin, weights);
    versions[i] = shard.updates;
  }
}

ParameterShards::Pushed ParameterShards::push(std::span<const float> gradient,
                                              std::span<const std::int64_t> versions, double rate) {
  Pushed pushed;
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    auto& shard = shards_[i];
    const std::scoped_lock lock(shard.mutex);
    const auto age = shard.updates - versions[i];
    if (age > rule_.staleness) {
      ++pushed.stale;
      continue;
    }
    const double norm = shard.optimizer.step(
        shard.parameters, gradient.subspan(shard.begin, shard.parameters.size()), rate);
    pushed.finite = pushed.finite && std::isfinite(norm);
    ++shard.updates;
    ++pushed.applied;
    pushed.age += age;
  }
  return pushed;
}

std::int64_t ParameterShards::updates() const {
  const std::scoped_lock lock(shards_.front().mutex);
  return shards_.front().updates;
}

ParameterShards::State ParameterShards::state() const {
  dense::Floats weights(size_), mean_square(size_), mean(size_);
  for (const auto& shard : shards_) {
    put(shard.parameters, shard.begin, weights);
    put(shard.optimizer.state().mean_square, shard.begin, mean_square);
    put(shard.optimizer.state().mean, shard.begin, mean);
  }
  State state{ga3c::unpack(shape_, weights), ga3c::unpack(shape_, mean_square), {}, updates()};
  if (!shards_.front().optimizer.state().mean.empty()) state.mean = ga3c::unpack(shape_, mean);
  return state;
}

void ParameterShards::restore(const State& state) {
  const auto weights = ga3c::pack(shape_, state.weights);
  const auto mean_square = ga3c::pack(shape_, state.mean_square);
  const auto mean = state.mean.empty() ? dense::Floats() : ga3c::pack(shape_, state.mean);
  for (auto& shard : shards_) {
    const auto size = shard.parameters.size();
    shard.parameters = slice_of(weights, shard.begin, size);
    ga3c::Optimizer::State optimizer{{}, slice_of(mean_square, shard.begin, size), state.updates};
    if (!mean.empty()) optimizer.mean = slice_of(mean, shard.begin, size);
    shard.optimizer.restore(std::move(optimizer));
    shard.updates = state.updates;
  }
}

}  // namespace hone::dqn
