#include "worker/train/actor_critic/actor_critic.hpp"

#include <chrono>
#include <ctime>
#include <numeric>
#include <tuple>

#include "worker/train/actor_critic/crew.hpp"
#include "worker/train/actor_critic/model.hpp"
#include "worker/train/actor_critic/telemetry.hpp"

namespace hone::ga3c {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto tick_interval = std::chrono::seconds(1);

double process_cpu_s() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

class ActorCritic final : public trainers::Trainer {
 public:
  explicit ActorCritic(const Options& options)
      : options_(options),
        master_(options.learning, options.net,
                first_weights(options.net, options.weight_start, options.seed, options.deviation),
                options.most.agents + options.most.predictors + options.most.trainers),
        scale_(options.agent.discount.gamma),
        observations_(options.env.spec.observation_size),
        tuner_(options.staff, options.most, options.seed) {
    // A2C's agents wait for each other, so each has its own equal share of the frames.
    counters_ = std::vector<FrameCounter>(
        static_cast<std::size_t>(options.scheme == Scheme::a2c ? options.staff.agents : 1));
    episodes_.watch(options.env.spec.solved_return, [this] {
      solved_ = {step(), process_cpu_s()};
    });
  }

  // Makes the environments of the first `agents`, where they are not made yet; call before the
  // rest.
  Status grow(int agents);

  void advance(std::int64_t until_step, const std::stop_token& stop,
               const std::function<void()>& tick) override;
  std::int64_t step() const override;
  Score value() const override;
  std::optional<trainers::Solved> solved() const override { return solved_; }
  std::vector<trainers::MetricPoint> take_metrics() override;
  Status save(const std::filesystem::path& path) const override;
  Status load(const std::filesystem::path& path) override;

 private:
  void open_until(std::int64_t end);
  void restore(const Model& model);
  void supervise(Crew& crew, const std::function<void()>& tick);
  void adjust(Crew& crew, Clock::duration worked);

  Options options_;
  Master master_;
  EpisodeBook episodes_;
  RewardScale scale_;
  ObservationScale observations_;
  std::vector<FrameCounter> counters_;
  std::vector<Player> players_;
  std::optional<trainers::Solved> solved_;  // read while no agent plays
  Telemetry telemetry_;
  Crew* crew_ = nullptr;  // of the phase under way

  StaffTuner tuner_;
  Clock::duration window_{};  // worked in the window under way, phases apart
  std::int64_t window_start_ = 0;
};

Status ActorCritic::grow(int agents) {
  for (auto i = players_.size(); i < static_cast<std::size_t>(agents); ++i) {
    const auto first_index = i * static_cast<std::uint64_t>(options_.envs_per_agent);
    auto env =
        options_.env.make({options_.envs_per_agent, options_.seed, first_index, options_.sticky});
    if (!env) return std::move(env).error();
    if (options_.scale_observations)
      *env = scaled_env(std::move(*env), observations_, Scaling::learned);
    auto group = std::make_unique<Group>(std::move(*env), options_.seed, first_index);
    auto agent = options_.parity
                     ? make_parity_agent(std::move(group), options_.agent, options_.parity_slots())
                     : make_corrected_agent(std::move(group), options_.agent, scale_);
    players_.push_back(
        {std::move(agent), std::make_unique<Shift>(counters_[i % counters_.size()])});
  }
  return Done{};
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
  if (master_.diverged()) return;
  open_until(until_step);
  const std::stop_callback on_stop(stop, [&] {
    for (auto& counter : counters_) counter.stop();
  });
  const auto crew = make_crew({options_, master_, episodes_});
  crew_ = crew.get();
  crew->employ(tuner_.now(), players_);
  supervise(*crew, tick);
  telemetry_.add(crew->take_meters());
  crew_ = nullptr;
}

void ActorCritic::supervise(Crew& crew, const std::function<void()>& tick) {
  auto last = Clock::now();
  auto next_tick = last + tick_interval;
  const auto deadline = [&] {
    return options_.dynamic ? std::min(next_tick, last + options_.dynamic_wait - window_)
                            : next_tick;
  };
  while (!crew.wait_until(deadline())) {
    const auto now = Clock::now();
    if (options_.dynamic) adjust(crew, now - last);
    last = now;
    if (now < next_tick) continue;
    tick();
    next_tick = now + tick_interval;
  }
  window_ += Clock::now() - last;
}

void ActorCritic::adjust(Crew& crew, Clock::duration worked) {
  window_ += worked;
  if (window_ < options_.dynamic_wait) return;
  const auto frames = static_cast<double>(step() - window_start_);
  const auto staff = tuner_.judge(frames / std::chrono::duration<double>(window_).count());
  std::ignore = grow(staff.agents);  // on failure those who have environments play on
  crew.employ(staff, players_);
  window_ = {};
  window_start_ = step();
}

Score ActorCritic::value() const {
  if (master_.diverged()) return Score::diverged();
  const auto last = episodes_.state().last;
  if (!last.empty()) return Score::of(mean(last));
  if (crew_ != nullptr) return Score::of(0);  // the agents are at work on the running episodes
  std::vector<double> running;
  for (const auto& player : players_) {
    const auto returns = player.agent->group().running_returns();
    running.insert(running.end(), returns.begin(), returns.end());
  }
  return Score::of(mean(running));
}

std::vector<trainers::MetricPoint> ActorCritic::take_metrics() {
  if (crew_ != nullptr) telemetry_.add(crew_->take_meters());
  return telemetry_.take(step(), episodes_.state(), master_.take_meter(), tuner_.now());
}

Status ActorCritic::save(const std::filesystem::path& path) const {
  Model model{options_.env.name,
              options_.net,
              step(),
              options_.learning.optimizer.kind,
              master_.state(),
              episodes_.state(),
              scale_.state(),
              options_.scale_observations ? observations_.state() : ObservationScale::State{},
              tuner_.state(),
              {}};
  for (const auto& player : players_) model.groups.push_back(player.agent->group().state());
  return write_model(path, model);
}

Status ActorCritic::load(const std::filesystem::path& path) {
  auto model = read_model(path);
  if (!model) return model.error();
  model->net.storage = options_.net.storage;
  const auto other = [&](const std::string& what) {
    return refuse(Code::invalid,
                  path.string() + " cannot be continued here: it was made with another " + what);
  };
  if (model->env != options_.env.name) return other("environment (" + model->env + ")");
  if (model->net != options_.net)
    return other("network (as it was: hidden = " + std::to_string(model->net.hidden) +
                 ", layers = " + std::to_string(model->net.layers) + ")");
  if (model->optimizer != options_.learning.optimizer.kind) return other("optimizer");
  if (model->observations.mean.empty() == options_.scale_observations)
    return other("observation_scale");
  const auto groups = static_cast<int>(model->groups.size());
  if (options_.dynamic ? groups > options_.most.agents : groups != options_.staff.agents)
    return other("number of agents");
  if (auto grown = grow(groups); !grown) return grown;
  if (options_.scale_observations) observations_.restore(model->observations);  // they see by it
  for (std::size_t i = 0; i < model->groups.size(); ++i)
    if (!players_[i].agent->group().restore(model->groups[i]))
      return other("number of environments");
  restore(*model);
  return Done{};
}

void ActorCritic::restore(const Model& model) {
  master_.restore(model.master);
  episodes_.restore(model.episodes);
  scale_.restore(model.scale);
  if (options_.dynamic && model.staff.kept.agents <= static_cast<int>(players_.size()))
    tuner_.restore(model.staff);
  const auto shares = static_cast<std::int64_t>(counters_.size());
  for (auto& counter : counters_) counter.restore(model.frames / shares);
  window_start_ = step();
  telemetry_.start_at(step());
}

Result<std::unique_ptr<trainers::Trainer>> make(Scheme scheme, const trainers::TrainingJob& job) {
  auto options = options_of(scheme, job);
  if (!options) return std::move(options).error();
  auto trainer = std::make_unique<ActorCritic>(*options);
  if (auto grown = trainer->grow(options->staff.agents); !grown) return std::move(grown).error();
  return std::unique_ptr<trainers::Trainer>(std::move(trainer));
}

}  // namespace

Result<std::unique_ptr<trainers::Trainer>> make_ga3c(const trainers::TrainingJob& job) {
  return make(Scheme::ga3c, job);
}
Result<std::unique_ptr<trainers::Trainer>> make_a3c(const trainers::TrainingJob& job) {
  return make(Scheme::a3c, job);
}
Result<std::unique_ptr<trainers::Trainer>> make_a2c(const trainers::TrainingJob& job) {
  return make(Scheme::a2c, job);
}

}  // namespace hone::ga3c
