// What the trainers ga3c, a3c, a2c, ppo and impala accept.
#include <array>

#include "schemas/trainers/common.hpp"
#include "schemas/trainers/trainers.hpp"

namespace hone {
namespace setting_rows {
namespace {

// What a run may not change: the network, the optimizer's kind, the environments and their number
// are those of the checkpoint.
constexpr std::array ga3c_core{
    env,
    learning_rate.by_default("0.002"),
    learning_rate_end,
    gamma,
    real("lambda", Group::learning, {0, 1}, "1",
         "mixture of the returns of 1, 2, 3, ... steps (GAE): 1 takes the longest, less of it "
         "relies more on the predicted values")
        .changeable(),
    whole("t_max", Group::learning, {1, 1000}, "8",
          "rollout length: steps of an environment between two updates")
        .changeable(),
    whole("epochs", Group::learning, {1, 32}, "1", "how often each rollout is trained")
        .changeable(),
    real("ratio_clip", Group::learning, {0, 1}, "0",
         "how far an action's probability may move from what it was when it was chosen (PPO's "
         "clip), for epochs above 1 and late trainers; 0: no clip")
        .changeable(),
    real("entropy", Group::exploration, {0, 10}, "0.005",
         "weight of the entropy bonus (beta) at the start")
        .changeable(),
    real("entropy_end", Group::exploration, {0, 10}, "0.005",
         "the same at the end of the budget; default: as entropy")
        .changeable(),
    real("value_loss", Group::learning, {0, 10}, "0.5", "weight of the value loss").changeable(),
    grad_clip.by_default("5").changeable(),
    reward_clip.changeable(),
    word("reward_scale", Group::learning, "yes no", "yes",
         "divide rewards by the deviation of the returns seen so far"),
    observation_scale,
    optimizer,
    rmsprop_decay.only_with("optimizer=rmsprop"),
    rmsprop_epsilon.only_with("optimizer=rmsprop"),
    adam_beta1,
    adam_beta2,
    adam_epsilon.changeable().only_with("optimizer=adam"),
    whole("agents", Group::actors, {1, 1024}, "1", "agent threads"),
    envs.by_default("32").described("environments each agent owns"),
    network,
    hidden,
    layers.by_default("1"),
    activation.by_default("tanh").one_of("tanh relu"),
    real("deviation", Group::exploration, {0.01, 10}, "1",
         "standard deviation of a continuous policy at the start; actions range from -1 to 1"),
    sticky,
    backend,
    presets,
};

// The settings of the queues, which only ga3c has.
constexpr std::array queues{
    whole("predictors", Group::actors, {1, 64}, "1", "predictor threads"),
    whole("trainers", Group::actors, {1, 64}, "1", "trainer threads"),
    word("dynamic", Group::actors, "no yes", "no",
         "adjust the numbers of agents, predictors and trainers by measured frames/s"),
    real("dynamic_wait", Group::actors, {0.01, 3600}, "20", "seconds that each adjustment gets")
        .only_with("dynamic=yes"),
    whole("predict_batch", Group::actors, {1, 65536}, "1024",
          "most observations in one prediction"),
    whole("train_batch", Group::actors, {1, 65536}, "32",
          "samples after which a trainer stops taking queued rollouts"),
    deterministic,
    word("mode", Group::run, "corrected parity", "corrected",
         "corrected trains on terminal transitions; parity is the published code with its "
         "configuration: 32 agents of one environment, 2 predictors and 2 trainers that dynamic "
         "adjusts, one rollout of 5 an update, 256 hidden units"),
};
constexpr std::array corrected_only{
    of(ga3c_core, "lambda").only_with("mode=corrected"),
    of(ga3c_core, "epochs").only_with("mode=corrected"),
    of(ga3c_core, "ratio_clip").only_with("mode=corrected"),
};
constexpr auto ga3c_settings = joined(changed(ga3c_core, corrected_only), queues);

// In a3c and a2c a rollout is one update: a fourth of the environments of ga3c makes updates of the
// same size.
constexpr auto plain_settings =
    changed(ga3c_core, std::array{of(ga3c_core, "envs").by_default("8")});

constexpr std::array minibatches{
    whole("minibatches", Group::learning, {1, 4096}, "4",
          "parts of a shuffled rollout, each of which makes an update")
        .changeable(),
    word("advantage_norm", Group::learning, "yes no", "yes",
         "scale the advantages of a minibatch to mean 0 and deviation 1"),
    real("value_clip", Group::learning, {0, 1e9}, "0",
         "how far a value may move from the one predicted in play; 0: no clip")
        .changeable(),
    real("kl_stop", Group::learning, {0, 1e9}, "0",
         "end the updates of a rollout when the policy has moved further than 1.5 times this (KL "
         "divergence); 0: never")
        .changeable(),
};
constexpr std::array ppo_rows{
    learning_rate,
    of(ga3c_core, "lambda").by_default("0.95"),
    of(ga3c_core, "t_max")
        .by_default("128")
        .within({1, 100000})
        .described("rollout length: steps of an environment between two trainings"),
    of(ga3c_core, "epochs").by_default("4").within({1, 100}),
    of(ga3c_core, "ratio_clip")
        .by_default("0.2")
        .within({1e-6, 1})
        .described("how far an action's probability may move from what it was when it was chosen"),
    of(ga3c_core, "grad_clip").by_default("0.5"),
    optimizer.by_default("adam"),
    envs.by_default("8"),
    hidden.by_default("64"),
    layers,
};
constexpr auto ppo_settings = joined(without(changed(ga3c_core, ppo_rows), "agents"), minibatches);

constexpr std::array vtrace{
    real("rho_clip", Group::learning, {1e-3, 1e9}, "1",
         "bound of the ratio of both policies in the errors and advantages (rho-bar)"),
    real("c_clip", Group::learning, {1e-3, 1e9}, "1",
         "bound of the ratio of both policies in the traces (c-bar)"),
    whole("slots", Group::actors, {1, 64}, "2",
          "rollouts of an actor that may wait to be trained while it plays the next"),
    of(queues, "train_batch")
        .described("samples after which the learner stops taking queued rollouts"),
    word("learner", Group::actors, "actors thread", "actors",
         "who trains: the actors, while they wait for a free rollout; or a thread besides them, as "
         "published. Default on a GPU and with processes: thread"),
    deterministic.described(
        "one actor that waits for the learner after each rollout: two runs of one seed are equal"),
    processes,
};
constexpr std::array impala_rows{
    of(ga3c_core, "lambda")
        .described(
            "factor of the trace coefficients: less of it relies more on the predicted values"),
    of(ga3c_core, "t_max")
        .by_default("32")
        .described("rollout length: steps of an environment that an actor queues together"),
    of(ga3c_core, "agents").by_default("2").described("actor threads"),
    envs.by_default("8").described("environments each actor owns"),
};
constexpr auto impala_settings =
    joined(without(without(changed(ga3c_core, impala_rows), "epochs"), "ratio_clip"), vtrace);

}  // namespace
}  // namespace setting_rows

TrainerInfo ga3c_info() {
  return {.summary = "GPU asynchronous advantage actor-critic (Babaeizadeh et al., 2017)",
          .unit = "frames",
          .objectives = "return",
          .settings = setting_rows::ga3c_settings,
          .dataset = dataset_of_env};
}

TrainerInfo a3c_info() {
  return {.summary = "asynchronous advantage actor-critic (Mnih et al., 2016)",
          .unit = "frames",
          .objectives = "return",
          .settings = setting_rows::plain_settings,
          .dataset = dataset_of_env};
}

TrainerInfo a2c_info() {
  return {.summary = "advantage actor-critic, synchronous",
          .unit = "frames",
          .objectives = "return",
          .settings = setting_rows::plain_settings,
          .dataset = dataset_of_env};
}

TrainerInfo ppo_info() {
  return {.summary = "proximal policy optimization (Schulman et al., 2017)",
          .unit = "frames",
          .objectives = "return",
          .settings = setting_rows::ppo_settings,
          .dataset = dataset_of_env};
}

TrainerInfo impala_info() {
  return {.summary = "actors and learners with V-trace (IMPALA; Espeholt et al., 2018)",
          .unit = "frames",
          .objectives = "return",
          .settings = setting_rows::impala_settings,
          .dataset = dataset_of_env};
}

}  // namespace hone
