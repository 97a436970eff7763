#include "worker/train/actor_critic/options.hpp"

#include <string>

#include "worker/train/rl/options.hpp"

namespace hone::ac {
namespace {

using trainers::Settings;

constexpr double published_log_floor = 1e-6;
constexpr int own_batch_samples = 512;             // of A3C and A2C: longer rollouts take several
constexpr rl::WorkerCounts dynamic_max{32, 8, 8};  // more threads only wait
constexpr int processes_max = 256;                 // as hone-relay has seats

nn::OptimizerRule optimizer_of(const Settings& settings) {
  nn::OptimizerRule rule;
  rule.clip = settings.real("grad_clip");
  if (settings.word("optimizer") == "adam") {
    rule.kind = nn::OptimizerKind::adam;
    rule.decay = settings.real("adam_beta2");
    rule.momentum = settings.real("adam_beta1");
    rule.epsilon = settings.real("adam_epsilon");
    return rule;
  }
  rule.decay = settings.real("rmsprop_decay");
  rule.epsilon = settings.real("rmsprop_epsilon");
  return rule;
}

LearningRule learning_of(const Settings& settings, std::int64_t frames_total,
                         const Options& options) {
  const bool parity = options.parity;
  LearningRule rule;
  rule.entropy.start = settings.real("entropy");
  rule.entropy.end =
      settings.stated("entropy_end") ? settings.real("entropy_end") : rule.entropy.start;
  rule.loss.value = settings.real("value_loss");
  rule.loss.log_floor = parity ? published_log_floor : 0;
  if (!parity && options.scheme != Scheme::impala) {
    rule.loss.ratio_clip = settings.real("ratio_clip");
    rule.epochs = settings.small_integer("epochs");
  }
  rule.optimizer = optimizer_of(settings);
  rule.mean_loss = !parity;
  rule.rate.start = settings.real("learning_rate");
  // The published step size does not fall.
  const bool falls = !parity || settings.given("learning_rate_end");
  rule.rate.end = falls ? settings.real("learning_rate_end") : rule.rate.start;
  rule.frames_total = frames_total;
  return rule;
}

AgentRule agent_of(const Settings& settings, const Options& options) {
  const bool parity = options.parity;
  AgentRule rule;
  rule.t_max = settings.small_integer("t_max");
  rule.discount = {settings.real("gamma"), settings.real("lambda")};
  rule.reward_clip = settings.real("reward_clip");
  if (options.scheme == Scheme::impala) {
    rule.bounded = true;
  } else if (!parity) {
    rule.epochs = settings.small_integer("epochs");
    rule.bounded = settings.real("ratio_clip") > 0;
  }
  rule.scale_rewards = settings.word("reward_scale") == "yes";
  rule.waits = parity && settings.word("deterministic") == "yes";
  return rule;
}

Status take_network(const Settings& settings, Options& options) {
  const auto& spec = options.env.spec;
  options.net.inputs = spec.observation_size;
  options.net.storage = spec.storage;
  options.net.hidden = settings.small_integer("hidden");
  options.net.actions = spec.actions;
  options.net.activation =
      settings.word("activation") == "relu" ? nn::Activation::relu : nn::Activation::tanh;
  options.net.layers = settings.small_integer("layers");
  if (spec.action_kind == envs::ActionKind::continuous) options.net.policy = nn::Policy::gaussian;
  options.deviation = settings.real("deviation");
  options.weight_start = options.parity ? nn::WeightStart::uniform : nn::WeightStart::scaled;
  return rl::take_kind(settings, options.env, options.net);
}

// The settings of the queues, which only GA3C has.
Status take_queues(const Settings& settings, Options& options) {
  options.counts.predictors = settings.small_integer("predictors");
  options.counts.trainers = settings.small_integer("trainers");
  options.predict_rows_max = settings.small_integer("predict_batch");
  options.train_samples_max = settings.small_integer("train_batch");
  options.dynamic = settings.word("dynamic") == "yes";
  options.dynamic_wait =
      std::chrono::milliseconds(static_cast<std::int64_t>(1000 * settings.real("dynamic_wait")));
  options.counts_max = options.counts;
  if (settings.word("deterministic") == "yes" &&
      (options.counts != rl::WorkerCounts{} || options.dynamic))
    return refuse(Code::invalid,
                  "deterministic needs agents=1, predictors=1, trainers=1 and dynamic=no: with "
                  "more, the order of updates depends on the timing of threads",
                  "/deterministic");
  if (options.dynamic)
    options.counts_max = {std::max(options.counts.agents, dynamic_max.agents),
                          std::max(options.counts.predictors, dynamic_max.predictors),
                          std::max(options.counts.trainers, dynamic_max.trainers)};
  return Done{};
}

// The settings of the minibatches, which only PPO has: the client trains a rollout several times.
void take_minibatches(const Settings& settings, Options& options) {
  options.agent.epochs = 1;
  auto& rule = options.learning.minibatches;
  rule.count = settings.small_integer("minibatches");
  rule.normalize = settings.word("advantage_norm") == "yes";
  rule.value_clip = settings.real("value_clip");
  rule.kl_stop = settings.real("kl_stop");
}

// Whether the actors of IMPALA are threads.
Status take_processes(const trainers::TrainingJob& job, Options& options) {
  const bool invites = !job.invitation.file.empty();
  options.processes = invites || job.settings.word("processes") == "yes";
  if (!options.processes) return Done{};
  const std::string where = invites ? "actors on this host alone" : "processes=no";
  if (job.settings.word("deterministic") == "yes")
    return refuse(Code::invalid, "deterministic needs " + where + ": it is for one thread",
                  "/deterministic");
  if (options.scale_observations && job.settings.given("observation_scale"))
    return refuse(Code::invalid,
                  "observation_scale needs " + where + ": all actors share the scale",
                  "/observation_scale");
  options.scale_observations = false;  // of a preset
  if (options.counts.agents > processes_max)
    return refuse(Code::invalid,
                  "at most " + std::to_string(processes_max) + " agents can be processes",
                  "/agents");
  return Done{};
}

// Whether the actors of IMPALA train.
Status take_learner(const Settings& settings, Options& options) {
  if (settings.given("learner")) options.actors_serve = settings.word("learner") == "actors";
  if (!options.processes) return Done{};
  if (settings.given("learner") && options.actors_serve)
    return refuse(Code::invalid, "learner=actors needs actors that are threads of this process",
                  "/learner");
  options.actors_serve = false;
  return Done{};
}

// The settings of the learner, which only IMPALA has.
Status take_vtrace(const Settings& settings, Options& options) {
  if (auto taken = take_learner(settings, options); !taken) return taken;
  options.vtrace = {options.agent.discount, settings.real("rho_clip"), settings.real("c_clip")};
  options.train_samples_max = settings.small_integer("train_batch");
  options.impala_slots = settings.small_integer("slots");
  if (settings.word("deterministic") == "no") return Done{};
  if ((settings.given("agents") && options.counts.agents > 1) ||
      (settings.given("slots") && options.impala_slots > 1))
    return refuse(Code::invalid,
                  "deterministic needs agents=1 and slots=1: with more, what a policy has learned "
                  "when it plays depends on the timing of threads",
                  "/deterministic");
  options.impala_slots = options.counts.agents = 1;
  return Done{};
}

// Parity mode plays Atari with the published screens, unless arguments set ALE's preprocessing.
std::string env_name(const std::string& name, bool parity) {
  const bool plain = name.starts_with("atari:") && name.find('?') == std::string::npos;
  return parity && plain ? name + "?frames=published" : name;
}

}  // namespace

Result<Options> options_of(Scheme scheme, const trainers::TrainingJob& job) {
  Options options;
  options.scheme = scheme;
  options.parity = scheme == Scheme::ga3c && job.settings.word("mode") == "parity";
  const Settings& settings = job.settings;
  const auto name = env_name(settings.word("env"), options.parity);
  auto env = envs::find_env(name);
  if (!env) return std::move(env).error();
  options.env = std::move(*env);
  const auto sticky = rl::sticky_of(settings, options.env);
  if (!sticky) return sticky.error();
  options.sticky = *sticky;
  const auto scaled = rl::scales_observations(settings, options.env);
  if (!scaled) return scaled.error();
  options.scale_observations = *scaled;
  options.seed = job.seed;
  options.envs_per_agent = settings.small_integer("envs");
  if (scheme != Scheme::ppo) options.counts.agents = settings.small_integer("agents");
  if (auto taken = take_network(settings, options); !taken) return std::move(taken).error();
  options.agent = agent_of(settings, options);
  options.learning = learning_of(settings, job.budget, options);
  const auto backend = rl::backend_of(settings.word("backend"));
  options.actors_serve = backend != nn::Backend::cuda;
  if (scheme == Scheme::impala) {
    if (auto taken = take_processes(job, options); !taken) return std::move(taken).error();
    if (auto taken = take_vtrace(settings, options); !taken) return std::move(taken).error();
    options.counts_max = options.counts;
  } else if (scheme == Scheme::ga3c) {
    if (auto taken = take_queues(settings, options); !taken) return std::move(taken).error();
  } else {
    options.counts_max = options.counts;
    options.train_samples_max = own_batch_samples;
    if (scheme == Scheme::ppo) take_minibatches(settings, options);
  }
  const auto maker = nn::network_maker(backend);
  if (!maker) return maker.error();
  options.networks = *maker;
  return options;
}

}  // namespace hone::ac
