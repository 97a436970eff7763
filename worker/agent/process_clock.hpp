// How long a process has trained, and how long it has been silent. It stands still while the
// process waits for the server. Pure.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "schemas/types/instant.hpp"
#include "schemas/types/wire.hpp"

namespace hone::worker {

class ProcessClock {
 public:
  explicit ProcessClock(const TimeLimits& limits) : limits_(limits), run_left_(limits.run) {}

  // The process is at work from now on; what it said before counts as a sign of life.
  void go(Instant now) {
    if (!going_since_) going_since_ = now;
  }
  // It waits for the server, or has ended.
  void stand_still(Instant now) {
    if (going_since_ && run_left_) run_left_ = *run_left_ - (now - *going_since_);
    going_since_.reset();
  }

  // When one of its limits is over; nullopt while it stands still or has none.
  [[nodiscard]] std::optional<Instant> due() const {
    if (!going_since_) return std::nullopt;
    if (!run_left_ && !limits_.phase) return std::nullopt;
    if (!run_left_) return *going_since_ + *limits_.phase;
    const Instant run_due = *going_since_ + *run_left_;
    return limits_.phase ? std::min(run_due, *going_since_ + *limits_.phase) : run_due;
  }

  // Which limit, for the end of the run.
  [[nodiscard]] std::string reason(Instant now) const {
    const bool run_over = run_left_ && going_since_ && *going_since_ + *run_left_ <= now;
    return run_over ? "the run used up its time (limits.run)"
                    : "no report and no checkpoint for " + seconds_text(*limits_.phase) +
                          " (limits.phase)";
  }

 private:
  static std::string seconds_text(Duration duration) {
    const std::string text = std::to_string(static_cast<double>(duration.us) / 1e6);
    const auto end = text.find_last_not_of('0');
    return text.substr(0, text[end] == '.' ? end : end + 1) + " s";
  }

  TimeLimits limits_;
  std::optional<Duration> run_left_;
  std::optional<Instant> going_since_;
};

}  // namespace hone::worker
