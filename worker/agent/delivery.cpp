#include "worker/agent/delivery.hpp"

#include <algorithm>
#include <utility>

#include "worker/agent/limits.hpp"

namespace hone::worker {

Delivery::Delivery(const LeaseGrant& grant, const Capabilities& capabilities)
    : lease_(grant.lease),
      phases_(grant),
      resumable_(!capabilities.resumable || grant.resume.has_value()),
      tells_seconds_(capabilities.phase_seconds) {}

void Delivery::add(Turn& turn, const LineReceived& input, std::optional<Duration> trained) {
  undelivered_ = true;
  if (const auto* point = std::get_if<MetricPoint>(&input.line)) return add_point(turn.now, *point);
  if (const auto* report = std::get_if<ReportLine>(&input.line))
    return add_line(turn, {input.origin, Report{*report, tells_seconds_ ? trained : std::nullopt}});
  add_line(turn, {input.origin, std::get<CheckpointLine>(input.line)});
}

void Delivery::add_line(Turn& turn, Line line) {
  lines_.push_back(std::move(line));
  if (held_ || lines_.size() < limits::waiting_lines_max) return;
  held_ = true;
  turn.actions.emplace_back(Hold{lease_, true});
}

void Delivery::add_point(Instant now, const MetricPoint& point) {
  if (points_.empty()) flush_at_ = now + limits::flush_period;
  points_.push_back(point);
  if (points_.size() <= limits::points_max) return;
  points_.pop_front();
  ++dropped_;
}

// Points go before the report that follows them, so that a curve is complete when its run ends.
std::optional<LeaseCall> Delivery::next(Instant now, bool flush) {
  const bool due = flush || lines_wait() || points_.size() >= limits::flush_points;
  if (!points_.empty() && (due || flush_at_ <= now)) return next_batch(now);
  if (!lines_wait()) return std::nullopt;
  return std::visit([this](const auto& content) { return call_for(content); },
                    lines_.front().content);
}

LeaseCall Delivery::next_batch(Instant now) {
  const auto count =
      static_cast<std::ptrdiff_t>(std::min(points_.size(), limits::batch_points_max));
  MetricsRequest request{{points_.begin(), points_.begin() + count}};
  points_.erase(points_.begin(), points_.begin() + count);
  flush_at_ = now;
  return MetricsCall{lease_, std::move(request)};
}

LeaseCall Delivery::call_for(const Report& report) {
  const ReportLine& line = report.line;
  ReportCall call{lease_,
                  {phases_.phase_of(line), line.step, line.score, line.further, line.seed_applied,
                   std::nullopt, line.seconds, line.cpu_seconds}};
  if (!resumable_) call.request.resumable = false;
  if (report.trained) call.request.phase_seconds = static_cast<double>(report.trained->us) / 1e6;
  return call;
}

LeaseCall Delivery::call_for(const CheckpointLine& line) const {
  return StoreBlob{lease_, line.path};
}

LeaseCall Delivery::call_for(const StoredCheckpoint& checkpoint) {
  const CheckpointLine& line = checkpoint.line;
  return SaveModelCall{
      lease_,
      {checkpoint.blob.sha256, checkpoint.blob.bytes, line.step, phases_.phase_of(line, origin())}};
}

bool Delivery::take_delivered() {
  return points_.empty() && !lines_wait() && std::exchange(undelivered_, false);
}

void Delivery::stored(const StoredBlob& blob) {
  auto& content = lines_.front().content;
  content = StoredCheckpoint{std::get<CheckpointLine>(content), blob};
}

bool Delivery::lost() {
  if (++losses_ > limits::blob_losses_max) return false;
  auto& content = lines_.front().content;
  CheckpointLine line = std::get<StoredCheckpoint>(content).line;
  content = std::move(line);
  return true;
}

void Delivery::pop(Turn& turn) {
  losses_ = 0;
  lines_.pop_front();
  if (!held_ || lines_.size() > limits::waiting_lines_max / 2) return;
  held_ = false;
  turn.actions.emplace_back(Hold{lease_, false});
}

std::optional<Instant> Delivery::flush_at() const {
  return points_.empty() ? std::nullopt : std::optional(flush_at_);
}

}  // namespace hone::worker
