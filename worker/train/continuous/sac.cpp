// Soft actor-critic (Haarnoja et al., 2018): one thread plays environments with continuous actions
// by a random policy that is rewarded for its entropy, keeps the steps in a replay memory, and
// trains on draws from it. Equal settings and seeds give equal models; a run that is resumed from a
// checkpoint with its memory ends with the same bytes.
#include <algorithm>

#include "worker/train/continuous/options.hpp"
#include "worker/train/continuous/sac_model.hpp"
#include "worker/train/continuous/sac_player.hpp"
#include "worker/train/replay/checkpoint.hpp"
#include "worker/train/rl/evaluate.hpp"
#include "worker/train/rl/loop.hpp"
#include "worker/train/rl/model.hpp"
#include "worker/train/rl/play_meter.hpp"
#include "worker/train/table.hpp"

namespace hone::sac {
namespace {

// The rows of a batch, drawn from the memory.
struct BatchRows {
  explicit BatchRows(const Options& options)
      : draws(static_cast<std::size_t>(options.batch)),
        row(static_cast<std::size_t>(options.net.inputs)),
        each(static_cast<std::size_t>(options.net.actions)),
        observations(draws.size() * row),
        next(draws.size() * row),
        actions(draws.size() * each),
        rewards(draws.size()),
        discounts(draws.size()) {}

  void read(std::size_t i, const replay::Memory& memory) {
    const auto backup = memory.read(draws[i].slot, &observations[i * row], &next[i * row],
                                    std::span(actions).subspan(i * each, each));
    rewards[i] = backup.reward;
    discounts[i] = backup.discount;
  }

  std::vector<replay::Draw> draws;
  std::size_t row, each;
  dense::Floats observations, next;
  std::vector<float> actions, rewards, discounts;
};

class Sac final : public trainers::Trainer {
 public:
  Sac(const Options& options, std::unique_ptr<envs::VecEnv> env)
      : options_(options),
        learner_(options.learning, options.net, options.seed,
                 std::max(options.batch, options.envs)),
        index_(replay::make_index({}, options.memory.slots)),
        memory_(options.memory, *index_),
        player_(std::move(env),
                {options.learning_starts, options.random_hold, options.reward_scale, options.seed}),
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

  Options options_;
  SacLearner learner_;
  std::unique_ptr<replay::Index> index_;
  replay::Memory memory_;
  SacPlayer player_;
  BatchRows batch_;
  rl::EpisodeLog episodes_;
  std::int64_t step_ = 0;
  std::int64_t due_ = 0;      // frames since the last training
  std::int64_t updates_ = 0;  // address the random numbers of an update
  std::optional<trainers::Solved> solved_;
  rl::PlayMeter played_;
};

void Sac::advance(std::int64_t until_step, const std::stop_token& stop,
                  const std::function<void()>& tick) {
  rl::run_loop(stop, tick, [&] {
    if (step_ >= until_step || learner_.diverged()) return false;
    play();
    train();
    return true;
  });
}

void Sac::play() {
  const auto frame = step_;
  step_ += player_.count();  // counts the frames of an episode that ends now
  player_.step(frame, learner_, memory_, episodes_);
  if (step_ > options_.learning_starts) due_ += player_.count();
}

void Sac::train() {
  if (index_->size() < batch_.draws.size()) due_ = 0;  // not to be made up for later
  for (; due_ >= options_.train_every; due_ -= options_.train_every)
    for (int i = 0; i < options_.updates && !learner_.diverged(); ++i) learn();
}

void Sac::learn() {
  envs::Stream random(options_.seed, envs::Purpose::replay, static_cast<std::uint64_t>(updates_++));
  index_->draw(batch_.draws, random);
  for (std::size_t i = 0; i < batch_.draws.size(); ++i) batch_.read(i, memory_);
  learner_.update({options_.batch, batch_.observations.data(), batch_.next.data(),
                   batch_.actions.data(), batch_.rewards.data(), batch_.discounts.data()},
                  options_.rate.at(done()), random);
}

Score Sac::value() const {
  if (learner_.diverged()) return Score::diverged();
  const auto last = episodes_.state().last;
  return Score::of(rl::mean(last.empty() ? player_.running_returns() : last));
}

std::vector<trainers::MetricPoint> Sac::take_metrics() {
  std::vector<trainers::MetricPoint> points;
  const double seconds = played_.take(step_, episodes_.state(), points);
  const auto meter = learner_.take_meter();
  if (meter.updates > 0 && !learner_.diverged()) {
    const auto updates = static_cast<double>(meter.updates);
    points.insert(points.end(), {{"q_loss", meter.critic_loss / updates},
                                 {"q_value", meter.value / updates},
                                 {"entropy", meter.entropy / updates},
                                 {"gradient_norm", meter.gradient_norm / updates},
                                 {"learning_rate", meter.rate}});
    if (seconds > 0) points.push_back({"updates_per_s", updates / seconds});
  }
  points.push_back({"temperature", learner_.temperature()});
  points.push_back({"replay_size", static_cast<double>(index_->size())});
  return points;
}

Status Sac::save(const std::filesystem::path& path) const {
  const auto learned = learner_.state();
  rl::Model model;
  model.env = options_.env.name;
  model.net = options_.net;
  model.frames = step_;
  model.optimizer = options_.learning.optimizer.kind;
  model.parameters = {learned.policy.weights, learned.policy.mean_square, learned.policy.mean, due_,
                      learned.updates};
  model.episodes = episodes_.state();
  model.groups.push_back(player_.state());
  model.trainer = "sac";
  auto file = file_of(model);
  put_critics(learned, options_.net, file);
  if (options_.checkpoint_replay) put_replay(memory_, *index_, file);
  return write_tensor_file(path, file);
}

Status Sac::load(const std::filesystem::path& path) {
  const auto file = trainers::read_tensor_file(path);
  if (!file) return file.error();
  auto model = rl::model_of(*file, path);
  if (!model) return model.error();
  const auto other = [&](const std::string& what) { return rl::made_with_another(path, what); };
  if (model->trainer != "sac") return other("trainer");
  if (model->env != options_.env.name) return other("environment (" + model->env + ")");
  if (model->net != options_.net) return other("network");
  if (model->groups.size() != 1) return other("number of environments");
  const auto possible = [](float number) { return std::abs(number) <= 1; };
  if (!take_replay(*file, possible, *index_, memory_)) return other("replay memory");
  if (!player_.restore(model->groups.front(), memory_)) return other("number of environments");
  const auto learned = take_critics(*file, model->parameters, options_.net);
  const std::int64_t due = model->parameters.frames;  // each is of an update that waits
  if (!learned || due < 0 || due > model->frames || learned->updates < 0 ||
      !learner_.restore(*learned))
    return refuse(Code::invalid, path.string() + " is damaged: a tensor is missing or wrong");
  episodes_.restore(model->episodes);
  step_ = model->frames;
  played_.start_at(step_);
  due_ = due;
  updates_ = learned->updates;
  return Done{};
}

// Refuses settings that contradict each other or the environment.
Result<std::unique_ptr<trainers::Trainer>> make(const trainers::TrainingJob& job) {
  auto options = options_of(job);
  if (!options) return std::move(options).error();
  auto env = options->env.make({options->envs, options->seed, 0, {}});
  if (!env) return std::move(env).error();
  return std::unique_ptr<trainers::Trainer>(std::make_unique<Sac>(*options, std::move(*env)));
}

}  // namespace
}  // namespace hone::sac

namespace hone::trainers {

TrainerRow sac_row() { return {.make = sac::make, .evaluate = rl::evaluate}; }

}  // namespace hone::trainers
