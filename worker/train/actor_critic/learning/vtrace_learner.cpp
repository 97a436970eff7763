#include "worker/train/actor_critic/learning/vtrace_learner.hpp"

#include <algorithm>

#include "worker/train/actor_critic/learning/log_chances.hpp"
#include "worker/train/nn/gaussian.hpp"

namespace hone::ac {

VtraceLearner::VtraceLearner(const nn::NetShape& shape, int samples_max, int pieces_max,
                             const nn::NetworkMaker& networks, ParameterServer& server,
                             const VtraceRule& rule)
    : shape_(shape), server_(server), rule_(rule) {
  const int rows_max = samples_max + pieces_max;
  const auto rows = dense::padded(static_cast<std::size_t>(rows_max));
  network_ = networks.make(shape, rows_max);
  actions_.resize(rows);
  numbers_.resize(rows * static_cast<std::size_t>(shape.deviations()));
  for (auto* column : {&targets_, &advantages_, &log_chances_, &new_log_chances_})
    column->resize(rows);
  for (auto* column : {&log_ratios_, &values_}) column->resize(rows);
  output_gradient_.resize(rows * static_cast<std::size_t>(shape.outputs()));
}

void VtraceLearner::serve(std::span<const Piece> pieces) {
  gather(pieces);
  const auto reading = server_.weights().read();
  const int rows = static_cast<int>(samples_ + pieces.size());
  const auto outputs = network_->forward(reading.view(), network_->input(), rows);
  label(pieces, outputs);
  const auto sums = loss_of(outputs);
  LearningMeter meter;
  meter.samples = static_cast<std::int64_t>(samples_);
  meter.loss = {sums.policy, sums.value, sums.entropy};
  meter.policy_lag =
      static_cast<double>(reading.version()) * static_cast<double>(samples_) - version_sum_;
  server_.apply(network_->backward(reading.parameters(), output_gradient_.data()), meter);
  // After the update: an actor that waits for its rollout continues with the new weights.
  for (const auto& piece : pieces) piece.rollout->piece_trained();
}

void VtraceLearner::gather(std::span<const Piece> pieces) {
  const auto size = static_cast<std::size_t>(shape_.input_floats());
  float* observations = network_->input();
  auto numbers = numbers_.begin();
  samples_ = 0;
  version_sum_ = 0;
  for (const auto& [rollout, column] : pieces) {
    const auto steps = static_cast<std::size_t>(rollout->steps);
    std::copy_n(rollout->actions(column).begin(), steps, &actions_[samples_]);
    std::copy_n(rollout->log_chances(column).begin(), steps, &log_chances_[samples_]);
    for (int t = 0; t < rollout->steps; ++t, ++samples_) {
      observations = std::copy_n(rollout->observation(t, column), size, observations);
      numbers = std::copy_n(rollout->numbers(t, column).begin(), shape_.deviations(), numbers);
      version_sum_ += static_cast<double>(rollout->version(t));
    }
  }
  for (const auto& [rollout, column] : pieces)
    observations = std::copy_n(rollout->observation(rollout->steps, column), size, observations);
}

void VtraceLearner::label(std::span<const Piece> pieces, const dense::Heads& outputs) {
  note_log_chances(shape_, outputs, actions_.data(), numbers_.data(), new_log_chances_.data());
  const float* values = outputs.data + outputs.actions * outputs.stride;
  for (std::size_t i = 0; i < samples_; ++i) {
    log_ratios_[i] = double{new_log_chances_[i]} - double{log_chances_[i]};
    values_[i] = values[i];
  }
  std::size_t at = 0;
  const float* tail = values + samples_;
  for (const auto& [rollout, column] : pieces) {
    const auto steps = static_cast<std::size_t>(rollout->steps);
    vtrace({rollout->outcomes(column).first(steps), std::span(log_ratios_).subspan(at, steps),
            std::span(values_).subspan(at, steps), static_cast<double>(*tail++)},
           rule_, std::span(targets_).subspan(at, steps),
           std::span(advantages_).subspan(at, steps));
    at += steps;
  }
}

// The bounded policy term at ratios of 1 has the gradient of -log pi * advantage.
dense::LossSums VtraceLearner::loss_of(const dense::Heads& outputs) {
  constexpr float never_reached = 1;
  const auto loss = server_.loss_weights();
  dense::LossPlan plan;
  plan.outputs = outputs;
  plan.outputs.rows = static_cast<int>(samples_);
  plan.actions = actions_.data();
  plan.targets = targets_.data();
  plan.gradient = output_gradient_.data();
  plan.entropy = static_cast<float>(loss.entropy);
  plan.value = static_cast<float>(loss.value);
  plan.scale = 1.0F / static_cast<float>(samples_);
  plan.advantages = advantages_.data();
  plan.log_chances = new_log_chances_.data();
  plan.ratio_clip = never_reached;
  const auto sums = shape_.policy == nn::Policy::categorical
                        ? dense::best_kernels().loss(plan)
                        : nn::gaussian_loss(plan, numbers_.data());
  // The states after the pieces are not trained.
  for (int output = 0; output < shape_.outputs(); ++output)
    std::fill(&output_gradient_[static_cast<std::size_t>(output * outputs.stride) + samples_],
              &output_gradient_[static_cast<std::size_t>(output * outputs.stride)] + outputs.rows,
              0.0F);
  return sums;
}

}  // namespace hone::ac
