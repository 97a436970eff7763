#include "worker/train/value/gorila_server.hpp"

#include <cmath>
#include <utility>

namespace hone::dqn {

GorilaServer::GorilaServer(const Options& options)
    : shards_({options.learning.optimizer, options.gorila.shards, options.gorila.staleness},
              options.net, first_weights(options.net, options.weight_start, options.seed)) {}

void GorilaServer::push(const NodeGradient& gradient) {
  ParameterShards::Pushed pushed;
  pushed.finite = std::isfinite(gradient.norm);
  if (pushed.finite && !gradient.outlier)
    pushed = shards_.push(gradient.gradient, gradient.versions, gradient.rate);
  const std::scoped_lock lock(mutex_);
  if (!pushed.finite) {
    diverged_ = true;
    frames_.stop();
    return;
  }
  auto& learned = meter_.learned;
  ++learned.updates;
  learned.loss += gradient.loss;
  learned.value += gradient.value;
  learned.gradient_norm += gradient.norm;
  learned.rate = gradient.rate;
  meter_.outliers += gradient.outlier ? 1 : 0;
  meter_.applied += pushed.applied;
  meter_.stale += pushed.stale;
  meter_.age += pushed.age;
}

bool GorilaServer::diverged() const {
  const std::scoped_lock lock(mutex_);
  return diverged_;
}

void GorilaServer::add_metrics(double seconds, std::vector<trainers::MetricPoint>& points) {
  Meter meter;
  {
    const std::scoped_lock lock(mutex_);
    meter = std::exchange(meter_, {});
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

}  // namespace hone::dqn
