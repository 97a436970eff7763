// Deep Q-networks (Mnih et al., 2015): one thread plays environments with random exploration, keeps
// the steps in a replay memory, and trains on draws from it. Equal settings and seeds give equal
// models; a run that is resumed from a checkpoint with its memory ends with the same bytes.
#include "worker/train/rl/evaluate.hpp"
#include "worker/train/rl/loop.hpp"
#include "worker/train/rl/play_meter.hpp"
#include "worker/train/table.hpp"
#include "worker/train/value/options.hpp"
#include "worker/train/value/player.hpp"
#include "worker/train/value/q_training.hpp"

namespace hone::q {
namespace {

class Dqn final : public trainers::Trainer {
 public:
  Dqn(const Options& options, std::unique_ptr<envs::VecEnv> env)
      : options_(options),
        training_(options_, "dqn"),
        player_(std::move(env), {options.exploration, options.learning_starts, options.reward_clip,
                                 options.seed, 0, options.envs}),
        outputs_([this](const float* observations, int rows) {
          return training_.outputs(observations, rows);
        }) {
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
  void play();

  Options options_;
  QTraining training_;
  Player player_;
  QOutputs outputs_;
  rl::EpisodeLog episodes_;
  std::int64_t step_ = 0;
  std::optional<trainers::Solved> solved_;
  rl::PlayMeter played_;
};

void Dqn::advance(std::int64_t until_step, const std::stop_token& stop,
                  const std::function<void()>& tick) {
  rl::run_loop(stop, tick, [&] {
    if (step_ >= until_step || training_.learner().diverged()) return false;
    play();
    training_.train(player_.count(), step_);
    return true;
  });
}

void Dqn::play() {
  const auto frame = step_;
  step_ += player_.count();  // counts the frames of an episode that ends now
  player_.step(frame, frame, outputs_, training_.memory(), episodes_);
  training_.observe(player_.latest());
}

Score Dqn::value() const {
  if (training_.learner().diverged()) return Score::diverged();
  const auto last = episodes_.state().last;
  return Score::of(rl::mean(last.empty() ? player_.running_returns() : last));
}

std::vector<trainers::MetricPoint> Dqn::take_metrics() {
  std::vector<trainers::MetricPoint> points;
  const double seconds = played_.take(step_, episodes_.state(), points);
  training_.add_metrics(seconds, points);
  points.push_back({"epsilon", player_.epsilon(step_)});
  return points;
}

Status Dqn::save(const std::filesystem::path& path) const {
  auto model = training_.model(step_);
  model.episodes = episodes_.state();
  model.groups.push_back(player_.state());
  return training_.write(path, model);
}

Status Dqn::load(const std::filesystem::path& path) {
  const auto model = training_.read(path, 1);
  if (!model) return model.error();
  if (!player_.restore(model->groups.front(), training_.memory()))
    return rl::made_with_another(path, "number of environments");
  episodes_.restore(model->episodes);
  step_ = model->frames;
  played_.start_at(step_);
  return Done{};
}

// Refuses settings that contradict each other or the environment.
Result<std::unique_ptr<trainers::Trainer>> make(const trainers::TrainingJob& job) {
  auto options = options_of(job);
  if (!options) return std::move(options).error();
  auto env = options->env.make({options->envs, options->seed, 0, options->sticky});
  if (!env) return std::move(env).error();
  return std::unique_ptr<trainers::Trainer>(std::make_unique<Dqn>(*options, std::move(*env)));
}

}  // namespace
}  // namespace hone::q

namespace hone::trainers {

TrainerRow dqn_row() { return {.make = q::make, .evaluate = rl::evaluate}; }

}  // namespace hone::trainers
