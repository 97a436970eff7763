#include "worker/agent/use_meter.hpp"

#include "worker/agent/limits.hpp"

namespace hone::worker {
namespace {

std::int64_t step_of(const TrialLine& line) {
  return std::visit([](const auto& one) { return one.step; }, line);
}

}  // namespace

bool UseMeter::wants(Instant now) const { return now - begun_ >= limits::use_shortest; }

// A count that falls is one that was read while processes ended: it adds nothing.
void UseMeter::take(const UseSample& sample) {
  cpu_s_ += std::max(sample.cpu_s - last_.cpu_s, 0.0);
  last_ = {std::max(sample.cpu_s, last_.cpu_s), sample.memory_bytes, sample.gpus};
  memory_bytes_ = std::max(memory_bytes_, sample.memory_bytes);
  if (!sample.gpus) return;
  gpu_busy_ += sample.gpus->busy;
  ++gpu_samples_;
  gpu_memory_bytes_ = std::max(gpu_memory_bytes_, sample.gpus->memory_bytes);
}

std::vector<MetricPoint> UseMeter::line(Instant now, const TrialLine& line) {
  step_ = std::max(step_, step_of(line));
  if (!std::holds_alternative<ReportLine>(line)) return {};
  return close(now);
}

std::vector<MetricPoint> UseMeter::tick(Instant now) {
  if (now - begun_ < limits::use_longest || step_ <= closed_at_step_.value_or(0)) return {};
  return close(now);
}

std::vector<MetricPoint> UseMeter::end(Instant now) {
  if (!has_new_step()) return {};
  return close(now);
}

std::vector<MetricPoint> UseMeter::close(Instant now) {
  if (!wants(now)) return {};
  const Duration length = now - begun_;
  std::vector<MetricPoint> points{
      {cpu_metric, step_, cpu_s_ * 1e6 / static_cast<double>(length.us)}};
  if (memory_bytes_ > 0)
    points.push_back({memory_metric, step_, static_cast<double>(memory_bytes_)});
  if (gpu_samples_ > 0) {
    points.push_back({gpu_metric, step_, gpu_busy_ / gpu_samples_});
    points.push_back({gpu_memory_metric, step_, static_cast<double>(gpu_memory_bytes_)});
  }
  begun_ = now;
  cpu_s_ = gpu_busy_ = 0;
  gpu_samples_ = 0;
  gpu_memory_bytes_ = 0;
  memory_bytes_ = last_.memory_bytes;
  closed_at_step_ = step_;
  return points;
}

}  // namespace hone::worker
