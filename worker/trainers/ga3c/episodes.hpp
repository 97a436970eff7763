// The returns of finished episodes: what a run reports.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace hone::ga3c {

class EpisodeBook {
 public:
  static constexpr std::size_t window = 100;

  // Calls once, from the agent's thread, when the mean of a full window first reaches the goal.
  void watch(double goal, std::function<void()> on_reached) {
    goal_ = goal;
    on_reached_ = std::move(on_reached);
  }

  void finish(std::span<const double> returns) {
    const std::scoped_lock lock(mutex_);
    for (const double episode_return : returns) {
      last_.push_back(episode_return);
      sum_ += episode_return;
      if (last_.size() > window) {
        sum_ -= last_.front();
        last_.pop_front();
      }
      ++finished_;
    }
    if (last_.size() < window || sum_ < goal_ * window || !on_reached_) return;
    std::exchange(on_reached_, nullptr)();
  }

  struct State {
    std::vector<double> last;  // oldest first, at most `window`
    std::int64_t finished = 0;
  };
  [[nodiscard]] State state() const {
    const std::scoped_lock lock(mutex_);
    return {{last_.begin(), last_.end()}, finished_};
  }
  void restore(const State& state) {
    const std::scoped_lock lock(mutex_);
    last_.assign(state.last.begin(), state.last.end());
    sum_ = std::accumulate(last_.begin(), last_.end(), 0.0);
    finished_ = state.finished;
  }

 private:
  mutable std::mutex mutex_;
  std::deque<double> last_;
  double sum_ = 0;
  std::int64_t finished_ = 0;
  double goal_ = 0;
  std::function<void()> on_reached_;
};

}  // namespace hone::ga3c
