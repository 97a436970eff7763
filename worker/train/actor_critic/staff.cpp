#include "worker/train/actor_critic/staff.hpp"

#include <algorithm>

#include "worker/train/envs/core/stream.hpp"

namespace hone::ga3c {

Staff StaffTuner::judge(double throughput) {
  const bool trial = now_ != state_.kept;
  if (trial && throughput <= state_.kept_throughput) {
    now_ = state_.kept;
    state_.kept_throughput = 0;  // the next window tells how fast it is by now
    return now_;
  }
  state_.kept = now_;
  state_.kept_throughput = throughput;
  now_ = moved();
  return now_;
}

Staff StaffTuner::moved() {
  if (most_ == Staff{}) return state_.kept;  // there is nothing to move
  for (;;) {
    envs::Stream dice(seed_, envs::Purpose::staff, state_.moves++);
    const auto move = [&](int count, int most) {
      return std::clamp(count + static_cast<int>(dice.uniform() * 3) - 1, 1, most);
    };
    Staff next;
    next.agents = move(state_.kept.agents, most_.agents);
    next.predictors = move(state_.kept.predictors, most_.predictors);
    next.trainers = move(state_.kept.trainers, most_.trainers);
    if (next != state_.kept) return next;
  }
}

}  // namespace hone::ga3c
