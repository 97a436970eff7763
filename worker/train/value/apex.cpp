// Ape-X DQN (Horgan et al., 2018) as threads: actors, each with its own exploration, play by recent
// weights and compute the first priorities of their transitions; one learner stores and trains
// them. The learner makes an update for every `train_every` frames, and actors wait for it, so that
// runs of equal length make equal numbers of updates on any machine.
#include <mutex>
#include <thread>

#include "worker/train/envs/core/groups.hpp"
#include "worker/train/rl/evaluate.hpp"
#include "worker/train/rl/frames.hpp"
#include "worker/train/rl/play_meter.hpp"
#include "worker/train/rl/weights.hpp"
#include "worker/train/table.hpp"
#include "worker/train/value/actor_threads.hpp"
#include "worker/train/value/apex_actor.hpp"
#include "worker/train/value/apex_processes.hpp"
#include "worker/train/value/q_training.hpp"

namespace hone::q {
namespace {

// Of an actor in this process.
class ThreadLink final : public ApexLink {
 public:
  ThreadLink(rl::FrameCounter& frames, rl::WeightBoard& board, ApexQueue& queue)
      : frames_(frames), board_(board), queue_(queue) {}

  int claim(int columns, int steps_max) override { return frames_.claim(columns, steps_max); }
  std::uint64_t fetch(dense::Floats& weights) override {
    const auto reading = board_.read();
    weights.assign(reading.parameters().begin(), reading.parameters().end());
    return reading.version();
  }
  void hand_over(ApexChunk& chunk) override {
    chunk.hand_over();
    ApexChunk* const item = &chunk;
    queue_.push({&item, 1}, ApexQueue::Wake::one);
  }

 private:
  rl::FrameCounter& frames_;
  rl::WeightBoard& board_;
  ApexQueue& queue_;
};

class Apex final : public trainers::Trainer {
 public:
  explicit Apex(const Options& options)
      : options_(options),
        training_(options_, "apex"),
        board_(training_.learner().weights().size(), options.apex.actors) {
    board_.publish(training_.learner().weights());
    episodes_.watch(options.env.spec.solved_return, [this] {
      solved_ = {frames_.claimed(), trainers::process_cpu_s()};
    });
  }

  // Makes the actors, or what starts their processes. Call it before any other method.
  Status make_actors(const trainers::TrainingJob& job);

  void advance(std::int64_t until_step, const std::stop_token& stop,
               const std::function<void()>& tick) override;
  std::int64_t step() const override { return frames_.claimed(); }
  Score value() const override;
  std::optional<trainers::Solved> solved() const override { return solved_; }
  std::vector<trainers::MetricPoint> take_metrics() override;
  Status save(const std::filesystem::path& path) const override;
  Status load(const std::filesystem::path& path) override;

 private:
  void advance_threads(const std::function<void()>& tick);
  void store_and_train(const ApexChunk& chunk);
  void publish();

  Options options_;
  QTraining training_;
  rl::WeightBoard board_;
  std::vector<std::unique_ptr<ApexActor>> actors_;  // none: they are processes
  std::unique_ptr<ApexProcesses> processes_;
  rl::FrameCounter frames_;
  rl::EpisodeLog episodes_;
  std::optional<trainers::Solved> solved_;  // read while no actor runs
  rl::PlayMeter played_;

  // Of the learner's thread and of take_metrics().
  mutable std::mutex mutex_;
  std::int64_t trained_ = 0;  // frames that the learner has stored
  std::int64_t lag_ = 0;      // sums over chunks since the last metrics
  std::int64_t chunks_ = 0;
  std::uint64_t version_ = 1;  // of the newest weights on the board
};

Status Apex::make_actors(const trainers::TrainingJob& job) {
  if (options_.apex.processes) {
    auto made = ApexProcesses::make(options_, job);
    if (!made) return std::move(made).error();
    processes_ = *std::move(made);
    processes_->publish(training_.learner().weights());
    return Done{};
  }
  const int each = options_.envs / options_.apex.actors;
  auto made = envs::make_groups(options_.env, {each, options_.seed, 0, options_.sticky},
                                options_.apex.actors);
  if (!made) return std::move(made).error();
  for (int i = 0; auto& env : *made)
    actors_.push_back(std::make_unique<ApexActor>(options_, std::move(env), i++));
  return Done{};
}

void Apex::advance(std::int64_t until_step, const std::stop_token& stop,
                   const std::function<void()>& tick) {
  if (training_.learner().diverged()) return;
  frames_.open_until(until_step);
  const std::stop_callback on_stop(stop, [&] { frames_.stop(); });
  for (std::size_t lane = 0; lane < options_.memory.lanes; ++lane) training_.memory().cut(lane);
  if (processes_) {
    processes_->run({frames_, episodes_, training_.memory(),
                     [&](const ApexChunk& chunk) { store_and_train(chunk); }, tick});
    return;
  }
  advance_threads(tick);
}

void Apex::advance_threads(const std::function<void()>& tick) {
  const auto slots = static_cast<std::size_t>(options_.apex.actors * options_.apex.slots);
  ApexQueue queue({slots, 0, 1});
  queue.add_consumer();
  const std::jthread learner([&] {
    queue.consume([&](const auto& chunks) {
      for (auto* chunk : chunks) {
        store_and_train(*chunk);
        chunk->set_stored();
      }
    });
  });
  ThreadLink link(frames_, board_, queue);
  run_threads(
      actors_, [&](ApexActor& actor) { actor.play(link, episodes_); }, tick);
  queue.close();
}

// On the learner's thread.
void Apex::store_and_train(const ApexChunk& chunk) {
  const std::scoped_lock lock(mutex_);
  store(chunk, training_.memory());
  const auto frames = static_cast<std::int64_t>(chunk.steps * chunk.environments);
  trained_ += frames;
  lag_ += static_cast<std::int64_t>(version_ - chunk.version);
  ++chunks_;
  training_.train(frames, trained_);
  if (training_.learner().diverged()) return frames_.stop();
  publish();
}

void Apex::publish() {
  if (processes_)
    processes_->publish(training_.learner().weights());
  else
    board_.publish(training_.learner().weights());
  ++version_;
}

Score Apex::value() const {
  const std::scoped_lock lock(mutex_);
  if (training_.learner().diverged()) return Score::diverged();
  const auto last = episodes_.state().last;
  if (last.empty()) return Score::of(0);  // the actors write the running returns
  return Score::of(rl::mean(last));
}

std::vector<trainers::MetricPoint> Apex::take_metrics() {
  std::vector<trainers::MetricPoint> points;
  const std::scoped_lock lock(mutex_);
  const double seconds = played_.take(frames_.claimed(), episodes_.state(), points);
  training_.add_metrics(seconds, points);
  if (chunks_ > 0)
    points.push_back({"policy_lag", static_cast<double>(lag_) / static_cast<double>(chunks_)});
  points.push_back({"actors", static_cast<double>(options_.apex.actors)});
  lag_ = chunks_ = 0;
  return points;
}

Status Apex::save(const std::filesystem::path& path) const {
  auto model = training_.model(frames_.claimed());
  model.episodes = episodes_.state();
  if (processes_) model.groups = processes_->states();
  for (const auto& actor : actors_) model.groups.push_back(actor->state());
  return training_.write(path, model);
}

Status Apex::load(const std::filesystem::path& path) {
  const auto model = training_.read(path, static_cast<std::size_t>(options_.apex.actors));
  if (!model) return model.error();
  if (processes_) processes_->restore(model->groups);
  for (std::size_t i = 0; i < actors_.size(); ++i)
    if (!actors_[i]->restore(model->groups[i]))
      return rl::made_with_another(path, "number of environments");
  episodes_.restore(model->episodes);
  frames_.restore(model->frames);
  trained_ = model->frames;
  played_.start_at(model->frames);
  publish();
  return Done{};
}

}  // namespace
}  // namespace hone::q

namespace hone::trainers {

TrainerRow apex_row() {
  return {.make = q::make_with_actors<q::Apex, q::apex_options_of>,
          .evaluate = rl::evaluate,
          .serve = q::serve_apex,
          .invites = true};
}

}  // namespace hone::trainers
