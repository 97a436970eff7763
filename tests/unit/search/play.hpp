// A sweep played against a terminator alone: workers that train whole phases, in virtual time, with
// no server. For tests of rules.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "schemas/types/spec.hpp"
#include "server/search/terminators/terminator.hpp"

namespace hone {

// The settings a row cannot do without.
inline TerminatorSpec spec_of(std::string_view rule) {
  if (rule == "threshold") return {"threshold", {{"value", 0.1}, {"phases", 2}}};
  return {std::string(rule), {}};
}

inline std::unique_ptr<Terminator> made(const TerminatorSpec& spec, const SweepShape& shape) {
  return std::move(make_terminator(spec, shape)).value();
}

class Play {
 public:
  using Metric = std::function<Score(std::size_t run, int phase)>;
  using Took = std::function<double(std::size_t run, int phase)>;

  Play(const Terminator& rule, SweepShape shape, int workers, Metric metric)
      : rule_(rule), shape_(shape), idle_(workers), metric_(std::move(metric)) {}

  // Set before run(): the time that a phase takes, and the callbacks.
  Took took = [](std::size_t, int) { return 1.0; };
  std::function<void(std::size_t run, int phase, Score, const Verdict&)> on_verdict = [](auto...) {
  };
  std::function<void(std::size_t run)> on_promotion = [](auto...) {};
  std::function<void()> on_step = [] {};
  bool closes = true;  // what can no longer be promoted, as a server does

  void run() {
    assign();
    while (!training_.empty()) {
      finish();
      assign();
      on_step();
      if (testing::Test::HasFatalFailure()) return;
    }
    EXPECT_EQ(trials_, shape_.trials) << "everything waits, and trials are left";
  }

  [[nodiscard]] const History& history() const { return history_; }
  [[nodiscard]] double now() const { return now_; }
  [[nodiscard]] int training() const { return static_cast<int>(training_.size()); }
  [[nodiscard]] bool proposals_left() const { return trials_ < shape_.trials; }
  [[nodiscard]] int phases() const {
    int sum = 0;
    for (const RunRecord& run : history_.runs()) sum += static_cast<int>(run.merits.size());
    return sum;
  }
  // Runs that trained for at least `length` phases.
  [[nodiscard]] int reached(int length) const {
    return static_cast<int>(history_.reports(length - 1));
  }
  [[nodiscard]] std::optional<double> first_completed() const { return first_completed_; }

 private:
  void train(std::size_t run) {
    const int phase = static_cast<int>(history_.runs()[run].merits.size());
    training_.emplace(now_ + took(run, phase), std::pair{run, phase});
  }

  void assign() {
    for (; idle_ > 0; --idle_) {
      const auto run = next_run();
      if (!run) return;
      train(*run);
      if (closes) close();
    }
  }

  std::optional<std::size_t> next_run() {
    if (queue_.empty()) {
      const NextAction next = rule_.next(history_, proposals_left());
      if (next.kind == NextAction::Kind::promote) {
        EXPECT_EQ(history_.runs()[next.index].state, RunRecord::State::paused);
        on_promotion(next.index);
        history_.set_state(next.index, RunRecord::State::active);
        return next.index;
      }
      if (next.kind == NextAction::Kind::replicate) return history_.add_run(next.index);
      if (next.kind == NextAction::Kind::wait || !proposals_left()) return std::nullopt;
      const std::size_t trial = history_.add_trial({});
      for (int seed = 0; seed < shape_.seeds; ++seed) queue_.push_back(history_.add_run(trial));
      ++trials_;
    }
    const std::size_t run = queue_.front();
    queue_.pop_front();
    return run;
  }

  void close() {
    for (std::size_t run = 0; run < history_.runs().size(); ++run)
      if (history_.runs()[run].state == RunRecord::State::paused &&
          !rule_.promotable(history_, run))
        history_.end_run(run, false, true);
  }

  void finish() {
    const auto item = training_.extract(training_.begin());
    now_ = item.key();
    const auto [run, phase] = item.mapped();
    const Score score = metric_(run, phase);
    const bool last = phase == shape_.phases - 1;
    Verdict verdict{Action::stop, VerdictReason::last_phase, {}};
    if (!last && score.is_diverged()) verdict.reason = VerdictReason::diverged;
    if (!last && !score.is_diverged()) {
      verdict = rule_.judge(history_, run, phase, score);
      on_verdict(run, phase, score, verdict);
    }
    history_.add_report(run, phase, score);
    if (last && !first_completed_) first_completed_ = now_;
    if (verdict.action == Action::go_on) return train(run);
    ++idle_;
    if (verdict.action == Action::pause) return history_.set_state(run, RunRecord::State::paused);
    history_.end_run(run, last, true);
  }

  const Terminator& rule_;
  SweepShape shape_;
  int idle_;
  Metric metric_;
  History history_{Goal::maximize, 0};
  std::deque<std::size_t> queue_;
  std::multimap<double, std::pair<std::size_t, int>> training_;
  std::int64_t trials_ = 0;
  double now_ = 0;
  std::optional<double> first_completed_;
};

}  // namespace hone
