// The loop of a training on one thread.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

namespace hone::rl {

// Calls `train` until it returns false or a stop is requested, and `tick` about once a second.
template <class Train>
void run_loop(const std::stop_token& stop, const std::function<void()>& tick, Train train) {
  using Clock = std::chrono::steady_clock;
  constexpr auto tick_every = std::chrono::seconds(1);
  auto next_tick = Clock::now() + tick_every;
  while (!stop.stop_requested() && train()) {
    if (Clock::now() < next_tick) continue;
    tick();
    next_tick = Clock::now() + tick_every;
  }
}

}  // namespace hone::rl
