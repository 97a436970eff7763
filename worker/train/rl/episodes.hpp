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

#include "worker/train/envs/core/env.hpp"

namespace hone::rl {

struct Episode {
  double sum = 0;     // of its rewards
  double length = 0;  // steps
};

// Returns and lengths of the last episodes. Thread-safe; watch() and restore() before agents run.
class EpisodeLog {
 public:
  static constexpr std::size_t window = 100;

  EpisodeLog() = default;
  EpisodeLog(const EpisodeLog&) = delete;
  EpisodeLog& operator=(const EpisodeLog&) = delete;
  virtual ~EpisodeLog() = default;

  // Calls on_reached once, on the thread of an agent and with the log locked, when the mean return
  // of a full window first reaches the goal.
  void watch(double goal, std::function<void()> on_reached) {
    goal_ = goal;
    on_reached_ = std::move(on_reached);
  }

  virtual void finish(std::span<const Episode> episodes) {
    const std::scoped_lock lock(mutex_);
    for (const auto& episode : episodes) {
      last_.push_back(episode);
      sum_ += episode.sum;
      if (last_.size() > window) {
        sum_ -= last_.front().sum;
        last_.pop_front();
      }
      ++finished_;
    }
    if (last_.size() < window || sum_ < goal_ * window || !on_reached_) return;
    std::exchange(on_reached_, nullptr)();
  }

  struct State {
    std::vector<double> last;  // returns, oldest first, at most `window`
    std::vector<double> last_lengths;
    std::int64_t finished = 0;
  };
  [[nodiscard]] State state() const {
    const std::scoped_lock lock(mutex_);
    State state{{}, {}, finished_};
    for (const auto& [sum, length] : last_) {
      state.last.push_back(sum);
      state.last_lengths.push_back(length);
    }
    return state;
  }
  void restore(const State& state) {
    const std::scoped_lock lock(mutex_);
    last_.clear();
    for (std::size_t i = 0; i < state.last.size(); ++i)
      last_.push_back({state.last[i], state.last_lengths[i]});
    sum_ = std::accumulate(state.last.begin(), state.last.end(), 0.0);
    finished_ = state.finished;
  }

 private:
  mutable std::mutex mutex_;
  std::deque<Episode> last_;
  double sum_ = 0;
  std::int64_t finished_ = 0;
  double goal_ = 0;
  std::function<void()> on_reached_;
};

// Returns and lengths of the episodes that run, one for each environment of a group. Used by one
// thread at a time.
class RunningEpisodes {
 public:
  explicit RunningEpisodes(std::size_t environments)
      : returns_(environments), lengths_(environments) {
    finished_.reserve(environments);
  }

  // Counts a step of every environment, and adds the episodes that it ended to the log.
  void step(std::span<const float> rewards, std::span<const std::uint8_t> terminated,
            std::span<const std::uint8_t> truncated, EpisodeLog& log) {
    finished_.clear();
    for (std::size_t i = 0; i < returns_.size(); ++i) {
      returns_[i] += static_cast<double>(rewards[i]);
      lengths_[i] += 1;
      if (!envs::episode_over(terminated[i], truncated[i])) continue;
      finished_.push_back({returns_[i], lengths_[i]});
      returns_[i] = 0;
      lengths_[i] = 0;
    }
    if (!finished_.empty()) log.finish(finished_);
  }

  [[nodiscard]] const std::vector<double>& returns() const { return returns_; }
  [[nodiscard]] const std::vector<double>& lengths() const { return lengths_; }
  [[nodiscard]] bool fits(std::span<const double> returns, std::span<const double> lengths) const {
    return returns.size() == returns_.size() && lengths.size() == lengths_.size();
  }
  // Both must fit.
  void restore(std::vector<double> returns, std::vector<double> lengths) {
    returns_ = std::move(returns);
    lengths_ = std::move(lengths);
  }

 private:
  std::vector<double> returns_, lengths_;
  std::vector<Episode> finished_;  // by the last step
};

}  // namespace hone::rl
