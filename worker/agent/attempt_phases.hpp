// Which phase each report of an attempt is, for programs that do not number them. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "schemas/types/wire.hpp"
#include "worker/agent/trial_line.hpp"

namespace hone::worker {

// Where an attempt counts from; without the server's statement, by the checkpoint handed over.
AttemptOrigin origin_of(const LeaseGrant& grant);

// The steps that a program names, on the count of its run. A later step of a pipeline may count
// from 0: it does if its first step is not past its origin.
class AttemptSteps {
 public:
  explicit AttemptSteps(const AttemptOrigin& origin) : origin_(origin) {}
  // Returns what to add to the steps of the program.
  std::int64_t base(double first_step);

 private:
  AttemptOrigin origin_;
  std::optional<std::int64_t> base_{};  // unset: no step was named
};

class AttemptPhases {
 public:
  explicit AttemptPhases(const LeaseGrant& grant);

  // The phase of the next report. One that an earlier attempt has reported is a known phase again.
  int phase_of(const ReportLine& line);
  // The phase of a checkpoint that is taken now. Of a program whose rows are collected it follows
  // from the step, as rows may be read later than checkpoints. Another program without SDK may save
  // it after the report of the same step.
  int phase_of(const CheckpointLine& line, Origin origin);
  void reported(int phase, std::int64_t step);
  // A report of this step came too late, of a program that trains on after its run was paused: the
  // checkpoint of this step is of the phase of that report, those that follow are of later phases.
  void pass_over(std::int64_t step);
  // The first phase without a report.
  [[nodiscard]] int next() const { return next_; }

 private:
  bool is_known(std::int64_t step);
  // The phase whose training reaches the step.
  [[nodiscard]] int phase_at(std::int64_t step) const;

  AttemptOrigin origin_;
  AttemptSteps steps_;
  BudgetSpec budget_;
  bool has_rows_ = false;  // its reports are collected
  int known_;              // phases with a report when the attempt began
  int next_;               // the first without one
  int trained_;            // the first that this attempt has not reported
  bool behind_;          // it continued from, or has named, a step before that of the newest report
  int last_phase_ = -1;  // of its newest report
  std::int64_t last_step_ = 0;
};

}  // namespace hone::worker
