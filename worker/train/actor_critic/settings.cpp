// What the trainers ga3c, a3c, a2c, ppo and impala accept.
#include <array>

#include "worker/train/settings/environments.hpp"
#include "worker/train/settings/rows.hpp"
#include "worker/train/settings/trainers.hpp"

namespace hone {
namespace {

constexpr auto real = SettingKind::real;
constexpr auto integer = SettingKind::integer;
constexpr auto word = SettingKind::word;

#define HONE_WORD(name, place, function) name " "
// The settings that ga3c, a3c, a2c and ppo share.
constexpr std::array actor_critic_settings{
    SettingInfo{"env", word, 0, 0, HONE_ENVIRONMENTS(HONE_WORD, HONE_WORD) "gym:* atari:*",
                "CartPole-v1", "environment to learn"},
    SettingInfo{"learning_rate", real, 0, 1, "", "0.002", "step size at the start"},
    SettingInfo{"learning_rate_end", real, 0, 1, "", "0",
                "step size at the end of the budget (annealed linearly)"},
    SettingInfo{"gamma", real, 0, 1, "", "0.99", "discount"},
    SettingInfo{"lambda", real, 0, 1, "", "1",
                "mixture of the returns of 1, 2, 3, ... steps (GAE): 1 takes the longest, less of "
                "it relies more on the predicted values; corrected mode only"},
    SettingInfo{"t_max", integer, 1, 1000, "", "8",
                "rollout length: steps of an environment between two updates"},
    SettingInfo{"epochs", integer, 1, 32, "", "1",
                "how often each rollout is trained; corrected mode only"},
    SettingInfo{
        "ratio_clip", real, 0, 1, "", "0",
        "how far an action's probability may move from what it was when it was chosen "
        "(PPO's clip), for epochs above 1 and late trainers; 0: no clip; corrected mode only"},
    SettingInfo{"entropy", real, 0, 10, "", "0.005",
                "weight of the entropy bonus (beta) at the start"},
    SettingInfo{"entropy_end", real, 0, 10, "", "0.005",
                "the same at the end of the budget; default: as entropy"},
    SettingInfo{"value_loss", real, 0, 10, "", "0.5", "weight of the value loss"},
    SettingInfo{"grad_clip", real, 0, 1e9, "", "5",
                "bound of the global gradient norm; 0: no bound"},
    SettingInfo{"reward_clip", real, 0, 1e9, "", "0",
                "rewards are clipped to [-reward_clip, reward_clip]; 0: not clipped"},
    SettingInfo{"reward_scale", word, 0, 0, "yes no", "yes",
                "divide rewards by the deviation of the returns seen so far"},
    SettingInfo{"observation_scale", word, 0, 0, "yes no", "no",
                "scale each number of an observation to mean 0 and deviation 1 over all "
                "observations so far; not for planes"},
    SettingInfo{"optimizer", word, 0, 0, "rmsprop adam", "rmsprop", "optimizer of the weights"},
    SettingInfo{"rmsprop_decay", real, 0, 1, "", "0.99", "decay of RMSProp's mean square"},
    SettingInfo{"rmsprop_epsilon", real, 0, 1, "", "1e-5", "epsilon of RMSProp, under the root"},
    SettingInfo{"adam_beta1", real, 0, 0.9999, "", "0.9", "decay of Adam's mean"},
    SettingInfo{"adam_beta2", real, 0, 0.999999, "", "0.999", "decay of Adam's mean square"},
    SettingInfo{"adam_epsilon", real, 0, 1, "", "1e-5", "epsilon of Adam"},
    SettingInfo{"agents", integer, 1, 1024, "", "1", "agent threads"},
    SettingInfo{"envs", integer, 1, 4096, "", "32", "environments each agent owns"},
    SettingInfo{"network", word, 0, 0, "auto mlp minatar conv", "auto",
                "layers before the hidden ones: none (mlp), a 3x3 convolution (minatar), or the "
                "two published convolutions (conv); auto: by the observations"},
    SettingInfo{"hidden", integer, 1, 4096, "", "128", "width of each hidden layer"},
    SettingInfo{"layers", integer, 1, 8, "", "1", "hidden layers"},
    SettingInfo{"activation", word, 0, 0, "tanh relu", "tanh", "activation of the hidden layers"},
    SettingInfo{"deviation", real, 0.01, 10, "", "1",
                "standard deviation of a continuous policy at the start; actions range from -1 "
                "to 1"},
    SettingInfo{"sticky", real, 0, 1, "", "0.1",
                "probability that the last action is repeated instead of the new one, in "
                "environments with sticky actions; default: as published"},
    SettingInfo{"backend", word, 0, 0, "own torch cuda", "own",
                "what computes the network: kernels of hone, libtorch, or libtorch on a GPU"},
};

#undef HONE_WORD

// The settings of the queues, which only ga3c has.
constexpr std::array queue_settings{
    SettingInfo{"predictors", integer, 1, 64, "", "1", "predictor threads"},
    SettingInfo{"trainers", integer, 1, 64, "", "1", "trainer threads"},
    SettingInfo{"dynamic", word, 0, 0, "no yes", "no",
                "adjust the numbers of agents, predictors and trainers by measured frames/s"},
    SettingInfo{"dynamic_wait", real, 0.01, 3600, "", "20", "seconds that each adjustment gets"},
    SettingInfo{"predict_batch", integer, 1, 65536, "", "1024",
                "most observations in one prediction"},
    SettingInfo{"train_batch", integer, 1, 65536, "", "32",
                "samples after which a trainer stops taking queued rollouts"},
    SettingInfo{"deterministic", word, 0, 0, "no yes", "no",
                "refuse settings with which two runs of one seed could differ"},
    SettingInfo{"mode", word, 0, 0, "corrected parity", "corrected",
                "corrected trains on terminal transitions; parity is the published code with its "
                "configuration: 32 agents of one environment, 2 predictors and 2 trainers that "
                "dynamic adjusts, one rollout of 5 an update, 256 hidden units"},
};

// What only ppo has.
constexpr std::array minibatch_settings{
    SettingInfo{"minibatches", integer, 1, 4096, "", "4",
                "parts of a shuffled rollout, each of which makes an update"},
    SettingInfo{"advantage_norm", word, 0, 0, "yes no", "yes",
                "scale the advantages of a minibatch to mean 0 and deviation 1"},
    SettingInfo{"value_clip", real, 0, 1e9, "", "0",
                "how far a value may move from the one predicted in play; 0: no clip"},
    SettingInfo{"kl_stop", real, 0, 1e9, "", "0",
                "end the updates of a rollout when the policy has moved further than 1.5 times "
                "this (KL divergence); 0: never"},
};

constexpr std::array ppo_rows{
    SettingInfo{"learning_rate", real, 0, 1, "", "0.0005", "step size at the start"},
    SettingInfo{"lambda", real, 0, 1, "", "0.95",
                "mixture of the returns of 1, 2, 3, ... steps (GAE): 1 takes the longest, less of "
                "it relies more on the predicted values"},
    SettingInfo{"t_max", integer, 1, 100000, "", "128",
                "rollout length: steps of an environment between two trainings"},
    SettingInfo{"epochs", integer, 1, 100, "", "4", "how often each rollout is trained"},
    SettingInfo{"ratio_clip", real, 1e-6, 1, "", "0.2",
                "how far an action's probability may move from what it was when it was chosen"},
    SettingInfo{"grad_clip", real, 0, 1e9, "", "0.5",
                "bound of the global gradient norm; 0: no bound"},
    SettingInfo{"optimizer", word, 0, 0, "rmsprop adam", "adam", "optimizer of the weights"},
    SettingInfo{"envs", integer, 1, 4096, "", "8", "environments"},
    SettingInfo{"hidden", integer, 1, 4096, "", "64", "width of each hidden layer"},
    SettingInfo{"layers", integer, 1, 8, "", "2", "hidden layers"},
};

constexpr std::array impala_rows{
    SettingInfo{"lambda", real, 0, 1, "", "1",
                "factor of the trace coefficients: less of it relies more on the predicted values"},
    SettingInfo{"t_max", integer, 1, 1000, "", "32",
                "rollout length: steps of an environment that an actor queues together"},
    SettingInfo{"agents", integer, 1, 1024, "", "2", "actor threads"},
    SettingInfo{"envs", integer, 1, 4096, "", "8", "environments each actor owns"},
};

// What only impala has.
constexpr std::array vtrace_settings{
    SettingInfo{"rho_clip", real, 1e-3, 1e9, "", "1",
                "bound of the ratio of both policies in the errors and advantages (rho-bar)"},
    SettingInfo{"c_clip", real, 1e-3, 1e9, "", "1",
                "bound of the ratio of both policies in the traces (c-bar)"},
    SettingInfo{"slots", integer, 1, 64, "", "2",
                "rollouts of an actor that may wait to be trained while it plays the next"},
    SettingInfo{"train_batch", integer, 1, 65536, "", "32",
                "samples after which the learner stops taking queued rollouts"},
    SettingInfo{"learner", word, 0, 0, "actors thread", "actors",
                "who trains: the actors, while they wait for a free rollout; or a thread besides "
                "them, as published. Default on a GPU and with processes: thread"},
    SettingInfo{"deterministic", word, 0, 0, "no yes", "no",
                "one actor that waits for the learner after each rollout: two runs of one seed are "
                "equal"},
    SettingInfo{"processes", word, 0, 0, "no yes", "no",
                "yes: each actor is a process, and one that ends is replaced"},
};

// What a checkpoint does not fix: the step sizes, and how rollouts are made and learned from. The
// network, the optimizer's kind, the environments and their number are those of the checkpoint.
constexpr std::array<std::string_view, 20> ac_may_change{
    "learning_rate", "learning_rate_end", "gamma",         "lambda",          "t_max",
    "epochs",        "ratio_clip",        "entropy",       "entropy_end",     "value_loss",
    "grad_clip",     "reward_clip",       "rmsprop_decay", "rmsprop_epsilon", "adam_beta1",
    "adam_beta2",    "adam_epsilon",      "minibatches",   "value_clip",      "kl_stop"};

// In a3c and a2c a rollout is one update: a fourth of the environments of ga3c makes updates of the
// same size.
constexpr auto plain_settings = changeable(with(actor_critic_settings, "envs", "8"), ac_may_change);
constexpr auto ga3c_settings =
    changeable(joined(actor_critic_settings, queue_settings), ac_may_change);
constexpr auto ppo_settings = changeable(
    joined(changed(actor_critic_settings, ppo_rows, "agents"), minibatch_settings), ac_may_change);
constexpr auto impala_settings = changeable(
    joined(
        changed(changed(actor_critic_settings, impala_rows, "epochs"), impala_rows, "ratio_clip"),
        vtrace_settings),
    ac_may_change);

DatasetInfo environment_of(const Params& fixed, const Space&) {
  return {fixed_text(fixed, "env"), builtin_dataset_version, ""};
}

}  // namespace

TrainerInfo ga3c_info() {
  return {.summary = "GPU asynchronous advantage actor-critic (Babaeizadeh et al., 2017)",
          .unit = "frames",
          .objectives = "return",
          .settings = ga3c_settings,
          .dataset = environment_of};
}

TrainerInfo a3c_info() {
  return {.summary = "asynchronous advantage actor-critic (Mnih et al., 2016)",
          .unit = "frames",
          .objectives = "return",
          .settings = plain_settings,
          .dataset = environment_of};
}

TrainerInfo a2c_info() {
  return {.summary = "advantage actor-critic, synchronous",
          .unit = "frames",
          .objectives = "return",
          .settings = plain_settings,
          .dataset = environment_of};
}

TrainerInfo ppo_info() {
  return {.summary = "proximal policy optimization (Schulman et al., 2017)",
          .unit = "frames",
          .objectives = "return",
          .settings = ppo_settings,
          .dataset = environment_of};
}

TrainerInfo impala_info() {
  return {.summary = "actors and learners with V-trace (IMPALA; Espeholt et al., 2018)",
          .unit = "frames",
          .objectives = "return",
          .settings = impala_settings,
          .dataset = environment_of};
}

}  // namespace hone
