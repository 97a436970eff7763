#include "worker/process/machine_watch.hpp"

#include <algorithm>
#include <numeric>

#include "worker/agent/limits.hpp"
#include "worker/process/environment.hpp"

namespace hone::worker {
namespace {

std::vector<std::string> devices_of(int gpus) {
  std::vector<int> numbers(static_cast<std::size_t>(gpus));
  std::iota(numbers.begin(), numbers.end(), 0);
  auto devices = device_names(own_environment(), numbers);
  if (!named_as_by_driver(own_environment(), devices)) return {};
  std::ranges::sort(devices);
  devices.erase(std::ranges::unique(devices).begin(), devices.end());
  return devices;
}

}  // namespace

MachineWatch::MachineWatch(int gpus, Instant now)
    : devices_(devices_of(gpus)), due_(now + limits::machine_first) {
  meter_.read(now);
}

void MachineWatch::sample(const GpuWatch& gpus, Instant now) {
  if (now < due_) return;
  due_ = now + limits::machine_period;
  MachineSample sample = meter_.read(now);
  if (const auto use = gpus.read(devices_)) {
    sample.gpu = std::clamp(use->busy, 0.0, 1.0);
    sample.gpu_memory = std::max<std::int64_t>(0, use->memory_bytes);
  }
  waiting_.push_back({now, sample});
  if (waiting_.size() > machine_samples_max) waiting_.pop_front();
}

std::optional<MachineSamples> MachineWatch::take(Instant now) {
  if (waiting_.empty()) return std::nullopt;
  MachineSamples samples{meter_.cores(), meter_.memory(), {}};
  for (Taken& one : waiting_) {
    one.sample.age = now - one.at;
    samples.samples.push_back(one.sample);
  }
  waiting_.clear();
  return samples;
}

}  // namespace hone::worker
