#include "server/api/progress.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "schemas/types/spec.hpp"

namespace hone::api {

Result<SweepSpec> spec_of(const SweepRow& sweep) {
  const auto document = parse_json(sweep.spec);
  if (!document)
    return refuse(Code::internal, "the stored spec is damaged: " + document.error().detail);
  auto spec = decode_request<SweepSpec>(*document);
  if (!spec) return refuse(Code::internal, "the stored spec is damaged: " + spec.error().detail);
  return spec;
}

Result<std::vector<Objective>> objectives_of(const SweepRow& sweep) {
  auto spec = spec_of(sweep);
  if (!spec) return spec.error();
  std::vector<Objective> objectives{spec->objective};
  for (Objective& one : spec->further_objectives) objectives.push_back(std::move(one));
  return objectives;
}

Result<std::unique_ptr<Terminator>> terminator_of(const SweepRow& sweep) {
  const auto spec = spec_of(sweep);
  if (!spec) return spec.error();
  return make_terminator(spec->terminator, sweep_shape(*spec));
}

// Of a sweep whose rule stops no run, every run's phases, while none has ended early. Of others the
// reports made, the rule's expectation for each run that has not started, and half of it for
// each open run. The closed form of the rule alone would be exceeded early, because it judges the
// first runs mildly.
std::int64_t phases_expected(const SweepRow& sweep) {
  if (is_end(sweep.state)) return sweep.phases_done;
  // Members and the forks in their places train as many phases as complete runs would.
  if (const auto spec = spec_of(sweep); spec && is_population(*spec))
    return std::max(sweep.phases_done, sweep.trials_total * sweep.phases_per_run);
  const auto terminator = terminator_of(sweep);
  const double per_run = terminator ? (*terminator)->expected_phases() : sweep.phases_per_run;
  const auto open = static_cast<double>(sweep.runs.leased + sweep.runs.running + sweep.runs.paused);
  const auto to_propose = sweep.state == SweepState::stopping
                              ? 0
                              : (sweep.trials_total - sweep.trials_proposed) * sweep.seeds;
  const RunCounts& runs = sweep.runs;
  const bool none_ends_early = per_run >= sweep.phases_per_run &&
                               runs.stopped + runs.failed + runs.canceled == 0 &&
                               sweep.objective.goal != Goal::soonest;
  if (none_ends_early)
    return (to_propose + runs.queued + runs.leased + runs.running + runs.paused + runs.completed) *
           sweep.phases_per_run;
  const auto unstarted = static_cast<double>(to_propose + sweep.runs.queued);
  return sweep.phases_done + std::llround((unstarted + open / 2) * per_run);
}

}  // namespace hone::api
