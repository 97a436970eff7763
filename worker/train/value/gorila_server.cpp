#include "worker/train/value/gorila_server.hpp"

#include <cmath>
#include <mutex>
#include <new>
#include <utility>

#include "worker/train/ipc/shared_memory.hpp"

namespace hone::q {
namespace {

ShardRule shard_rule(const Options& options) {
  return {options.learning.optimizer, options.gorila.shards, options.gorila.staleness};
}

}  // namespace

ipc::SharedLayout GorilaServer::layout(const Options& options) {
  ipc::MemoryPlan plan;
  plan.place(sizeof(Head));
  plan.place(ParameterShards::bytes(shard_rule(options), options.net));
  ipc::SharedLayout layout;
  layout.parameters = plan.place(ipc::SharedParameters::bytes(0));
  layout.bytes = layout.first_slot = plan.bytes();
  layout.slots = static_cast<std::uint64_t>(options.apex.slots);
  return layout;
}

GorilaServer::GorilaServer(const Options& options, std::span<std::byte> memory)
    : head_(*reinterpret_cast<Head*>(memory.data())),
      shards_(shard_rule(options), options.net, [&] {
        ipc::MemoryPlan plan;
        plan.place(sizeof(Head));
        return memory.subspan(plan.bytes());
      }()) {}

void GorilaServer::begin(const Options& options) {
  new (&head_) Head;
  shards_.begin(first_weights(options.net, options.weight_start, options.seed));
}

void GorilaServer::push(const NodeGradient& gradient) {
  ParameterShards::Pushed pushed;
  pushed.finite = std::isfinite(gradient.norm);
  if (pushed.finite && !gradient.outlier)
    pushed = shards_.push(gradient.gradient, gradient.versions, gradient.rate);
  const std::scoped_lock lock(head_.mutex);
  if (!pushed.finite) {
    head_.diverged = true;
    return;
  }
  auto& meter = head_.meter;
  auto& learned = meter.learned;
  ++learned.updates;
  learned.loss += gradient.loss;
  learned.value += gradient.value;
  learned.gradient_norm += gradient.norm;
  learned.rate = gradient.rate;
  meter.outliers += gradient.outlier ? 1 : 0;
  meter.applied += pushed.applied;
  meter.stale += pushed.stale;
  meter.age += pushed.age;
}

bool GorilaServer::diverged() const {
  const std::scoped_lock lock(head_.mutex);
  return head_.diverged;
}

void GorilaServer::add_metrics(double seconds, std::vector<trainers::MetricPoint>& points) {
  Meter meter;
  {
    const std::scoped_lock lock(head_.mutex);
    meter = std::exchange(head_.meter, {});
  }
  if (meter.learned.updates == 0) return;
  const auto share = [](std::int64_t part, std::int64_t all) {
    return static_cast<double>(part) / static_cast<double>(all);
  };
  add_learning(meter.learned, seconds, points);
  points.push_back({"outlier_share", share(meter.outliers, meter.learned.updates)});
  if (meter.applied + meter.stale > 0)
    points.push_back({"stale_share", share(meter.stale, meter.applied + meter.stale)});
  if (meter.applied > 0) points.push_back({"policy_lag", share(meter.age, meter.applied)});
}

}  // namespace hone::q
