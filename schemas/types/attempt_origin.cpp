#include "schemas/types/attempt_origin.hpp"

#include <algorithm>

namespace hone {
namespace {

// The first phase that a program trains which continues from the checkpoint.
int phase_after(const ReportedSteps& reported, const ModelRef& model) {
  return std::min(model.phase + 1, static_cast<int>(reported.steps.size()));
}

std::int64_t begin_of(const ReportedSteps& reported) {
  return reported.earlier == 0 ? 0 : reported.steps[reported.earlier - 1];
}

// Programs end about a phase after their budget at most.
bool is_in_unit(const BudgetSpec& budget, std::int64_t step) { return step / 2 <= budget.per_run; }

}  // namespace

std::int64_t trained_step(const BudgetSpec& budget, const ReportedSteps& reported,
                          const ModelRef& model) {
  const auto begin = begin_of(reported);
  if (!is_in_unit(budget, model.step)) {
    const int phase = phase_after(reported, model);
    return phase == 0 ? begin : reported.steps[static_cast<std::size_t>(phase) - 1];
  }
  const bool counts_from_begin = begin > 0 && begin + model.step <= phase_end(budget, model.phase);
  return counts_from_begin ? begin + model.step : std::max(begin, model.step);
}

AttemptOrigin attempt_origin(const BudgetSpec& budget, const ReportedSteps& reported,
                             const std::optional<ModelRef>& resume) {
  AttemptOrigin origin;
  origin.begin = begin_of(reported);
  origin.step = resume ? trained_step(budget, reported, *resume) : origin.begin;
  origin.phase = static_cast<int>(reported.earlier);
  if (resume) origin.phase = std::max(origin.phase, phase_after(reported, *resume));
  if (!reported.steps.empty()) origin.reported = reported.steps.back();
  return origin;
}

bool outruns_reports(const BudgetSpec& budget, const ReportedSteps& reported,
                     const ModelRef& model) {
  const auto next = static_cast<int>(reported.steps.size());
  if (next >= budget.phases || !is_in_unit(budget, model.step)) return false;
  return trained_step(budget, reported, model) >= phase_end(budget, next);
}

}  // namespace hone
