#include "worker/train/value/q_learner.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hone::q {
namespace {

dense::Floats all_ones(const nn::NetShape& shape) {
  return nn::pack(shape, std::vector<float>(nn::parameter_count(shape), 1.0F));
}

}  // namespace

QLearner::QLearner(const QRule& rule, const nn::NetShape& shape, std::span<const float> weights,
                   int rows_max, const nn::NetworkMaker& networks)
    : rule_(rule),
      shape_(shape),
      gradient_(rule, shape, rows_max, networks),
      online_(nn::pack(shape, weights)),
      target_(online_),
      optimizer_(rule.optimizer, all_ones(shape)) {
  if (rule.average_updates > 0) average_ = online_;
}

void QLearner::update(const QBatch& batch, double rate, std::span<float> errors) {
  const auto step = gradient_.compute(batch, online_, target_, errors);
  const double norm = optimizer_.step(online_, step.gradient, rate);
  if (!std::isfinite(norm) || !std::isfinite(step.loss)) {
    diverged_ = true;
    return;
  }
  if (++updates_ % rule_.target_every == 0) move_target(target_, online_, rule_.target_rate);
  follow_average();
  ++meter_.updates;
  meter_.loss += step.loss;
  meter_.value += step.value;
  meter_.gradient_norm += norm;
  meter_.rate = rate;
}

void QLearner::follow_average() {
  if (average_.empty()) return;
  move_target(average_, online_,
              1 / static_cast<double>(std::min(updates_, rule_.average_updates)));
}

void add_learning(const QMeter& meter, double seconds, std::vector<trainers::MetricPoint>& points) {
  if (meter.updates == 0) return;
  const auto updates = static_cast<double>(meter.updates);
  points.insert(points.end(), {{"q_loss", meter.loss / updates},
                               {"q_value", meter.value / updates},
                               {"gradient_norm", meter.gradient_norm / updates},
                               {"learning_rate", meter.rate}});
  if (seconds > 0) points.push_back({"updates_per_s", updates / seconds});
}

QMeter QLearner::take_meter() { return std::exchange(meter_, {}); }

QLearner::State QLearner::state() const {
  const auto& optimizer = optimizer_.state();
  State state{nn::unpack(shape_, online_),
              nn::unpack(shape_, target_),
              nn::unpack(shape_, optimizer.mean_square),
              {},
              {},
              updates_};
  if (!average_.empty()) state.average = nn::unpack(shape_, average_);
  if (!optimizer.mean.empty()) state.mean = nn::unpack(shape_, optimizer.mean);
  return state;
}

void QLearner::restore(const State& state) {
  online_ = nn::pack(shape_, state.weights);
  target_ = nn::pack(shape_, state.target);
  // The file of a run that kept none: the average begins at its weights.
  if (rule_.average_updates > 0)
    average_ = state.average.empty() ? online_ : nn::pack(shape_, state.average);
  nn::Optimizer::State optimizer{{}, nn::pack(shape_, state.mean_square), state.updates};
  if (!state.mean.empty()) optimizer.mean = nn::pack(shape_, state.mean);
  optimizer_.restore(std::move(optimizer));
  updates_ = state.updates;
}

}  // namespace hone::q
