#include "worker/train/continuous/options.hpp"

#include <string>

#include "schemas/trainers/check.hpp"
#include "worker/train/replay/checkpoint.hpp"

namespace hone::sac {
namespace {

using trainers::Settings;

Status take_env(const Settings& settings, Options& options) {
  auto env = envs::find_env(settings.word("env"));
  if (!env) return std::move(env).error();
  options.env = std::move(*env);
  const auto& spec = options.env.spec;
  if (spec.action_kind == envs::ActionKind::discrete)
    return trainers::wrong_actions(settings.trainer(), options.env.name);
  if (spec.planes != envs::Planes{} || spec.storage != envs::Storage::floats)
    return refuse(Code::invalid,
                  "sac needs observations that are vectors of numbers, and those of " +
                      options.env.name + " are planes: take ppo",
                  "/env");
  return Done{};
}

SacRule rule_of(const Settings& settings, int actions) {
  SacRule rule;
  rule.target_rate = settings.real("target_rate");
  rule.automatic = settings.word("automatic") == "yes";
  rule.temperature = settings.real("temperature");
  rule.target_entropy =
      settings.stated("target_entropy") ? settings.real("target_entropy") : -actions;
  rule.optimizer.kind = nn::OptimizerKind::adam;
  rule.optimizer.decay = 0.999;
  rule.optimizer.momentum = 0.9;
  rule.optimizer.epsilon = settings.real("adam_epsilon");
  rule.optimizer.clip = settings.real("grad_clip");
  return rule;
}

Status take_memory(const Settings& settings, Options& options) {
  const auto& spec = options.env.spec;
  auto& memory = options.memory;
  memory.slots = static_cast<std::size_t>(settings.integer("replay_size"));
  memory.lanes = static_cast<std::size_t>(options.envs);
  memory.row = static_cast<std::size_t>(spec.row_floats()) * sizeof(float);
  memory.numbers = static_cast<std::size_t>(spec.actions);
  memory.steps = static_cast<std::size_t>(settings.integer("n_step"));
  memory.gamma = settings.real("gamma");
  if (auto fits = replay::check_size(memory); !fits) return fits;
  options.checkpoint_replay =
      replay::kept_in_checkpoints(settings.word("checkpoint_replay"), memory);
  return Done{};
}

}  // namespace

Result<Options> options_of(const trainers::TrainingJob& job) {
  Options options;
  const auto& settings = job.settings;
  if (auto taken = take_env(settings, options); !taken) return std::move(taken).error();
  const auto& spec = options.env.spec;
  options.seed = job.seed;
  options.frames_total = job.budget;
  options.envs = settings.small_integer("envs");
  options.net.inputs = spec.observation_size;
  options.net.hidden = settings.small_integer("hidden");
  options.net.layers = settings.small_integer("layers");
  options.net.actions = spec.actions;
  options.net.policy = nn::Policy::squashed;
  options.net.activation =
      settings.word("activation") == "relu" ? nn::Activation::relu : nn::Activation::tanh;
  options.learning = rule_of(settings, spec.actions);
  options.rate.start = settings.real("learning_rate");
  options.rate.end = settings.stated("learning_rate_end") ? settings.real("learning_rate_end")
                                                          : options.rate.start;
  options.batch = settings.small_integer("batch");
  options.train_every = settings.small_integer("train_every");
  options.updates = settings.small_integer("updates");
  options.learning_starts = settings.integer("learning_starts");
  options.random_hold = settings.small_integer("random_hold");
  options.reward_scale = settings.real("reward_scale");
  if (auto taken = take_memory(settings, options); !taken) return std::move(taken).error();
  return options;
}

}  // namespace hone::sac
