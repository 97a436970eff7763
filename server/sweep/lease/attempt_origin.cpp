// Which checkpoint an attempt continues from, and where it begins to count.
#include "schemas/types/attempt_origin.hpp"

#include "server/sweep/state/rules.hpp"

namespace hone {
namespace {

ReportedSteps reported_by(const Run& run) {
  ReportedSteps reported{{}, run.step_reports};
  for (const RecordedReport& report : run.reports) reported.steps.push_back(report.step);
  return reported;
}

// Judges checkpoints of a run. Programs that name the phase of a checkpoint state whether it is
// reported; those whose rows are collected do not, as the rows may be read after the checkpoint.
class Resumable {
 public:
  Resumable(const SweepSpec& spec, const Run& run)
      : spec_(spec), run_(run), reported_(reported_by(run)) {
    const auto* command = std::get_if<CommandTrainer>(&spec.trainer);
    if (const StepSpec* step = step_of(spec, run.step)) command = &step->command;
    has_rows_ = command != nullptr && command->collect;
  }

  // Trainers of hone report the phase of a checkpoint before they continue from it. The checkpoints
  // of a step that has not reported may count anything.
  [[nodiscard]] bool may_outrun() const {
    if (std::holds_alternative<BuiltinTrainer>(spec_.trainer)) return false;
    return has_rows_ || steps_of(spec_) == 1 || run_.reports.size() > run_.step_reports;
  }
  [[nodiscard]] bool outruns(const ModelRef& model) const {
    const bool is_reported = !has_rows_ && std::cmp_less(model.phase, run_.reports.size());
    return !is_reported && outruns_reports(spec_.budget, reported_, model);
  }

 private:
  const SweepSpec& spec_;
  const Run& run_;
  ReportedSteps reported_;
  bool has_rows_;
};

}  // namespace

AttemptOrigin origin_of(const SweepSpec& spec, const Run& run,
                        const std::optional<ModelRef>& resume) {
  return attempt_origin(spec.budget, reported_by(run), resume);
}

std::optional<ModelId> checkpoint_to_resume(const Book& book, const Run& run) {
  const auto newest = checkpoint_of_step(run);
  const Resumable resumable(sweep_of(book, run.id).spec, run);
  if (!newest || !resumable.may_outrun() || !resumable.outruns(*run.checkpoint)) return newest;
  // Older ones, by falling steps.
  auto entry = book.models_by_content.upper_bound({run.id, run.checkpoint->step, {}});
  while (entry != book.models_by_content.begin()) {
    if (std::get<RunId>((--entry)->first) != run.id) break;
    const auto kept = book.models.find(entry->second);
    if (kept == book.models.end()) continue;
    const ModelRef& model = kept->second;
    if (std::cmp_less(model.phase, run.step_reports)) continue;  // of an earlier step
    if (!resumable.outruns(model)) return model.id;
  }
  return std::nullopt;
}

}  // namespace hone
