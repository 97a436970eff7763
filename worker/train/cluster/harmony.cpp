#include "worker/train/cluster/harmony.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "schemas/types/metric.hpp"
#include "server/cluster/simulate.hpp"
#include "worker/train/cluster/episode.hpp"
#include "worker/train/cluster/held_out.hpp"
#include "worker/train/cluster/reward_fit.hpp"
#include "worker/train/cluster/sizes.hpp"
#include "worker/train/nn/adam.hpp"
#include "worker/train/nn/json_state.hpp"
#include "worker/train/nn/tape.hpp"
#include "worker/train/run/json_file.hpp"
#include "worker/train/table.hpp"

namespace hone::trainers {
namespace {

constexpr std::uint64_t first_stream = 1ULL << 34U;    // random streams: the first weights,
constexpr std::uint64_t episode_stream = 1ULL << 35U;  // then one for each episode
constexpr std::uint64_t validation_seed = 1ULL << 40U;
constexpr double ratio_most = 2;  // of importance weights
constexpr auto tick_every = std::chrono::seconds(1);

using Clock = std::chrono::steady_clock;

class HarmonyTrainer : public Trainer {
 public:
  HarmonyTrainer(const TrainingJob& job, cluster::ClusterSetup setup)
      : job_(job),
        setup_(std::move(setup)),
        model_(cluster::empty_harmony(setup_, job.settings.small_integer("hidden"))),
        replay_(replay_capacity(job.settings)) {
    Rng rng(job.seed, Purpose::simulation, first_stream);
    model_.reward.weights() = model_.reward.net().first_weights(rng);
    model_.agent.actor_weights = model_.agent.actor().first_weights(rng);
    model_.agent.critic_weights = model_.agent.critic().first_weights(rng);
  }

  void advance(std::int64_t until_step, const std::stop_token& stop,
               const std::function<void()>& tick) override {
    auto paced = [&, next = Clock::now() + tick_every]() mutable {
      if (Clock::now() < next) return;
      tick();
      next = Clock::now() + tick_every;
    };
    const std::function<void()> tick_seldom = std::ref(paced);
    if (fit_.epochs == 0) fit(stop, tick_seldom);
    while (fit_.epochs > 0 && step_ < until_step && !stop.stop_requested()) {
      Rng rng(job_.seed, Purpose::simulation, episode_stream + static_cast<std::uint64_t>(step_));
      play(rng);
      for (int i = 0; i < job_.settings.small_integer("updates"); ++i) learn(rng);
      step_ += setup_.workload.jobs;
      paced();
    }
  }

  [[nodiscard]] std::int64_t step() const override { return step_; }
  [[nodiscard]] Score value() const override {
    if (unfit_) return Score::diverged();
    if (value_.step != step_ || value_.fit_epochs != fit_.epochs)
      value_ = {step_, fit_.epochs, measured_value()};
    return std::isfinite(value_.value) ? Score::of(value_.value) : Score::diverged();
  }
  [[nodiscard]] std::vector<Fact> facts() const override {
    return {{"reward_error", number_text(fit_.held_out_error)},
            {"simulated", "yes: interference model of hone, no measurement of a cluster"}};
  }
  std::vector<MetricPoint> take_metrics() override {
    return {{"reward_error", fit_.held_out_error},
            {"entropy", entropy_},
            {"placement_reward", reward_},
            {"exploration", exploration()}};
  }

  [[nodiscard]] Status save(const std::filesystem::path& path) const override;
  Status load(const std::filesystem::path& path) override;

 private:
  static std::size_t replay_capacity(const Settings& settings) {
    constexpr std::size_t most = 100'000;  // decisions of one episode, where none are kept
    const auto wanted = static_cast<std::size_t>(settings.integer("replay"));
    return wanted > 0 ? wanted : most;
  }

  void fit(const std::stop_token& stop, const std::function<void()>& tick) {
    const Settings& settings = job_.settings;
    const auto count = static_cast<std::size_t>(settings.integer("samples"));
    const auto records =
        record_speeds(setup_, count, settings.real("noise"), job_.seed, stop, tick);
    if (stop.stop_requested()) return;
    unfit_ = records.size() < count;
    if (unfit_) return;
    const RewardFitPlan plan{settings.small_integer("reward_epochs"),
                             settings.real("reward_learning_rate"), job_.seed};
    fit_ = fit_reward(setup_, records, plan, model_.reward, stop, tick);
  }

  // NaN for a policy that leaves a job without a place.
  [[nodiscard]] double measured_value() const {
    const auto seeds =
        hold_out(setup_, model_, validation_seed, job_.settings.small_integer("validation"));
    return seeds ? of_load_balancing(*seeds) : std::numeric_limits<double>::quiet_NaN();
  }

  [[nodiscard]] double exploration() const {
    const double first = job_.settings.real("exploration");
    const double last = std::min(first, job_.settings.real("exploration_end"));
    const double done = static_cast<double>(step_) / static_cast<double>(job_.budget);
    return first + (last - first) * std::min(1.0, 2 * done);
  }

  [[nodiscard]] cluster::RateModel speeds() const {
    if (job_.settings.word("speeds") == "true") return cluster::normalized_speeds;
    return [this](const cluster::ClusterSetup& setup, std::span<const cluster::Placed> running) {
      return model_.reward.speeds(setup, running);
    };
  }

  void play(Rng& rng) {
    const RewardRule rule =
        job_.settings.word("reward") == "progress" ? RewardRule::progress : RewardRule::speed;
    if (job_.settings.integer("replay") == 0) replay_.clear();
    double sum = 0, count = 0;
    for (Experience& item : play_episode({setup_, model_, speeds(), rule, exploration()}, rng)) {
      sum += item.reward;
      ++count;
      replay_.add(std::move(item));
    }
    if (count > 0) reward_ = sum / count;
  }

  void learn(Rng& rng);
  double critic_step(const std::vector<const Experience*>& batch, std::vector<double>& advantages);
  void actor_step(const std::vector<const Experience*>& batch,
                  const std::vector<double>& advantages);

  TrainingJob job_;
  cluster::ClusterSetup setup_;
  cluster::HarmonyModel model_;
  PlacementReplay replay_;
  RewardFit fit_;  // epochs 0: the reward model is not trained yet
  Adam actor_adam_, critic_adam_;
  std::int64_t step_ = 0;            // jobs
  double entropy_ = 1, reward_ = 0;  // of the last update and episode
  bool unfit_ = false;               // no policy of the records places the jobs
  // The last value and what it is of: its simulations take as long as an episode each.
  struct Measured {
    std::int64_t step = -1;
    int fit_epochs = 0;
    double value = 0;
  };
  mutable Measured value_;
};

void HarmonyTrainer::learn(Rng& rng) {
  if (replay_.size() == 0) return;
  std::vector<const Experience*> batch;
  for (int i = 0; i < job_.settings.small_integer("batch"); ++i)
    batch.push_back(&replay_.draw(rng));
  std::vector<double> advantages;
  const double deviation = critic_step(batch, advantages);
  for (double& advantage : advantages) advantage /= std::max(deviation, 1e-6);
  actor_step(batch, advantages);
}

// Moves the critic towards the rewards. Returns the deviation of the advantages.
double HarmonyTrainer::critic_step(const std::vector<const Experience*>& batch,
                                   std::vector<double>& advantages) {
  const auto count = static_cast<double>(batch.size());
  const bool with_value = job_.settings.word("baseline") == "value";
  double mean = 0, square = 0;
  for (const Experience* item : batch) mean += item->reward / count;
  std::vector<double> gradient(model_.agent.critic_weights.size(), 0);
  cluster::Mlp::Activity activity;
  for (const Experience* item : batch) {
    double expected = mean;
    if (with_value) {
      expected = model_.agent.critic().forward(model_.agent.critic_weights, item->state, activity);
      model_.agent.critic().backward(model_.agent.critic_weights, activity,
                                     (expected - item->reward) / count, gradient);
    }
    advantages.push_back(item->reward - expected);
    square += advantages.back() * advantages.back() / count;
  }
  if (with_value)
    critic_adam_.step(model_.agent.critic_weights, gradient, job_.settings.real("learning_rate"));
  return std::sqrt(square);
}

// Minimises -A log pi(a) - beta H(pi). Decisions of older policies count by the ratio of
// probabilities, bounded.
void HarmonyTrainer::actor_step(const std::vector<const Experience*>& batch,
                                const std::vector<double>& advantages) {
  const auto count = static_cast<double>(batch.size());
  const double beta = job_.settings.real("entropy");
  const auto& agent = model_.agent;
  std::vector<double> gradient(agent.actor_weights.size(), 0);
  std::vector<cluster::Mlp::Activity> activities;
  entropy_ = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Experience& item = *batch[i];
    if (item.inputs.size() < 2) continue;
    activities.resize(item.inputs.size());
    std::vector<double> p;
    for (std::size_t a = 0; a < item.inputs.size(); ++a)
      p.push_back(agent.actor().forward(agent.actor_weights, item.inputs[a], activities[a]));
    p = softmax(p);
    double entropy = 0;
    for (const double share : p) entropy -= share > 0 ? share * std::log(share) : 0;
    entropy_ += entropy / std::log(static_cast<double>(p.size())) / count;
    const double ratio = std::min(ratio_most, p[item.chosen] / item.probability);
    for (std::size_t a = 0; a < p.size(); ++a) {
      const double push = ratio * advantages[i] * ((a == item.chosen ? 1 : 0) - p[a]);
      const double flatten = p[a] > 0 ? beta * p[a] * (std::log(p[a]) + entropy) : 0;
      agent.actor().backward(agent.actor_weights, activities[a], (flatten - push) / count,
                             gradient);
    }
  }
  actor_adam_.step(model_.agent.actor_weights, gradient, job_.settings.real("learning_rate"));
}

Status HarmonyTrainer::save(const std::filesystem::path& path) const {
  Json document = cluster::json_of(model_);
  document["step"] = step_;
  document["fit_epochs"] = fit_.epochs;
  document["reward_error"] = fit_.held_out_error;
  document["last_reward"] = reward_;
  document["last_entropy"] = entropy_;
  document["replay"] = replay_.state();
  document["actor_adam"] = actor_adam_.state();
  document["critic_adam"] = critic_adam_.state();
  Json& settings = document["settings"] = Json::object();
  for (const char* name : {"servers", "gpus", "cpus", "episode_jobs"})
    settings[name] = job_.settings.integer(name);
  for (const char* name : {"arrivals", "loads", "network_mb_s"})
    settings[name] = job_.settings.real(name);
  std::ofstream file(path, std::ios::binary);
  file << to_text(document) << "\n";
  file.close();
  if (!file) return refuse(Code::invalid, "cannot write " + path.string());
  return Done{};
}

Error in_file(const std::filesystem::path& path, const Error& error) {
  return refuse(error.code, path.string() + ": " + error.detail);
}

Result<Json> read_document(const std::filesystem::path& path) {
  std::error_code fault;
  const auto size = std::filesystem::file_size(path, fault);
  if (fault || size > cluster::harmony_bytes_max)
    return refuse(Code::not_found, path.string() + " is not a model of harmony");
  auto document = read_json_file(path);
  if (!document || !has_format(*document, cluster::harmony_format))
    return refuse(Code::not_found, path.string() + " is not a model of harmony");
  return *std::move(document);
}

Status HarmonyTrainer::load(const std::filesystem::path& path) {
  const auto document = read_document(path);
  if (!document) return document.error();
  auto model = cluster::read_harmony(*document, setup_);
  if (!model) return in_file(path, model.error());
  if (model->hidden != model_.hidden)
    return refuse(Code::invalid, path.string() + " has another number of hidden units");
  JsonState reader(*document);
  Json replay, actor_adam, critic_adam;
  reader.read("step", step_).read("fit_epochs", fit_.epochs);
  reader.read("reward_error", fit_.held_out_error).read("replay", replay);
  reader.read("last_reward", reward_).read("last_entropy", entropy_);
  reader.read("actor_adam", actor_adam).read("critic_adam", critic_adam);
  reader.require("step", step_ >= 0).require("fit_epochs", fit_.epochs >= 0);
  if (!reader.sound()) return in_file(path, reader.status().error());
  const std::size_t types = setup_.types.size();
  reader.require("replay", replay_.restore(replay, cluster::action_inputs(types),
                                           cluster::value_inputs(types)));
  reader.require("actor_adam", actor_adam_.restore(actor_adam, model->agent.actor().weights()));
  reader.require("critic_adam", critic_adam_.restore(critic_adam, model->agent.critic().weights()));
  if (!reader.sound()) return in_file(path, reader.status().error());
  model_ = *std::move(model);
  value_ = {};
  return Done{};
}

}  // namespace

cluster::ClusterSetup harmony_setup(const Settings& settings) {
  cluster::ClusterSetup setup;
  setup.name = "harmony";
  setup.source = "job table of DL2, interference model of hone";
  setup.servers.assign(static_cast<std::size_t>(settings.integer("servers")),
                       {settings.small_integer("gpus"), settings.small_integer("cpus")});
  setup.types = cluster::usual_types();
  setup.workload.jobs = settings.small_integer("episode_jobs");
  setup.workload.per_interval = settings.real("arrivals");
  setup.interference.loads = settings.real("loads");
  setup.interference.nic_mb_s = settings.real("network_mb_s");
  return setup;
}

Result<std::unique_ptr<Trainer>> make_harmony(const TrainingJob& job) {
  auto setup = harmony_setup(job.settings);
  const int workers = setup.workload.workers_max;
  if (setup.gpus() < workers || setup.cpus() < 2 * workers)
    return refuse(Code::invalid, "the cluster is too small for jobs of " + std::to_string(workers) +
                                     " workers: raise servers");
  if (auto sized = check_sizes(job.settings, setup); !sized) return std::move(sized).error();
  return std::unique_ptr<Trainer>(std::make_unique<HarmonyTrainer>(job, std::move(setup)));
}

Result<Evaluation> evaluate_harmony(const EvaluationPlan& plan) {
  if (plan.sample)
    return refuse(Code::invalid, "harmony places by the most probable actions; omit --sample");
  const auto document = read_document(plan.model);
  if (!document) return document.error();
  const auto found = document->find("settings");
  if (found == document->end() || !found->is_object())
    return refuse(Code::invalid, plan.model.string() + " is damaged: 'settings' is missing");
  Params params;
  const TrainerInfo& info = *find_trainer("harmony");
  for (const auto& [name, value] : found->items()) {
    if (value.is_number_integer())
      params.push_back({name, value.get<std::int64_t>()});
    else if (value.is_number())
      params.push_back({name, value.get<double>()});
  }
  const auto settings = Settings::resolve(info, {}, params);
  if (!settings) return in_file(plan.model, settings.error());
  const auto setup = harmony_setup(*settings);
  const auto model = cluster::read_harmony(*document, setup);
  if (!model) return in_file(plan.model, model.error());
  const auto seeds = hold_out(setup, *model, plan.seed + 1, plan.episodes, plan.tick);
  if (!seeds) return in_file(plan.model, seeds.error());
  Evaluation evaluation{"cluster:interference", {}};
  for (const HeldOut& seed : *seeds) evaluation.returns.push_back(of_load_balancing({seed}));
  return evaluation;
}

TrainerRow harmony_row() { return {.make = make_harmony, .evaluate = evaluate_harmony}; }

}  // namespace hone::trainers
