#include "worker/train/value/q_training.hpp"

#include <algorithm>

#include "worker/train/value/replay/checkpoint.hpp"

namespace hone::dqn {

QTraining::BatchRows::BatchRows(const Options& options)
    : draws(static_cast<std::size_t>(options.batch)),
      row(static_cast<std::size_t>(options.net.input_floats())),
      observations(draws.size() * row),
      next(draws.size() * row),
      actions(draws.size()),
      rewards(draws.size()),
      discounts(draws.size()),
      weights(draws.size(), 1.0F),
      errors(draws.size()) {}

QTraining::QTraining(const Options& options, std::string trainer)
    : options_(options),
      trainer_(std::move(trainer)),
      learner_(options.learning, options.net,
               first_weights(options.net, options.weight_start, options.seed),
               std::max(options.batch, options.envs), options.networks),
      index_(replay::make_index(options.index, options.memory.slots)),
      memory_(options.memory, *index_),
      batch_(options) {}

void QTraining::train(std::int64_t frames, std::int64_t step) {
  if (step > options_.learning_starts) due_ += frames;
  if (index_->size() < batch_.draws.size()) due_ = 0;  // not to be made up for later
  const double done =
      std::min(static_cast<double>(step) / static_cast<double>(options_.frames_total), 1.0);
  for (; due_ >= options_.train_every; due_ -= options_.train_every)
    for (int i = 0; i < options_.updates && !learner_.diverged(); ++i) learn(done);
}

void QTraining::learn(double done) {
  envs::Stream random(options_.seed, envs::Purpose::replay, static_cast<std::uint64_t>(updates_++));
  index_->draw(batch_.draws, random);
  for (std::size_t i = 0; i < batch_.draws.size(); ++i) {
    float action = 0;
    const auto backup = memory_.read(batch_.draws[i].slot, &batch_.observations[i * batch_.row],
                                     &batch_.next[i * batch_.row], {&action, 1});
    batch_.actions[i] = static_cast<std::int32_t>(action);
    batch_.rewards[i] = backup.reward;
    batch_.discounts[i] = backup.discount;
  }
  const bool prioritized = options_.index.priority != replay::Priority::uniform;
  if (prioritized)
    importance_weights(batch_.draws, index_->size(), options_.beta.at(done), batch_.weights);
  learner_.update(
      {options_.batch, batch_.observations.data(), batch_.next.data(), batch_.actions.data(),
       batch_.rewards.data(), batch_.discounts.data(), batch_.weights.data()},
      options_.rate.at(done), batch_.errors);
  if (!prioritized || learner_.diverged()) return;
  for (std::size_t i = 0; i < batch_.draws.size(); ++i)
    index_->set_error(batch_.draws[i].slot, static_cast<double>(batch_.errors[i]));
}

void QTraining::add_metrics(double seconds, std::vector<trainers::MetricPoint>& points) {
  const auto meter = learner_.take_meter();
  points.push_back({"replay_size", static_cast<double>(index_->size())});
  if (meter.updates == 0) return;
  const auto updates = static_cast<double>(meter.updates);
  points.insert(points.end(), {{"q_loss", meter.loss / updates},
                               {"q_value", meter.value / updates},
                               {"gradient_norm", meter.gradient_norm / updates},
                               {"learning_rate", meter.rate}});
  if (seconds > 0) points.push_back({"updates_per_s", updates / seconds});
}

ga3c::Model QTraining::model(std::int64_t step) const {
  const auto learned = learner_.state();
  ga3c::Model model;
  model.env = options_.env.name;
  model.net = options_.net;
  model.frames = step;
  model.optimizer = options_.learning.optimizer.kind;
  model.parameters = {learned.weights, learned.mean_square, learned.mean, due_, learned.updates};
  model.trainer = trainer_;
  return model;
}

Status QTraining::write(const std::filesystem::path& path, const ga3c::Model& model) const {
  auto file = file_of(model);
  put_parts(file, options_.net, learner_.state().target, "target.");
  if (options_.checkpoint_replay) put_replay(memory_, *index_, file);
  return write_tensor_file(path, file);
}

Result<ga3c::Model> QTraining::read(const std::filesystem::path& path, std::size_t groups) {
  const auto file = trainers::read_tensor_file(path);
  if (!file) return file.error();
  auto model = ga3c::model_of(*file, path);
  if (!model) return model;
  const auto other = [&](const std::string& what) { return other_settings(path, what); };
  if (model->trainer != trainer_) return other("trainer");
  model->net.storage = options_.net.storage;
  if (model->env != options_.env.name) return other("environment (" + model->env + ")");
  if (model->net != options_.net) return other("network");
  if (model->optimizer != options_.learning.optimizer.kind) return other("optimizer");
  if (model->groups.size() != groups) return other("number of environments");
  const auto exists = [&](float action) {
    return action >= 0 && action < static_cast<float>(options_.net.actions);
  };
  if (!take_replay(*file, exists, *index_, memory_)) return other("replay memory");
  if (!restore(*model, *file))
    return refuse(Code::invalid, path.string() + " is damaged: a tensor is missing or wrong");
  return model;
}

bool QTraining::restore(const ga3c::Model& model, const trainers::TensorFile& file) {
  auto target = take_parts(file, options_.net, "target.");
  const std::int64_t due = model.parameters.frames;  // each is of an update that waits
  if (!target || due < 0 || due > model.frames || model.parameters.updates < 0) return false;
  learner_.restore({model.parameters.weights, *std::move(target), model.parameters.mean_square,
                    model.parameters.mean, model.parameters.updates});
  due_ = due;
  updates_ = model.parameters.updates;
  return true;
}

Error other_settings(const std::filesystem::path& path, const std::string& what) {
  return refuse(
      Code::invalid,
      path.string() + " cannot be continued with these settings: it was made with another " + what);
}

}  // namespace hone::dqn
