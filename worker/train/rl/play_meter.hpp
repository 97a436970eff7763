// The metrics of playing that every trainer on one replay memory reports.
#pragma once

#include <chrono>
#include <cstdint>
#include <numeric>
#include <vector>

#include "schemas/types/metric.hpp"
#include "worker/train/rl/episodes.hpp"
#include "worker/train/run/trainer.hpp"

namespace hone::rl {

inline double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

class PlayMeter {
 public:
  // Frames up to this step were played by another process: they do not count for frames_per_s.
  void start_at(std::int64_t step) { step_ = step; }

  // Adds frames_per_s since the last call, and the means of the last episodes. Returns the seconds
  // since the last call.
  double take(std::int64_t step, const EpisodeLog::State& episodes,
              std::vector<trainers::MetricPoint>& points) {
    const auto now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - taken_).count();
    if (seconds > 0)
      points.push_back({"frames_per_s", static_cast<double>(step - step_) / seconds});
    if (!episodes.last.empty()) {
      points.push_back({"episode_return", mean(episodes.last)});
      points.push_back({"episode_length", mean(episodes.last_lengths)});
      points.push_back({"episodes", static_cast<double>(episodes.finished)});
    }
    taken_ = now;
    step_ = step;
    return seconds;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point taken_ = Clock::now();
  std::int64_t step_ = 0;
};

}  // namespace hone::rl
