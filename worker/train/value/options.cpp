#include "worker/train/value/options.hpp"

#include <algorithm>
#include <string>

#include "schemas/trainers/check.hpp"
#include "worker/train/replay/checkpoint.hpp"
#include "worker/train/rl/options.hpp"

namespace hone::q {
namespace {

using trainers::Settings;

nn::OptimizerRule q_optimizer(const Settings& settings) {
  nn::OptimizerRule rule;
  rule.clip = settings.real("grad_clip");
  const auto& word = settings.word("optimizer");
  if (word == "adam") {
    rule.kind = nn::OptimizerKind::adam;
    rule.decay = settings.real("adam_beta2");
    rule.momentum = settings.real("adam_beta1");
    rule.epsilon = settings.real("adam_epsilon");
    return rule;
  }
  rule.kind = nn::OptimizerKind::rmsprop;
  if (word == "rmsprop_centered") rule.kind = nn::OptimizerKind::rmsprop_centered;
  if (word == "adagrad") rule.kind = nn::OptimizerKind::adagrad;
  rule.decay = settings.real("rmsprop_decay");
  rule.epsilon = settings.real("rmsprop_epsilon");
  return rule;
}

QRule rule_of(const Settings& settings) {
  QRule rule;
  rule.dueling = settings.word("dueling") == "yes";
  rule.two_networks = settings.word("double") == "yes";
  rule.bound = settings.real("huber");
  rule.target_every = settings.small_integer("target_every");
  rule.target_rate = settings.real("target_rate");
  rule.optimizer = q_optimizer(settings);
  return rule;
}

Exploration exploration_of(const Settings& settings, std::int64_t frames_total) {
  Exploration rule;
  const auto& word = settings.word("epsilon_schedule");
  if (word == "exponential") rule.schedule = EpsilonSchedule::exponential;
  if (word == "constant") rule.schedule = EpsilonSchedule::constant;
  if (word == "per_actor") rule.schedule = EpsilonSchedule::per_actor;
  rule.start = settings.real("epsilon");
  rule.end = settings.real("epsilon_end");
  rule.spread = settings.real("epsilon_spread");
  const auto frames = static_cast<double>(settings.integer("epsilon_frames"));
  const double share = settings.real("epsilon_share") * static_cast<double>(frames_total);
  rule.frames = std::max(frames > 0 ? frames : share, 1.0);
  return rule;
}

replay::IndexRule index_of(const Settings& settings) {
  replay::IndexRule rule;
  if (settings.word("replay") == "proportional") rule.priority = replay::Priority::proportional;
  if (settings.word("replay") == "rank") rule.priority = replay::Priority::rank;
  rule.alpha = settings.real("priority_alpha");
  rule.epsilon = settings.real("priority_epsilon");
  return rule;
}

Status take_memory(const Settings& settings, Options& options) {
  const auto& spec = options.env.spec;
  auto& memory = options.memory;
  memory.slots = static_cast<std::size_t>(settings.integer("replay_size"));
  memory.lanes = static_cast<std::size_t>(options.envs);
  memory.row = static_cast<std::size_t>(spec.row_floats()) * sizeof(float);
  // The bridge stacks the frames of Atari, the newest last; published ones begin with four.
  const auto& name = options.env.name;
  if (name.starts_with("atari:") && name.find("frames=published") == std::string::npos &&
      spec.storage == envs::Storage::bytes) {
    memory.history = static_cast<std::size_t>(spec.planes.channels);
    memory.pixels = static_cast<std::size_t>(spec.planes.rows * spec.planes.columns);
  }
  memory.steps = static_cast<std::size_t>(settings.integer("n_step"));
  memory.gamma = settings.real("gamma");
  if (auto fits = replay::check_size(memory); !fits) return fits;
  options.checkpoint_replay =
      replay::kept_in_checkpoints(settings.word("checkpoint_replay"), memory);
  return Done{};
}

Status take_q_network(const Settings& settings, Options& options) {
  const auto& spec = options.env.spec;
  options.net.inputs = spec.observation_size;
  options.net.storage = spec.storage;
  options.net.hidden = settings.small_integer("hidden");
  options.net.layers = settings.small_integer("layers");
  options.net.actions = spec.actions;
  options.net.activation =
      settings.word("activation") == "relu" ? nn::Activation::relu : nn::Activation::tanh;
  return rl::take_kind(settings, options.env, options.net);
}

}  // namespace

namespace {

Result<Options> options_of(const trainers::TrainingJob& job, const ApexRule& threads) {
  const auto& settings = job.settings;
  Options options;
  options.apex = threads;
  auto env = envs::find_env(settings.word("env"));
  if (!env) return std::move(env).error();
  options.env = std::move(*env);
  if (options.env.spec.action_kind == envs::ActionKind::continuous)
    return trainers::wrong_actions(settings.trainer(), options.env.name);
  const auto sticky = rl::sticky_of(settings, options.env);
  if (!sticky) return sticky.error();
  options.sticky = *sticky;
  options.seed = job.seed;
  options.frames_total = job.budget;
  options.envs = settings.small_integer("envs") * threads.actors;
  if (auto taken = take_q_network(settings, options); !taken) return std::move(taken).error();
  options.learning = rule_of(settings);
  options.rate.start = settings.real("learning_rate");
  options.rate.end = settings.stated("learning_rate_end") ? settings.real("learning_rate_end")
                                                          : options.rate.start;
  options.batch = settings.small_integer("batch");
  options.train_every = settings.small_integer("train_every");
  options.updates = settings.small_integer("updates");
  options.learning_starts = settings.integer("learning_starts");
  options.exploration = exploration_of(settings, job.budget);
  options.reward_clip = settings.real("reward_clip");
  options.index = index_of(settings);
  options.beta = {settings.real("priority_beta"), settings.real("priority_beta_end")};
  if (auto taken = take_memory(settings, options); !taken) return std::move(taken).error();
  const auto maker = network_maker(rl::backend_of(settings.word("backend")));
  if (!maker) return maker.error();
  options.networks = *maker;
  return options;
}

}  // namespace

Result<Options> options_of(const trainers::TrainingJob& job) {
  const auto& settings = job.settings;
  auto options = options_of(job, {.actors = 1});
  if (!options) return options;
  if (settings.word("mode") == "parity") options->weight_start = nn::WeightStart::uniform;
  options->learning.average_updates = settings.integer("average_updates");
  const auto scaled = rl::scales_observations(settings, options->env);
  if (!scaled) return scaled.error();
  options->scale_observations = *scaled;
  return options;
}

namespace {

// Where the run is to be deterministic: one actor, and no more than one part of it that waits.
Result<ApexRule> threads_of(const trainers::TrainingJob& job) {
  const auto& given = job.settings;
  const bool invites = !job.invitation.file.empty();
  ApexRule threads;
  threads.actors = given.small_integer("actors");
  threads.steps = given.small_integer("actor_steps");
  const bool queues = find(given.all(), "slots") != nullptr;
  threads.slots = queues ? given.small_integer("slots") : 2;
  threads.processes = invites || given.word("processes") == "yes";
  if (given.word("deterministic") != "yes") return threads;
  if ((given.given("actors") && threads.actors > 1) ||
      (queues && given.given("slots") && threads.slots > 1))
    return refuse(Code::invalid,
                  std::string("deterministic needs actors=1") + (queues ? " and slots=1" : "") +
                      ": with more, what a network has learned when it plays depends on the "
                      "timing of threads",
                  "/deterministic");
  if (threads.processes)
    return refuse(Code::invalid,
                  std::string("deterministic needs ") +
                      (invites ? "actors on this host alone" : "processes=no") +
                      ": it is for one thread",
                  "/deterministic");
  threads.actors = threads.slots = 1;
  return threads;
}

}  // namespace

std::size_t packed_floats(const nn::NetShape& net) { return nn::NetLayout(net).size; }

Result<Options> apex_options_of(const trainers::TrainingJob& job) {
  const auto threads = threads_of(job);
  if (!threads) return threads.error();
  return options_of(job, *threads);
}

Result<Options> gorila_options_of(const trainers::TrainingJob& job) {
  const auto& given = job.settings;
  const auto threads = threads_of(job);
  if (!threads) return threads.error();
  auto options = options_of(job, *threads);
  if (!options) return options;
  // Each node has its own memory, with a lane for each of its environments.
  const auto nodes = static_cast<std::size_t>(threads->actors);
  options->memory.slots /= nodes;
  options->memory.lanes /= nodes;
  options->gorila = {given.small_integer("shards"), given.integer("staleness"),
                     given.real("outlier_deviations")};
  return options;
}

}  // namespace hone::q
