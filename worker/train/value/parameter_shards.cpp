#include "worker/train/value/parameter_shards.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <new>

#include "worker/train/ipc/shared_memory.hpp"

namespace hone::q {
namespace {

// Copies the part of a packed vector that begins there to a shard, or back.
void take(std::span<float> slice, std::size_t begin, std::span<const float> packed) {
  const auto part = packed.subspan(begin, slice.size());
  std::copy(part.begin(), part.end(), slice.begin());
}
void put(std::span<const float> slice, std::size_t begin, std::span<float> packed) {
  std::copy(slice.begin(), slice.end(), packed.begin() + static_cast<std::ptrdiff_t>(begin));
}

}  // namespace

std::size_t ParameterShards::bytes(const ShardRule& rule, const nn::NetShape& shape) {
  const auto size = nn::NetLayout(shape).size;
  ipc::MemoryPlan plan;
  // At most so many shards, and three vectors.
  for (int i = 0; i < rule.shards; ++i) plan.place(sizeof(Head));
  for (int i = 0; i < 3; ++i) plan.place(size * sizeof(float));
  return plan.bytes();
}

ParameterShards::ParameterShards(const ShardRule& rule, const nn::NetShape& shape,
                                 std::span<std::byte> memory)
    : rule_(rule), shape_(shape), size_(nn::NetLayout(shape).size) {
  rule_.optimizer.clip = 0;
  // Each shard has whole cache lines, as the kernels need them.
  const auto lines = size_ / dense::line_floats;
  const auto shards = std::min(static_cast<std::size_t>(rule.shards), lines);
  ipc::MemoryPlan plan;
  const auto place = [&](std::size_t floats) -> std::span<float> {
    return {reinterpret_cast<float*>(memory.data() + plan.place(floats * sizeof(float))), floats};
  };
  for (std::size_t i = 0; i < shards; ++i) {
    const auto first = i * lines / shards * dense::line_floats;
    const auto size = (i + 1) * lines / shards * dense::line_floats - first;
    auto* head = reinterpret_cast<Head*>(memory.data() + plan.place(sizeof(Head)));
    const auto parameters = place(size), mean_square = place(size);
    const auto mean = place(nn::has_mean(rule.optimizer.kind) ? size : 0);
    shards_.push_back({first, head, {parameters, mean, mean_square}});
  }
}

void ParameterShards::begin(std::span<const float> weights) {
  for (const auto& shard : shards_) new (shard.head) Head;
  State first{{weights.begin(), weights.end()}, std::vector<float>(weights.size(), 0.0F), {}, 0};
  if (rule_.optimizer.kind == nn::OptimizerKind::rmsprop)
    std::fill(first.mean_square.begin(), first.mean_square.end(), 1.0F);
  if (nn::has_mean(rule_.optimizer.kind)) first.mean = first.mean_square;
  restore(first);
}

void ParameterShards::pull(std::span<float> weights, std::span<std::int64_t> versions) const {
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    const auto& shard = shards_[i];
    const std::scoped_lock lock(shard.head->mutex);
    put(shard.vectors.parameters, shard.begin, weights);
    versions[i] = shard.head->updates;
  }
}

ParameterShards::Pushed ParameterShards::push(std::span<const float> gradient,
                                              std::span<const std::int64_t> versions, double rate) {
  Pushed pushed;
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    const auto& [first, head, vectors] = shards_[i];
    const std::scoped_lock lock(head->mutex);
    const auto age = head->updates - versions[i];
    if (age > rule_.staleness) {
      ++pushed.stale;
      continue;
    }
    const auto part = gradient.subspan(first, vectors.parameters.size());
    const double norm = nn::optimizer_step(rule_.optimizer, vectors, part, rate, head->updates);
    pushed.finite = pushed.finite && std::isfinite(norm);
    ++pushed.applied;
    pushed.age += age;
  }
  return pushed;
}

std::int64_t ParameterShards::updates() const {
  auto& head = *shards_.front().head;
  const std::scoped_lock lock(head.mutex);
  return head.updates;
}

ParameterShards::State ParameterShards::state() const {
  dense::Floats weights(size_), mean_square(size_), mean(size_);
  for (const auto& shard : shards_) {
    put(shard.vectors.parameters, shard.begin, weights);
    put(shard.vectors.mean_square, shard.begin, mean_square);
    put(shard.vectors.mean, shard.begin, mean);
  }
  State state{nn::unpack(shape_, weights), nn::unpack(shape_, mean_square), {}, updates()};
  if (nn::has_mean(rule_.optimizer.kind)) state.mean = nn::unpack(shape_, mean);
  return state;
}

void ParameterShards::restore(const State& state) {
  const auto weights = nn::pack(shape_, state.weights);
  const auto mean_square = nn::pack(shape_, state.mean_square);
  const auto mean = state.mean.empty() ? dense::Floats() : nn::pack(shape_, state.mean);
  for (const auto& shard : shards_) {
    take(shard.vectors.parameters, shard.begin, weights);
    take(shard.vectors.mean_square, shard.begin, mean_square);
    if (!mean.empty()) take(shard.vectors.mean, shard.begin, mean);
    shard.head->updates = state.updates;
  }
}

}  // namespace hone::q
