// The actor-critics, on the same agents, networks and learners:
//   GA3C  agents play groups of environments, predictors evaluate the network for them in batches,
//         trainers turn queued rollouts into updates; one network serves all agents
//         (Babaeizadeh et al., 2017).
//   A3C   every agent predicts and trains on its own thread and applies its gradients to the shared
//         weights without waiting for the others; no queues (Mnih et al., 2016).
//   A2C   every agent predicts on its own thread; the gradients of all agents are added up to one
//         update, after which all agents continue.
//   PPO   one agent; each rollout is trained several times in shuffled minibatches
//         (Schulman et al., 2017).
//   IMPALA  actors predict on their own threads and continue to play while what they played waits.
//         A learner, or those that wait for a free rollout, train it, corrected by V-trace
//         (Espeholt et al., 2018).
#include <chrono>
#include <numeric>
#include <tuple>

#include "worker/train/actor_critic/actor_pool.hpp"
#include "worker/train/actor_critic/impala_processes.hpp"
#include "worker/train/actor_critic/telemetry.hpp"
#include "worker/train/envs/core/groups.hpp"
#include "worker/train/rl/evaluate.hpp"
#include "worker/train/rl/model.hpp"
#include "worker/train/table.hpp"

namespace hone::ac {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto tick_interval = std::chrono::seconds(1);

// Empty for those that continue each other's files.
std::string name_in_files(Scheme scheme) {
  switch (scheme) {
    case Scheme::ga3c:
    case Scheme::a3c:
    case Scheme::a2c:
      return "";
    case Scheme::ppo:
      return "ppo";
    case Scheme::impala:
      break;
  }
  return "impala";
}

class ActorCritic final : public trainers::Trainer {
 public:
  explicit ActorCritic(const Options& options)
      : options_(options),
        server_(options.learning, options.net,
                first_weights(options.net, options.weight_start, options.seed, options.deviation),
                options.counts_max.agents + options.counts_max.predictors +
                    options.counts_max.trainers),
        scale_(options.agent.discount.gamma),
        observations_(options.env.spec.observation_size),
        tuner_(options.counts, options.counts_max, options.seed) {
    // A2C's agents wait for each other, so each has its own equal share of the frames.
    counters_ = std::vector<rl::FrameCounter>(
        static_cast<std::size_t>(options.scheme == Scheme::a2c ? options.counts.agents : 1));
    episodes_.watch(options.env.spec.solved_return, [this] {
      solved_ = {step(), trainers::process_cpu_s()};
    });
  }

  // Makes the actors, or what starts their processes. Call it before any other method.
  Status make_actors(const trainers::TrainingJob& job);

  void advance(std::int64_t until_step, const std::stop_token& stop,
               const std::function<void()>& tick) override;
  std::int64_t step() const override;
  Score value() const override;
  std::optional<trainers::Solved> solved() const override { return solved_; }
  std::vector<trainers::MetricPoint> take_metrics() override;
  Status save(const std::filesystem::path& path) const override;
  Status load(const std::filesystem::path& path) override;

 private:
  // Makes the actors and environments of the first `agents` that do not exist yet.
  Status grow(int agents);
  std::unique_ptr<Agent> agent_of(std::unique_ptr<EnvGroup> group);
  void open_until(std::int64_t end);
  void restore(const rl::Model& model);
  void supervise(ActorPool& pool, const std::function<void()>& tick);
  void adjust(ActorPool& pool, Clock::duration worked);
  [[nodiscard]] std::int64_t progress() const;
  // Returns false if they are of another number of environments.
  bool restore_groups(const std::vector<EnvGroup::State>& groups);

  Options options_;
  ParameterServer server_;
  rl::EpisodeLog episodes_;
  rl::RewardScale scale_;
  rl::ObservationScale observations_;
  std::vector<rl::FrameCounter> counters_;
  std::vector<Actor> actors_;  // none: they are processes
  std::unique_ptr<ImpalaProcesses> processes_;
  std::optional<trainers::Solved> solved_;  // read while no actor runs
  Telemetry telemetry_;
  ActorPool* pool_ = nullptr;  // while advance() runs

  WorkerCountTuner tuner_;
  Clock::duration window_{};  // of the measurement under way, without the time between phases
  std::int64_t window_start_ = 0;
};

Status ActorCritic::make_actors(const trainers::TrainingJob& job) {
  if (!options_.processes) {
    auto grown = grow(options_.counts.agents);
    telemetry_ = {};  // environments of other programs take seconds to start
    return grown;
  }
  auto made = ImpalaProcesses::make(options_, job, server_);
  if (!made) return std::move(made).error();
  processes_ = *std::move(made);
  return Done{};
}

Status ActorCritic::grow(int agents) {
  const auto first_index = [&] {
    return actors_.size() * static_cast<std::uint64_t>(options_.envs_per_agent);
  };
  auto made = envs::make_groups(
      options_.env, {options_.envs_per_agent, options_.seed, first_index(), options_.sticky},
      agents - static_cast<int>(actors_.size()));
  if (!made) return std::move(made).error();
  for (auto& env : *made) {
    if (options_.scale_observations)
      env = scaled_env(std::move(env), observations_, rl::Scaling::learned);
    auto group = std::make_unique<EnvGroup>(std::move(env), options_.seed, first_index());
    actors_.push_back(
        {agent_of(std::move(group)),
         std::make_unique<rl::FrameBudget>(counters_[actors_.size() % counters_.size()])});
  }
  return Done{};
}

std::unique_ptr<Agent> ActorCritic::agent_of(std::unique_ptr<EnvGroup> group) {
  if (options_.parity)
    return make_parity_agent(std::move(group), options_.agent, options_.parity_slots());
  if (options_.scheme == Scheme::impala)
    return make_queueing_agent(std::move(group), options_.agent, options_.impala_slots, scale_);
  return make_corrected_agent(std::move(group), options_.agent, scale_);
}

void ActorCritic::open_until(std::int64_t end) {
  const auto shares = static_cast<std::int64_t>(counters_.size());
  for (auto& counter : counters_) counter.open_until((end + shares - 1) / shares);
}

std::int64_t ActorCritic::step() const {
  std::int64_t frames = 0;
  for (const auto& counter : counters_) frames += counter.claimed();
  return frames;
}

void ActorCritic::advance(std::int64_t until_step, const std::stop_token& stop,
                          const std::function<void()>& tick) {
  if (server_.diverged()) return;
  open_until(until_step);
  const std::stop_callback on_stop(stop, [&] {
    for (auto& counter : counters_) counter.stop();
  });
  if (processes_) {
    processes_->run({counters_.front(), episodes_, scale_, tick});
    telemetry_.add({{}, processes_->take_meter()});
    return;
  }
  const auto pool = make_actor_pool({options_, server_, episodes_});
  pool_ = pool.get();
  pool->resize(tuner_.now(), actors_);
  supervise(*pool, tick);
  telemetry_.add(pool->take_meters());
  pool_ = nullptr;
}

void ActorCritic::supervise(ActorPool& pool, const std::function<void()>& tick) {
  auto last = Clock::now();
  auto next_tick = last + tick_interval;
  const auto deadline = [&] {
    return options_.dynamic ? std::min(next_tick, last + options_.dynamic_wait - window_)
                            : next_tick;
  };
  while (!pool.wait_until(deadline())) {
    const auto now = Clock::now();
    if (options_.dynamic) adjust(pool, now - last);
    last = now;
    if (now < next_tick) continue;
    tick();
    next_tick = now + tick_interval;
  }
  window_ += Clock::now() - last;
}

// What the dynamic adjustment counts: frames, or updates as the published code does.
std::int64_t ActorCritic::progress() const { return options_.parity ? server_.updates() : step(); }

void ActorCritic::adjust(ActorPool& pool, Clock::duration worked) {
  window_ += worked;
  if (window_ < options_.dynamic_wait) return;
  const auto done = static_cast<double>(progress() - window_start_);
  const auto counts = tuner_.judge(done / std::chrono::duration<double>(window_).count());
  // On failure the actors that have environments continue.
  std::ignore = grow(counts.agents);
  pool.resize(counts, actors_);
  window_ = {};
  window_start_ = progress();
}

Score ActorCritic::value() const {
  if (server_.diverged()) return Score::diverged();
  const auto last = episodes_.state().last;
  if (!last.empty()) return Score::of(rl::mean(last));
  // The actors write the running returns.
  if (pool_ != nullptr || processes_) return Score::of(0);
  std::vector<double> running;
  for (const auto& actor : actors_) {
    const auto returns = actor.agent->group().running_returns();
    running.insert(running.end(), returns.begin(), returns.end());
  }
  return Score::of(rl::mean(running));
}

std::vector<trainers::MetricPoint> ActorCritic::take_metrics() {
  if (pool_ != nullptr) telemetry_.add(pool_->take_meters());
  if (processes_) telemetry_.add({{}, processes_->take_meter()});
  return telemetry_.take(step(), episodes_.state(), server_.take_meter(), tuner_.now());
}

Status ActorCritic::save(const std::filesystem::path& path) const {
  rl::Model model{
      options_.env.name,
      options_.net,
      step(),
      options_.learning.optimizer.kind,
      server_.state(),
      episodes_.state(),
      scale_.state(),
      options_.scale_observations ? observations_.state() : rl::ObservationScale::State{},
      tuner_.state(),
      {}};
  if (processes_) model.groups = processes_->states();
  for (const auto& actor : actors_) model.groups.push_back(actor.agent->group().state());
  model.trainer = name_in_files(options_.scheme);
  return write_model(path, model);
}

Status ActorCritic::load(const std::filesystem::path& path) {
  auto model = rl::read_model(path);
  if (!model) return model.error();
  model->net.storage = options_.net.storage;
  const auto other = [&](const std::string& what) { return rl::made_with_another(path, what); };
  if (model->trainer != name_in_files(options_.scheme)) return other("trainer");
  if (model->env != options_.env.name) return other("environment (" + model->env + ")");
  if (model->net != options_.net)
    return other("network (hidden = " + std::to_string(model->net.hidden) +
                 ", layers = " + std::to_string(model->net.layers) + ")");
  if (model->optimizer != options_.learning.optimizer.kind) return other("optimizer");
  if (model->observations.mean.empty() == options_.scale_observations)
    return other("observation_scale");
  const auto groups = static_cast<int>(model->groups.size());
  if (options_.dynamic ? groups > options_.counts_max.agents : groups != options_.counts.agents)
    return other("number of agents");
  if (!processes_)
    if (auto grown = grow(groups); !grown) return grown;
  // Before the environments: they scale the observations that they restore.
  if (options_.scale_observations) observations_.restore(model->observations);
  if (!restore_groups(model->groups)) return other("number of environments");
  restore(*model);
  return Done{};
}

bool ActorCritic::restore_groups(const std::vector<EnvGroup::State>& groups) {
  if (processes_) processes_->restore(groups);
  for (std::size_t i = 0; i < actors_.size(); ++i)
    if (!actors_[i].agent->group().restore(groups[i])) return false;
  return true;
}

void ActorCritic::restore(const rl::Model& model) {
  server_.restore(model.parameters);
  episodes_.restore(model.episodes);
  scale_.restore(model.scale);
  if (options_.dynamic && model.counts.kept.agents <= static_cast<int>(actors_.size()))
    tuner_.restore(model.counts);
  const auto shares = static_cast<std::int64_t>(counters_.size());
  for (auto& counter : counters_) counter.restore(model.frames / shares);
  window_start_ = progress();
  telemetry_.start_at(step());
}

// Refuses settings that contradict each other.
template <Scheme scheme>
Result<std::unique_ptr<trainers::Trainer>> make(const trainers::TrainingJob& job) {
  auto options = options_of(scheme, job);
  if (!options) return std::move(options).error();
  auto trainer = std::make_unique<ActorCritic>(*options);
  if (auto made = trainer->make_actors(job); !made) return std::move(made).error();
  return std::unique_ptr<trainers::Trainer>(std::move(trainer));
}

}  // namespace
}  // namespace hone::ac

namespace hone::trainers {

template <ac::Scheme scheme>
constexpr TrainerRow row{.make = ac::make<scheme>, .evaluate = rl::evaluate};

TrainerRow ga3c_row() { return row<ac::Scheme::ga3c>; }
TrainerRow a3c_row() { return row<ac::Scheme::a3c>; }
TrainerRow a2c_row() { return row<ac::Scheme::a2c>; }
TrainerRow ppo_row() { return row<ac::Scheme::ppo>; }
TrainerRow impala_row() {
  auto impala = row<ac::Scheme::impala>;
  impala.serve = ac::serve_impala;
  impala.invites = true;
  return impala;
}

}  // namespace hone::trainers
