// The returns of finished episodes: what a run reports.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace hone::ga3c {

class EpisodeBook {
 public:
  static constexpr std::size_t window = 100;

  void finish(double episode_return) {
    const std::scoped_lock lock(mutex_);
    last_.push_back(episode_return);
    if (last_.size() > window) last_.pop_front();
    ++finished_;
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
    finished_ = state.finished;
  }

 private:
  mutable std::mutex mutex_;
  std::deque<double> last_;
  std::int64_t finished_ = 0;
};

}  // namespace hone::ga3c
