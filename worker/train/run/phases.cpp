#include "worker/train/run/phases.hpp"

#include <chrono>
#include <cmath>

namespace hone::trainers {
namespace {

using Clock = std::chrono::steady_clock;

// A phase that is shorter than this shares its telemetry with the next. The first phase always
// sends its own, because a verdict may end the run there.
constexpr auto metrics_interval = std::chrono::milliseconds(500);
// How long a process that has to stop waits for its last checkpoint to be stored.
constexpr auto last_patience = std::chrono::seconds(2);

class Phases {
 public:
  Phases(const PhaseRun& run, Trainer& trainer) : run_(run), trainer_(trainer) {}

  Result<int> drive(const std::stop_token& stop) {
    const std::stop_callback on_stop(stop, [&] { run_.trial.hurry(last_patience); });
    for (int phase = run_.file.next_phase; phase < run_.file.budget.phases; ++phase) {
      const auto end = phase_end(run_.file.budget, phase);
      trainer_.advance(end, stop, [&] { send_metrics(); });
      if (stop.stop_requested()) return terminate(phase);
      const bool last = phase + 1 == run_.file.budget.phases;
      if (last || Clock::now() - metrics_sent_ >= metrics_interval) send_metrics();
      const auto verdict = report(phase, end);
      if (!verdict && stop.stop_requested()) return exit_terminated;
      if (!verdict) return verdict.error();
      // A paused run ends here too: the worker has the checkpoint and starts another attempt if the
      // run is promoted.
      if (verdict->action != TrialVerdict::Action::go_on) return exit_done;
    }
    return exit_done;
  }

 private:
  Result<TrialVerdict> report(int phase, std::int64_t end) {
    const auto value = trainer_.value_of(run_.file.objective.metric);
    if (!value.is_diverged())  // a diverged run is not continued
      if (auto saved = save(phase, end); !saved) return std::move(saved).error();
    std::vector<Score> further;
    for (const Objective& one : run_.file.further_objectives)
      further.push_back(trainer_.value_of(one.metric));
    return run_.trial.report(phase, end, value, true, further);
  }

  Status save(int phase, std::int64_t step) {
    const auto path = run_.checkpoints / ("phase-" + std::to_string(phase) + ".safetensors");
    if (auto written = trainer_.save(path); !written) return written;
    auto stored = run_.trial.checkpoint(path, step, phase);
    if (!stored) return std::move(stored).error();
    std::error_code ignored;  // the worker has a copy, and removes the folder later
    std::filesystem::remove(path, ignored);
    return Done{};
  }

  // Best effort: the process ends either way.
  Result<int> terminate(int phase) {
    if (!trainer_.value().is_diverged()) (void)save(phase, trainer_.step());
    return exit_terminated;
  }

  void send_metrics() {
    for (const auto& [name, value] : trainer_.take_metrics())
      // A broken connection shows at the next report.
      (void)run_.trial.metric(name, trainer_.step(), value);
    metrics_sent_ = Clock::now();
  }

  const PhaseRun& run_;
  Trainer& trainer_;
  Clock::time_point metrics_sent_{};
};

}  // namespace

Result<int> run_phases(const PhaseRun& run, Trainer& trainer, const std::stop_token& stop) {
  if (run.file.resume)
    if (auto loaded = trainer.load(run.file.resume->path); !loaded)
      return std::move(loaded).error();
  return Phases(run, trainer).drive(stop);
}

}  // namespace hone::trainers
