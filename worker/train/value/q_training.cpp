#include "worker/train/value/q_training.hpp"

#include <algorithm>

#include "worker/train/replay/checkpoint.hpp"

namespace hone::q {

QTraining::QTraining(const Options& options, std::string trainer)
    : options_(options),
      trainer_(std::move(trainer)),
      learner_(options.learning, options.net,
               first_weights(options.net, options.weight_start, options.seed),
               std::max(options.batch, options.envs), options.networks),
      index_(replay::make_index(options.index, options.memory.slots)),
      memory_(options.memory, *index_),
      batch_(options),
      scale_(options.net.inputs) {}

dense::Heads QTraining::outputs(const float* observations, int rows) {
  if (!options_.scale_observations) return learner_.outputs(observations, rows);
  scaled_.assign(observations,
                 observations + static_cast<std::ptrdiff_t>(rows) * options_.net.inputs);
  scale_.apply(scaled_.data(), rows);
  return learner_.outputs(scaled_.data(), rows);
}

void QTraining::observe(std::span<const float> observations) {
  if (options_.scale_observations) scale_.learn(observations.data(), options_.envs);
}

void QTraining::train(std::int64_t frames, std::int64_t step) {
  if (step > options_.learning_starts) due_ += frames;
  if (index_->size() < batch_.size()) due_ = 0;  // not to be made up for later
  const double done =
      std::min(static_cast<double>(step) / static_cast<double>(options_.frames_total), 1.0);
  for (; due_ >= options_.train_every; due_ -= options_.train_every)
    for (int i = 0; i < options_.updates && !learner_.diverged(); ++i) learn(done);
}

void QTraining::learn(double done) {
  envs::Stream random(options_.seed, envs::Purpose::replay, static_cast<std::uint64_t>(updates_++));
  const auto rows = batch_.draw(memory_, *index_, random, options_.beta.at(done));
  if (options_.scale_observations) batch_.scale(scale_);
  learner_.update(rows, options_.rate.at(done), batch_.errors());
  if (!learner_.diverged()) batch_.set_priorities(*index_);
}

void QTraining::add_metrics(double seconds, std::vector<trainers::MetricPoint>& points) {
  const auto meter = learner_.take_meter();
  points.push_back({"replay_size", static_cast<double>(index_->size())});
  add_learning(meter, seconds, points);
}

rl::Model QTraining::model(std::int64_t step) const {
  const auto learned = learner_.state();
  rl::Model model;
  model.env = options_.env.name;
  model.net = options_.net;
  model.frames = step;
  model.optimizer = options_.learning.optimizer.kind;
  model.parameters = {learned.weights, learned.mean_square, learned.mean, due_, learned.updates};
  model.average = learned.average;
  if (options_.scale_observations) model.observations = scale_.state();
  model.trainer = trainer_;
  return model;
}

Status QTraining::write(const std::filesystem::path& path, const rl::Model& model) const {
  auto file = file_of(model);
  rl::put_parts(file, options_.net, learner_.state().target, "target.");
  if (options_.checkpoint_replay) put_replay(memory_, *index_, file);
  return write_tensor_file(path, file);
}

Result<rl::Model> QTraining::read(const std::filesystem::path& path, std::size_t groups) {
  const auto file = trainers::read_tensor_file(path);
  if (!file) return file.error();
  auto model = q_model_of(*file, path, {options_, trainer_, groups});
  if (!model) return model;
  if (!take_replay(*file, actions_of(options_), *index_, memory_))
    return rl::made_with_another(path, "replay memory");
  if (!restore(*model, *file))
    return refuse(Code::invalid, path.string() + " is damaged: a tensor is missing or wrong");
  return model;
}

bool QTraining::restore(const rl::Model& model, const trainers::TensorFile& file) {
  auto target = rl::take_parts(file, options_.net, "target.");
  const std::int64_t due = model.parameters.frames;  // each is of an update that waits
  if (!target || due < 0 || due > model.frames || model.parameters.updates < 0) return false;
  learner_.restore({model.parameters.weights, *std::move(target), model.parameters.mean_square,
                    model.parameters.mean, model.average, model.parameters.updates});
  if (options_.scale_observations) scale_.restore(model.observations);
  due_ = due;
  updates_ = model.parameters.updates;
  return true;
}

Result<rl::Model> q_model_of(const trainers::TensorFile& file, const std::filesystem::path& path,
                             const QModelPlan& plan) {
  auto model = rl::model_of(file, path);
  if (!model) return model;
  const auto& options = plan.options;
  const auto other = [&](const std::string& what) { return rl::made_with_another(path, what); };
  if (model->trainer != plan.trainer) return other("trainer");
  model->net.storage = options.net.storage;
  if (model->env != options.env.name) return other("environment (" + model->env + ")");
  if (model->net != options.net) return other("network");
  if (model->optimizer != options.learning.optimizer.kind) return other("optimizer");
  if (model->observations.mean.empty() == options.scale_observations)
    return other("observation_scale");
  if (model->groups.size() != plan.groups) return other("number of environments");
  return model;
}

std::function<bool(float)> actions_of(const Options& options) {
  return [actions = static_cast<float>(options.net.actions)](float action) {
    return action >= 0 && action < actions;
  };
}

}  // namespace hone::q
