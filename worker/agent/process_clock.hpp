// Measures how long a process has trained, and how long it has not reported anything. Paused while
// the process waits for the server. Pure.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "schemas/types/instant.hpp"
#include "schemas/types/wire.hpp"

namespace hone::worker {

class ProcessClock {
 public:
  explicit ProcessClock(const TimeLimits& limits) : limits_(limits), run_left_(limits.run) {}

  // The process trains from now on. Restarts the limit of a phase.
  void resume(Instant now) {
    if (!running_since_) running_since_ = now;
    if (!taken_at_) taken_at_ = now;
  }
  // The process waits for the server.
  void pause(Instant now) {
    if (running_since_ && run_left_) run_left_ = *run_left_ - (now - *running_since_);
    if (running_since_) trained_ = trained_ + (now - *running_since_);
    running_since_.reset();
  }
  // How long it has trained since the last call. A process that does not wait for the server trains
  // while the clock is paused: where it has done so since the last call, and in the next one, which
  // would miss a part, all the time between the calls counts.
  Duration take_trained(Instant now) {
    const Duration all = trained_ + (running_since_ ? now - *running_since_ : Duration{});
    const Duration part = all - std::exchange(taken_, all);
    const Duration between = now - std::exchange(taken_at_, now).value_or(now);
    const bool missed = std::exchange(missed_, part == Duration{});
    return missed || missed_ ? between : part;
  }

  // When the first of its limits is reached; nullopt while it is paused or has none.
  [[nodiscard]] std::optional<Instant> due() const {
    if (!running_since_) return std::nullopt;
    if (!run_left_ && !limits_.phase) return std::nullopt;
    if (!run_left_) return *running_since_ + *limits_.phase;
    const Instant run_due = *running_since_ + *run_left_;
    return limits_.phase ? std::min(run_due, *running_since_ + *limits_.phase) : run_due;
  }

  // Which limit was reached: the detail of the run's end.
  [[nodiscard]] std::string reason(Instant now) const {
    const bool run_over = run_left_ && running_since_ && *running_since_ + *run_left_ <= now;
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
  std::optional<Instant> running_since_;
  Duration trained_{};  // before running_since_
  Duration taken_{};    // of all that it has trained
  std::optional<Instant> taken_at_;
  bool missed_ = false;  // it reported twice while it was paused
};

}  // namespace hone::worker
