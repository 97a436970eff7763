// What the runs and the machine of a worker use: when the loop samples them, and where it goes.
#include <algorithm>

#include "worker/agent/limits.hpp"
#include "worker/process/loop.hpp"

namespace hone::worker {

void Loop::sample_runs() {
  if (runs_.empty() || now() < use_at_) return;
  use_at_ = now() + limits::use_period;
  for (auto& [lease, meter] : meters_) {
    sample(lease, meter);
    pass_on(lease, meter.tick(now()));
  }
}

void Loop::sample(LeaseId lease, UseMeter& meter) {
  const RunProcess* run = find(lease);
  auto use = run == nullptr ? std::nullopt : run->use();
  if (!use) return;
  if (const auto gpus = gpus_.read(run->devices()))
    use->gpus = GpuSample{gpus->busy, gpus->memory_bytes};
  meter.take(*use);
}

// Reads the GPUs of this worker, and those of the runs that execute.
void Loop::watch_gpus() {
  std::vector<std::string> devices = machine_.devices();
  for (const auto& [lease, run] : runs_)
    devices.insert(devices.end(), run->devices().begin(), run->devices().end());
  std::ranges::sort(devices);
  devices.erase(std::ranges::unique(devices).begin(), devices.end());
  gpus_.watch(std::move(devices));
}

// Where the objective counts time, its clock is read when the line arrives: what waits for the
// server does not count.
void Loop::stamp(LeaseId lease, ReportLine& report) {
  const auto timed = timed_.find(lease);
  if (timed == timed_.end()) return;
  report.seconds = static_cast<double>((now() - timed->second.begun).us) / 1e6;
  if (timed->second.clock != RunClock::cpu_seconds) return;
  const RunProcess* run = find(lease);
  if (const auto use = run == nullptr ? std::nullopt : run->use()) timed->second.cpu_s = use->cpu_s;
  report.cpu_seconds = timed->second.cpu_s;
}

// Adds the samples of the machine to a call that may bring them.
Call Loop::with_machine(Call call) {
  if (!takes_machine_) return call;
  if (auto* acquire = std::get_if<AcquireRequest>(&call)) acquire->machine = machine_.take(now());
  if (auto* beat = std::get_if<BeatCall>(&call)) beat->request.machine = machine_.take(now());
  return call;
}

}  // namespace hone::worker
