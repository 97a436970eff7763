#include "worker/train/rl/weights.hpp"

#include <algorithm>
#include <cassert>

namespace hone::rl {

// One snapshot for each reader, the current one, and one to write to.
WeightBoard::WeightBoard(std::size_t parameters, int readers_max)
    : snapshots_(static_cast<std::size_t>(readers_max) + 2) {
  for (auto& snapshot : snapshots_) snapshot.parameters.resize(parameters);
}

WeightBoard::Reading WeightBoard::read() {
  const std::scoped_lock lock(mutex_);
  ++snapshots_[current_].readers;
  return {*this, current_, version_};
}

WeightBoard::Reading::~Reading() {
  const std::scoped_lock lock(board_.mutex_);
  --board_.snapshots_[snapshot_].readers;
}

std::span<const float> WeightBoard::Reading::parameters() const {
  return board_.snapshots_[snapshot_].parameters;
}

void WeightBoard::publish(std::span<const float> parameters) {
  std::size_t next = 0;
  {
    const std::scoped_lock lock(mutex_);
    while (next < snapshots_.size() && (next == current_ || snapshots_[next].readers > 0)) ++next;
    assert(next < snapshots_.size());
  }
  // No reader has it, and none can get it before it is current.
  std::copy(parameters.begin(), parameters.end(), snapshots_[next].parameters.begin());
  const std::scoped_lock lock(mutex_);
  current_ = next;
  ++version_;
}

}  // namespace hone::rl
