#include "worker/train/value/dqn.hpp"

#include <algorithm>
#include <chrono>

#include "worker/train/actor_critic/evaluate.hpp"
#include "worker/train/actor_critic/model.hpp"
#include "worker/train/actor_critic/telemetry.hpp"
#include "worker/train/table.hpp"
#include "worker/train/value/options.hpp"
#include "worker/train/value/player.hpp"

namespace hone::dqn {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto tick_every = std::chrono::seconds(1);
constexpr const char* trainer_name = "dqn";

// The rows of a batch, drawn from the memory.
struct BatchRows {
  explicit BatchRows(const Options& options)
      : draws(static_cast<std::size_t>(options.batch)),
        row(static_cast<std::size_t>(options.net.input_floats())),
        observations(draws.size() * row),
        next(draws.size() * row),
        actions(draws.size()),
        rewards(draws.size()),
        discounts(draws.size()),
        weights(draws.size(), 1.0F),
        errors(draws.size()) {}

  std::vector<replay::Draw> draws;
  std::size_t row;
  dense::Floats observations, next;
  std::vector<std::int32_t> actions;
  std::vector<float> rewards, discounts, weights, errors;
};

class Dqn final : public trainers::Trainer {
 public:
  Dqn(const Options& options, std::unique_ptr<envs::VecEnv> env)
      : options_(options),
        learner_(options.learning, options.net,
                 first_weights(options.net, options.weight_start, options.seed),
                 std::max(options.batch, options.envs), options.networks),
        index_(replay::make_index(options.index, options.memory.slots)),
        memory_(options.memory, *index_),
        player_(std::move(env),
                {options.exploration, options.learning_starts, options.reward_clip, options.seed}),
        batch_(options) {
    episodes_.watch(options.env.spec.solved_return, [this] {
      solved_ = {step_, trainers::process_cpu_s()};
    });
  }

  void advance(std::int64_t until_step, const std::stop_token& stop,
               const std::function<void()>& tick) override;
  std::int64_t step() const override { return step_; }
  Score value() const override;
  std::optional<trainers::Solved> solved() const override { return solved_; }
  std::vector<trainers::MetricPoint> take_metrics() override;
  Status save(const std::filesystem::path& path) const override;
  Status load(const std::filesystem::path& path) override;

 private:
  [[nodiscard]] double done() const {
    return std::min(static_cast<double>(step_) / static_cast<double>(options_.frames_total), 1.0);
  }
  void play();
  void train();
  void learn();
  bool restore(const ga3c::Model& model, const trainers::TensorFile& file);
  bool restore_replay(const trainers::TensorFile& file);

  Options options_;
  QLearner learner_;
  std::unique_ptr<replay::Index> index_;
  replay::Memory memory_;
  Player player_;
  BatchRows batch_;
  ga3c::EpisodeLog episodes_;
  std::int64_t step_ = 0;
  std::int64_t due_ = 0;      // frames since the last training
  std::int64_t updates_ = 0;  // address the draws
  std::optional<trainers::Solved> solved_;
  Clock::time_point metrics_taken_ = Clock::now();
  std::int64_t metrics_step_ = 0;
};

void Dqn::advance(std::int64_t until_step, const std::stop_token& stop,
                  const std::function<void()>& tick) {
  auto next_tick = Clock::now() + tick_every;
  while (step_ < until_step && !stop.stop_requested() && !learner_.diverged()) {
    play();
    train();
    if (Clock::now() < next_tick) continue;
    tick();
    next_tick = Clock::now() + tick_every;
  }
}

void Dqn::play() {
  const auto frame = step_;
  step_ += player_.count();  // counts the frames of an episode that ends now
  player_.step(frame, learner_, memory_, episodes_);
  if (step_ > options_.learning_starts) due_ += player_.count();
}

void Dqn::train() {
  if (index_->size() < batch_.draws.size()) due_ = 0;  // not to be made up for later
  for (; due_ >= options_.train_every; due_ -= options_.train_every)
    for (int i = 0; i < options_.updates && !learner_.diverged(); ++i) learn();
}

void Dqn::learn() {
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
    importance_weights(batch_.draws, index_->size(), options_.beta.at(done()), batch_.weights);
  learner_.update(
      {options_.batch, batch_.observations.data(), batch_.next.data(), batch_.actions.data(),
       batch_.rewards.data(), batch_.discounts.data(), batch_.weights.data()},
      options_.rate.at(done()), batch_.errors);
  if (!prioritized || learner_.diverged()) return;
  for (std::size_t i = 0; i < batch_.draws.size(); ++i)
    index_->set_error(batch_.draws[i].slot, static_cast<double>(batch_.errors[i]));
}

Score Dqn::value() const {
  if (learner_.diverged()) return Score::diverged();
  const auto last = episodes_.state().last;
  return Score::of(ga3c::mean(last.empty() ? player_.running_returns() : last));
}

std::vector<trainers::MetricPoint> Dqn::take_metrics() {
  const auto now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - metrics_taken_).count();
  const auto meter = learner_.take_meter();
  const auto episodes = episodes_.state();
  std::vector<trainers::MetricPoint> points;
  if (seconds > 0)
    points.push_back({"frames_per_s", static_cast<double>(step_ - metrics_step_) / seconds});
  if (!episodes.last.empty()) {
    points.push_back({"episode_return", ga3c::mean(episodes.last)});
    points.push_back({"episode_length", ga3c::mean(episodes.last_lengths)});
    points.push_back({"episodes", static_cast<double>(episodes.finished)});
  }
  if (meter.updates > 0) {
    const auto updates = static_cast<double>(meter.updates);
    points.insert(points.end(), {{"q_loss", meter.loss / updates},
                                 {"q_value", meter.value / updates},
                                 {"gradient_norm", meter.gradient_norm / updates},
                                 {"learning_rate", meter.rate}});
    if (seconds > 0) points.push_back({"updates_per_s", updates / seconds});
  }
  points.push_back({"epsilon", player_.epsilon(step_)});
  points.push_back({"replay_size", static_cast<double>(index_->size())});
  metrics_taken_ = now;
  metrics_step_ = step_;
  return points;
}

template <class T>
trainers::Tensor flat_tensor(const char* name, std::vector<T> values) {
  return {name, {values.size()}, std::move(values)};
}

Status Dqn::save(const std::filesystem::path& path) const {
  const auto learned = learner_.state();
  ga3c::Model model;
  model.env = options_.env.name;
  model.net = options_.net;
  model.frames = step_;
  model.optimizer = options_.learning.optimizer.kind;
  model.parameters = {learned.weights, learned.mean_square, learned.mean, due_, learned.updates};
  model.episodes = episodes_.state();
  model.groups.push_back(player_.state());
  model.trainer = trainer_name;
  auto file = file_of(model);
  put_parts(file, options_.net, learned.target, "target.");
  if (options_.checkpoint_replay) {
    auto state = memory_.state();
    file.tensors.push_back(flat_tensor("replay.lanes", std::move(state.lanes)));
    file.tensors.push_back(flat_tensor("replay.frames", std::move(state.frames)));
    file.tensors.push_back(flat_tensor("replay.marks", std::move(state.marks)));
    file.tensors.push_back(flat_tensor("replay.actions", std::move(state.actions)));
    file.tensors.push_back(flat_tensor("replay.rewards", std::move(state.rewards)));
    file.tensors.push_back(flat_tensor("replay.index", index_->save()));
  }
  return write_tensor_file(path, file);
}

Status Dqn::load(const std::filesystem::path& path) {
  const auto file = trainers::read_tensor_file(path);
  if (!file) return file.error();
  auto model = ga3c::model_of(*file, path);
  if (!model) return model.error();
  const auto other = [&](const std::string& what) {
    return refuse(Code::invalid,
                  path.string() +
                      " cannot be continued with these settings: it was made with another " + what);
  };
  if (model->trainer != trainer_name) return other("trainer");
  model->net.storage = options_.net.storage;
  if (model->env != options_.env.name) return other("environment (" + model->env + ")");
  if (model->net != options_.net) return other("network");
  if (model->optimizer != options_.learning.optimizer.kind) return other("optimizer");
  if (model->groups.size() != 1) return other("number of environments");
  if (!restore_replay(*file)) return other("replay memory");
  if (!player_.restore(model->groups.front(), memory_)) return other("number of environments");
  if (!restore(*model, *file))
    return refuse(Code::invalid, path.string() + " is damaged: a tensor is missing or wrong");
  return Done{};
}

bool Dqn::restore(const ga3c::Model& model, const trainers::TensorFile& file) {
  auto target = take_parts(file, options_.net, "target.");
  if (!target || model.frames < 0 || model.parameters.frames < 0 || model.parameters.updates < 0)
    return false;
  learner_.restore({model.parameters.weights, *std::move(target), model.parameters.mean_square,
                    model.parameters.mean, model.parameters.updates});
  episodes_.restore(model.episodes);
  step_ = metrics_step_ = model.frames;
  due_ = model.parameters.frames;
  updates_ = model.parameters.updates;
  return true;
}

// A file without a memory is continued with an empty one: training waits until it has a batch.
bool Dqn::restore_replay(const trainers::TensorFile& file) {
  const auto words = [&](const char* name) {
    return trainers::find_tensor<std::uint64_t>(file, name);
  };
  const auto* lanes = words("replay.lanes");
  if (lanes == nullptr) return true;
  const auto* frames = words("replay.frames");
  const auto* marks = words("replay.marks");
  const auto* index = words("replay.index");
  const auto* actions = trainers::find_tensor<float>(file, "replay.actions");
  const auto* rewards = trainers::find_tensor<float>(file, "replay.rewards");
  if (frames == nullptr || marks == nullptr || index == nullptr || actions == nullptr ||
      rewards == nullptr)
    return false;
  for (const float action : *actions)
    if (!(action >= 0 && action < static_cast<float>(options_.net.actions))) return false;
  return index_->restore(*index) && memory_.restore({*lanes, *frames, *marks, *actions, *rewards});
}

}  // namespace

Result<std::unique_ptr<trainers::Trainer>> make(const trainers::TrainingJob& job) {
  auto options = options_of(job);
  if (!options) return std::move(options).error();
  auto env = options->env.make({options->envs, options->seed, 0, options->sticky});
  if (!env) return std::move(env).error();
  return std::unique_ptr<trainers::Trainer>(std::make_unique<Dqn>(*options, std::move(*env)));
}

}  // namespace hone::dqn

namespace hone::trainers {

TrainerRow dqn_row() { return {.make = dqn::make, .evaluate = ga3c::evaluate}; }

}  // namespace hone::trainers
