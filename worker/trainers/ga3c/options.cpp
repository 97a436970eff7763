#include "worker/trainers/ga3c/options.hpp"

namespace hone::ga3c {
namespace {

constexpr double published_log_floor = 1e-6;

// Where nobody chose a value, parity takes the published one.
double real(const trainers::Settings& settings, std::string_view name, bool parity,
            double published) {
  return parity && !settings.given(name) ? published : settings.real(name);
}

LearningRule learning_of(const trainers::TrainingJob& job, bool parity) {
  const auto& settings = job.settings;
  LearningRule rule;
  rule.entropy.start = real(settings, "entropy", parity, 0.01);
  rule.entropy.end = rule.entropy.start;
  rule.loss.value = settings.real("value_loss");
  rule.loss.log_floor = parity ? published_log_floor : 0;
  rule.optimizer.decay = settings.real("rmsprop_decay");
  rule.optimizer.epsilon = real(settings, "rmsprop_epsilon", parity, 0.1);
  rule.optimizer.clip = real(settings, "grad_clip", parity, 0);
  rule.mean_loss = !parity;
  rule.rate.start = real(settings, "learning_rate", parity, 3e-4);
  rule.rate.end = real(settings, "learning_rate_end", parity, rule.rate.start);
  rule.frames_total = job.budget;
  return rule;
}

}  // namespace

Result<Options> options_of(const trainers::TrainingJob& job) {
  const auto& settings = job.settings;
  Options options;
  options.env = envs::find_env(settings.word("env"));
  if (options.env == nullptr)
    return refuse(Code::invalid, "hone-train has no environment '" + settings.word("env") + "'",
                  "/env");
  options.parity = settings.word("mode") == "parity";
  options.seed = job.seed;
  options.agents = settings.small_integer("agents");
  options.envs_per_agent = settings.small_integer("envs");
  options.predictors = settings.small_integer("predictors");
  options.trainers = settings.small_integer("trainers");
  options.predict_rows_max = settings.small_integer("predict_batch");
  options.train_samples_max = settings.small_integer("train_batch");
  const auto& spec = *options.env->spec;
  options.net = {spec.observation_size, settings.small_integer("hidden"), spec.actions,
                 options.parity ? Activation::relu : Activation::tanh,
                 settings.small_integer("layers")};
  auto maker = network_maker(settings.word("backend") == "torch" ? Backend::torch : Backend::own);
  if (!maker) return maker.error();
  options.networks = *maker;
  options.weight_start = options.parity ? WeightStart::uniform : WeightStart::scaled;
  options.agent.t_max = settings.small_integer("t_max");
  if (options.parity && !settings.given("t_max")) options.agent.t_max = 5;
  options.agent.gamma = settings.real("gamma");
  options.learning = learning_of(job, options.parity);
  return options;
}

}  // namespace hone::ga3c
