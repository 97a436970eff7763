// The rules of pipelines. A step is a stretch of a run that leases cover: a lease is of one step,
// and the run moves to the next one with StepFinished.
#include <algorithm>

#include "base/expect.hpp"
#include "server/sweep/state/rules.hpp"

namespace hone {

std::optional<StepRef> step_ref(const SweepSpec& spec, int step) {
  const StepSpec* one = step_of(spec, step);
  if (one == nullptr) return std::nullopt;
  return StepRef{one->name, step, steps_of(spec)};
}

std::vector<FileRef> inputs_of(const SweepSpec& spec, const Run& run) {
  std::vector<FileRef> inputs;
  const StepSpec* step = step_of(spec, run.step);
  if (step == nullptr) return inputs;
  for (const FileRef& file : run.files)
    if (needs(*step, file.name.substr(0, file.name.find('/')))) inputs.push_back(file);
  return inputs;
}

bool step_follows(const Sweep& sweep, const Run& run) {
  return run.step + 1 < steps_of(sweep.spec);
}

std::optional<ModelId> checkpoint_of_step(const Run& run) {
  if (!run.checkpoint || run.checkpoint_step != run.step) return std::nullopt;
  return run.checkpoint->id;
}

std::int64_t counted_step(const Run& run, std::int64_t step) {
  if (run.step_reports == 0) return step;
  return std::max(step, run.reports[run.step_reports - 1].step);
}

void finish_step(const Lease& lease, const Run& run, Events& events) {
  events.emplace_back(StepFinished{lease.id, run.id, run.step, lease.files});
}

Status check_file(const Sweep& sweep, const Run& run, const Lease* lease, const std::string& name) {
  const StepSpec* step = step_of(sweep.spec, lease != nullptr ? lease->step : run.step);
  if (step == nullptr || name.starts_with(step->name + "/")) return Done{};
  return refuse(Code::invalid,
                "a file of step '" + step->name + "' is called " + step->name +
                    "/NAME: this worker may be of an older hone",
                "/name");
}

void keep_file(Book& book, Run& run, const ArtifactSaved& e) {
  run.artifacts[e.name] = e.sha256;
  if (run.last_lease == e.lease) ++run.tally.files;
  const auto lease = book.leases.find(e.lease);
  if (lease == book.leases.end() || steps_of(sweep_of(book, run.id).spec) == 1) return;
  auto& files = lease->second.files;
  std::erase_if(files, [&](const FileRef& file) { return file.name == e.name; });
  files.push_back({e.name, e.sha256, e.bytes});
}

void begin_next_step(const Sweep& sweep, Run& run, const StepFinished& e) {
  expect(e.step == run.step && step_follows(sweep, run), "steps finish in order");
  run.state = RunState::queued;
  run.files.insert(run.files.end(), e.files.begin(), e.files.end());
  ++run.step;
  run.step_reports = run.reports.size();
  run.losses = run.setbacks = 0;  // each step has its own retries
  run.failures.clear();
  run.alone = false;
}

}  // namespace hone
