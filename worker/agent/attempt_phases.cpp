#include "worker/agent/attempt_phases.hpp"

#include <algorithm>
#include <ranges>

namespace hone::worker {

AttemptOrigin origin_of(const LeaseGrant& grant) {
  if (grant.origin) return *grant.origin;
  if (!grant.resume) return {};
  return {grant.resume->step, std::min(grant.resume->phase + 1, grant.next_phase), 0, 0};
}

std::int64_t AttemptSteps::base(double first_step) {
  if (!base_)
    base_ = first_step <= static_cast<double>(origin_.step) ? origin_.begin : std::int64_t{0};
  return *base_;
}

AttemptPhases::AttemptPhases(const LeaseGrant& grant)
    : origin_(origin_of(grant)),
      steps_(origin_),
      budget_(grant.budget),
      known_(grant.next_phase),
      next_(grant.next_phase),
      trained_(std::min(origin_.phase, next_)),
      behind_(origin_.step > 0 && origin_.step < origin_.reported) {
  const auto* command = std::get_if<CommandTrainer>(&grant.trainer);
  has_rows_ = command != nullptr && command->collect;
}

int AttemptPhases::phase_of(const ReportLine& line) {
  if (line.phase) return *line.phase;
  return is_known(line.step) ? std::min(trained_, known_ - 1) : next_;
}

// By the steps, where they count; else by the number of reports.
bool AttemptPhases::is_known(std::int64_t step) {
  if (known_ == 0 || next_ > known_) return false;
  if (origin_.reported == 0) return trained_ < known_;
  const std::int64_t at = steps_.base(static_cast<double>(step)) + step;
  behind_ = behind_ || at < origin_.reported;
  return at < origin_.reported || (at == origin_.reported && (behind_ || trained_ < known_));
}

int AttemptPhases::phase_of(const CheckpointLine& line, Origin origin) {
  if (line.phase) return *line.phase;
  if (has_rows_ && line.step / 2 <= budget_.per_run)  // else it counts in another unit
    return phase_at(steps_.base(static_cast<double>(line.step)) + line.step);
  const bool follows = last_phase_ >= 0 && line.step > 0 && line.step == last_step_;
  if (origin == Origin::output && follows) return last_phase_;
  return std::min(trained_, budget_.phases - 1);
}

int AttemptPhases::phase_at(std::int64_t step) const {
  const auto phases = std::views::iota(0, budget_.phases - 1);
  const auto found = std::ranges::partition_point(
      phases, [&](int phase) { return phase_end(budget_, phase) < step; });
  return static_cast<int>(found - phases.begin());
}

void AttemptPhases::reported(int phase, std::int64_t step) {
  trained_ = std::max(trained_, phase + 1);
  next_ = std::max(next_, phase + 1);
  last_phase_ = phase;
  last_step_ = step;
}

void AttemptPhases::pass_over(std::int64_t step) {
  last_phase_ = std::min(trained_, budget_.phases - 1);
  last_step_ = step;
  ++trained_;
}

}  // namespace hone::worker
