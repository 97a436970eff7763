// Where an attempt counts from, by what its run has reported and the checkpoint that it continues.
// The server states it in the grant of a lease; `hone reproduce` repeats attempts from the same.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schemas/types/budget_spec.hpp"
#include "schemas/types/wire.hpp"

namespace hone {

// The reports of a run before an attempt.
struct ReportedSteps {
  std::vector<std::int64_t> steps{};  // of each report, by phase
  std::size_t earlier = 0;            // reports of earlier steps of its pipeline
};

// Returns the origin of an attempt that continues from `resume`, or from the beginning of its step.
AttemptOrigin attempt_origin(const BudgetSpec& budget, const ReportedSteps& reported,
                             const std::optional<ModelRef>& resume);

// Returns the step up to which the run had trained when it saved the checkpoint. A program may
// count from 0 in a later step of a pipeline, and some count in another unit than that of the
// budget: then the step is that of the report of the checkpoint's phase.
std::int64_t trained_step(const BudgetSpec& budget, const ReportedSteps& reported,
                          const ModelRef& model);

// Whether the checkpoint is past the end of a phase without a report. A program that continues from
// it cannot report that phase any more.
bool outruns_reports(const BudgetSpec& budget, const ReportedSteps& reported,
                     const ModelRef& model);

}  // namespace hone
