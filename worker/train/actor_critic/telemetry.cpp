#include "worker/train/actor_critic/telemetry.hpp"

namespace hone::ac {
namespace {

void add_to(rl::QueueMeter& sum, const rl::QueueMeter& part) {
  sum.batches += part.batches;
  sum.queued += part.queued;
  sum.weight += part.weight;
}

void add_learning(const LearningMeter& meter, double seconds,
                  std::vector<trainers::MetricPoint>& points) {
  if (meter.updates == 0) return;
  const auto samples = static_cast<double>(meter.samples);
  const auto updates = static_cast<double>(meter.updates);
  points.insert(points.end(), {{"policy_loss", meter.loss.policy / samples},
                               {"value_loss", meter.loss.value / samples},
                               {"entropy", meter.loss.entropy / samples},
                               {"gradient_norm", meter.gradient_norm / updates},
                               {"learning_rate", meter.rate},
                               {"policy_lag", meter.policy_lag / samples},
                               {"train_batch", samples / updates}});
  if (meter.kl != 0) points.push_back({"kl", meter.kl / samples});
  if (seconds > 0) points.push_back({"updates_per_s", updates / seconds});
}

}  // namespace

void Telemetry::add(const QueueMeters& meters) {
  add_to(queues_.predictions, meters.predictions);
  add_to(queues_.training, meters.training);
}

void Telemetry::add_queues(double seconds, const rl::WorkerCounts& counts,
                           std::vector<trainers::MetricPoint>& points) const {
  const auto each = [](std::int64_t sum, const rl::QueueMeter& meter) {
    return static_cast<double>(sum) / static_cast<double>(meter.batches);
  };
  const auto& [predictions, training] = queues_;
  if (predictions.batches > 0) {
    points.push_back({"predictors", static_cast<double>(counts.predictors)});
    points.push_back({"trainers", static_cast<double>(counts.trainers)});
    if (seconds > 0)
      points.push_back({"predictions_per_s", static_cast<double>(predictions.weight) / seconds});
    points.push_back({"predict_batch", each(predictions.weight, predictions)});
    points.push_back({"predict_queue", each(predictions.queued, predictions)});
  }
  if (training.batches > 0) points.push_back({"train_queue", each(training.queued, training)});
}

std::vector<trainers::MetricPoint> Telemetry::take(std::int64_t step,
                                                   const rl::EpisodeLog::State& episodes,
                                                   const LearningMeter& learning,
                                                   const rl::WorkerCounts& counts) {
  std::vector<trainers::MetricPoint> points;
  const double seconds = played_.take(step, episodes, points);
  add_learning(learning, seconds, points);
  add_queues(seconds, counts, points);
  points.push_back({"agents", static_cast<double>(counts.agents)});
  queues_ = {};
  return points;
}

}  // namespace hone::ac
