#include "worker/trainers/ga3c/ga3c.hpp"

#include <chrono>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <numeric>
#include <thread>

#include "worker/trainers/ga3c/model.hpp"
#include "worker/trainers/ga3c/options.hpp"

namespace hone::ga3c {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto tick_interval = std::chrono::seconds(1);
constexpr int parity_queue = 100;  // roll-outs that may wait, as published

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double process_cpu_s() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

class Ga3c final : public trainers::Trainer {
 public:
  explicit Ga3c(const Options& options)
      : options_(options),
        master_(options.learning, options.net,
                first_weights(options.net, options.weight_start, options.seed),
                options.predictors + options.trainers),
        scale_(options.agent.gamma) {
    for (int i = 0; i < options.agents; ++i) agents_.push_back(make_agent(i));
    episodes_.watch(options.env->spec->solved_return, [this] {
      solved_ = {step(), process_cpu_s()};
    });
  }

  void advance(std::int64_t until_step, const std::stop_token& stop,
               const std::function<void()>& tick) override;
  std::int64_t step() const override { return frames_.claimed(); }
  Score value() const override;
  std::optional<trainers::Solved> solved() const override { return solved_; }
  std::vector<trainers::MetricPoint> take_metrics() override;
  Status save(const std::filesystem::path& path) const override;
  Status load(const std::filesystem::path& path) override;

 private:
  std::unique_ptr<Agent> make_agent(int i);
  [[nodiscard]] int pieces_max() const;
  [[nodiscard]] int predict_rows_max() const {
    return std::max(options_.predict_rows_max, 2 * options_.envs_per_agent);
  }
  [[nodiscard]] int train_samples_max() const {
    return std::max(options_.train_samples_max, options_.agent.t_max);
  }
  void wait_for_agents(const std::function<void()>& tick);
  void play(Agent& agent, PredictionDesk& predictions, TrainingDesk& training);

  Options options_;
  Master master_;
  EpisodeBook episodes_;
  std::optional<trainers::Solved> solved_;  // read while no agent plays
  RewardScale scale_;
  FrameCounter frames_;
  std::vector<std::unique_ptr<Agent>> agents_;

  std::mutex mutex_;
  std::condition_variable agent_done_;
  int playing_ = 0;

  Clock::time_point metrics_taken_ = Clock::now();
  std::int64_t metrics_frames_ = 0;
};

std::unique_ptr<Agent> Ga3c::make_agent(int i) {
  const auto first_index =
      static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(options_.envs_per_agent);
  auto env = options_.env->make({options_.envs_per_agent, options_.seed, first_index});
  auto group = std::make_unique<Group>(std::move(env), options_.seed, first_index);
  if (!options_.parity) return make_corrected_agent(std::move(group), options_.agent, scale_);
  return make_parity_agent(std::move(group), options_.agent,
                           std::max(1, parity_queue / options_.agents));
}

int Ga3c::pieces_max() const {
  return options_.agents * std::max(options_.envs_per_agent, parity_queue);
}

// The threads live for one phase: between phases nothing moves, so a checkpoint sees one state.
void Ga3c::advance(std::int64_t until_step, const std::stop_token& stop,
                   const std::function<void()>& tick) {
  if (master_.diverged()) return;
  frames_.open_until(until_step);
  const std::stop_callback on_stop(stop, [&] { frames_.stop(); });
  PredictionDesk predictions({agents_.size(), options_.predictors, options_.predict_rows_max});
  TrainingDesk training(
      {static_cast<std::size_t>(pieces_max()), options_.trainers, options_.train_samples_max});
  std::vector<std::jthread> servers;
  for (int i = 0; i < options_.predictors; ++i)
    servers.emplace_back([&] {
      Predictor predictor(options_.net, predict_rows_max(), options_.networks);
      predictions.serve_until_closed(
          [&](const auto& batch) { predictor.serve(batch, master_.weights().read().view()); });
    });
  for (int i = 0; i < options_.trainers; ++i)
    servers.emplace_back([&] {
      Learner learner(options_.net, train_samples_max(), options_.networks, master_);
      training.serve_until_closed(
          [&](const auto& batch) { learner.serve(batch, master_.weights().read().view()); });
    });
  playing_ = options_.agents;
  std::vector<std::jthread> players;
  for (auto& agent : agents_) players.emplace_back([&] { play(*agent, predictions, training); });
  wait_for_agents(tick);
  predictions.close();
  training.close();
}

void Ga3c::play(Agent& agent, PredictionDesk& predictions, TrainingDesk& training) {
  QueuedServices services(predictions, training,
                          {Predictor(options_.net, predict_rows_max(), options_.networks),
                           Learner(options_.net, train_samples_max(), options_.networks, master_)},
                          master_);
  agent.play(frames_, episodes_, services);
  const std::scoped_lock lock(mutex_);
  if (--playing_ == 0) agent_done_.notify_one();
}

void Ga3c::wait_for_agents(const std::function<void()>& tick) {
  std::unique_lock lock(mutex_);
  while (!agent_done_.wait_for(lock, tick_interval, [&] { return playing_ == 0; })) {
    lock.unlock();
    tick();
    lock.lock();
  }
}

Score Ga3c::value() const {
  if (master_.diverged()) return Score::diverged();
  const auto last = episodes_.state().last;
  if (!last.empty()) return Score::of(mean(last));
  std::vector<double> running;
  for (const auto& agent : agents_) {
    const auto returns = agent->group().running_returns();
    running.insert(running.end(), returns.begin(), returns.end());
  }
  return Score::of(mean(running));
}

std::vector<trainers::MetricPoint> Ga3c::take_metrics() {
  const auto now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - metrics_taken_).count();
  const auto frames = frames_.claimed() - metrics_frames_;
  metrics_taken_ = now;
  metrics_frames_ += frames;
  std::vector<trainers::MetricPoint> points{
      {"frames_per_s", seconds > 0 ? static_cast<double>(frames) / seconds : 0}};
  const auto last = episodes_.state().last;
  if (!last.empty()) points.push_back({"episode_return", mean(last)});
  const auto meter = master_.take_meter();
  if (meter.updates == 0) return points;
  const auto samples = static_cast<double>(meter.samples);
  const auto updates = static_cast<double>(meter.updates);
  points.insert(points.end(), {{"policy_loss", meter.loss.policy / samples},
                               {"value_loss", meter.loss.value / samples},
                               {"entropy", meter.loss.entropy / samples},
                               {"gradient_norm", meter.gradient_norm / updates},
                               {"policy_lag", meter.policy_lag / samples},
                               {"train_batch", samples / updates}});
  return points;
}

Status Ga3c::save(const std::filesystem::path& path) const {
  Model model{std::string(options_.env->spec->name),
              options_.net,
              frames_.claimed(),
              master_.state(),
              episodes_.state(),
              scale_.state(),
              {}};
  for (const auto& agent : agents_) model.groups.push_back(agent->group().state());
  return write_model(path, model);
}

Status Ga3c::load(const std::filesystem::path& path) {
  const auto model = read_model(path);
  if (!model) return model.error();
  const auto other = [&](const std::string& what) {
    return refuse(Code::invalid,
                  path.string() + " cannot be continued here: it was made with another " + what);
  };
  if (model->env != options_.env->spec->name) return other("environment (" + model->env + ")");
  if (model->net != options_.net)
    return other("network (hidden = " + std::to_string(model->net.hidden) +
                 ", layers = " + std::to_string(model->net.layers) + ")");
  if (model->groups.size() != agents_.size()) return other("number of agents");
  for (std::size_t i = 0; i < agents_.size(); ++i)
    if (!agents_[i]->group().restore(model->groups[i])) return other("number of environments");
  master_.restore(model->master);
  episodes_.restore(model->episodes);
  scale_.restore(model->scale);
  frames_.restore(model->frames);
  metrics_frames_ = model->frames;
  return Done{};
}

}  // namespace

Result<std::unique_ptr<trainers::Trainer>> make(const trainers::TrainingJob& job) {
  const auto options = options_of(job);
  if (!options) return options.error();
  return std::unique_ptr<trainers::Trainer>(std::make_unique<Ga3c>(*options));
}

}  // namespace hone::ga3c
