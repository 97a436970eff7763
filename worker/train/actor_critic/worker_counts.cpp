#include "worker/train/actor_critic/worker_counts.hpp"

#include <algorithm>

#include "worker/train/envs/core/stream.hpp"

namespace hone::ac {

rl::WorkerCounts WorkerCountTuner::judge(double throughput) {
  const bool trial = now_ != state_.kept;
  if (trial && throughput <= state_.kept_throughput) {
    now_ = state_.kept;
    state_.kept_throughput = 0;  // the next window measures it again
    return now_;
  }
  state_.kept = now_;
  state_.kept_throughput = throughput;
  now_ = moved();
  return now_;
}

rl::WorkerCounts WorkerCountTuner::moved() {
  if (max_ == rl::WorkerCounts{}) return state_.kept;  // no number can move
  for (;;) {
    envs::Stream random(seed_, envs::Purpose::worker_counts, state_.moves++);
    const auto move = [&](int count, int max) {
      return std::clamp(count + static_cast<int>(random.uniform() * 3) - 1, 1, max);
    };
    rl::WorkerCounts next;
    next.agents = move(state_.kept.agents, max_.agents);
    next.predictors = move(state_.kept.predictors, max_.predictors);
    next.trainers = move(state_.kept.trainers, max_.trainers);
    if (next != state_.kept) return next;
  }
}

}  // namespace hone::ac
