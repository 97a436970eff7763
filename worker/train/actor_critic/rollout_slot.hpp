// Rollouts in memory that an actor shares with the training. What is read may be from a guest on
// another host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "worker/train/actor_critic/learning/rollout.hpp"

namespace hone::ac {

// The most that a rollout takes.
std::size_t rollout_bytes(const RolloutShape& shape);

// Returns the bytes that were written.
std::int64_t write_rollout(Rollout& rollout, std::span<std::byte> slot);

// What a rollout must be to be trained.
struct RolloutBounds {
  int steps = 1;               // as they were granted
  int actions = 1;             // that the environment has
  std::uint64_t versions = 0;  // of the weights, published so far
};
// Returns false for what no actor plays: the rollout must not be trained.
bool read_rollout(Rollout& rollout, const RolloutBounds& bounds, std::span<std::byte> slot);

}  // namespace hone::ac
