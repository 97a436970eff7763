// What the trainers dqn, apex and gorila accept.
#include <array>

#include "schemas/trainers/common.hpp"
#include "schemas/trainers/trainers.hpp"

namespace hone {
namespace setting_rows {
namespace {

constexpr std::string_view prioritized = "replay=proportional,rank";
constexpr std::string_view rmsprop = "optimizer=rmsprop,rmsprop_centered";

// What a run may not change: network, optimizer, environments and replay memory are those of the
// checkpoint.
constexpr std::array q_core{
    env.described("environment to learn, with discrete actions"),
    learning_rate,
    learning_rate_end.by_default("0.0005").described(
        "step size at the end of the budget (annealed linearly); default: as learning_rate"),
    gamma,
    n_step,
    batch,
    train_every,
    updates,
    learning_starts,
    word("double", Group::learning, "yes no", "yes",
         "choose the next action by the online network, and value it by the target network"),
    word("dueling", Group::learning, "yes no", "yes",
         "predict a value and advantages instead of the value of each action"),
    real("huber", Group::learning, {0, 1e9}, "1",
         "error from which the loss grows linearly; 0: squared errors")
        .changeable(),
    whole("target_every", Group::learning, {1, 1e9}, "500",
          "updates between two moves of the target network")
        .changeable(),
    real("target_rate", Group::learning, {1e-6, 1}, "1",
         "how far the target network moves to the online one (Polyak); 1: a copy")
        .changeable(),
    word("replay", Group::replay, "uniform proportional rank", "uniform",
         "draw transitions all alike, by their error, or by the rank of their error"),
    replay_size,
    real("priority_alpha", Group::replay, {0, 1}, "0.6",
         "how much the error counts in a prioritized draw; 0: not at all")
        .only_with(prioritized),
    real("priority_beta", Group::replay, {0, 1}, "0.4",
         "how far weights correct for prioritized draws at the start; 1: fully")
        .changeable()
        .only_with(prioritized),
    real("priority_beta_end", Group::replay, {0, 1}, "1", "the same at the end of the budget")
        .changeable()
        .only_with(prioritized),
    real("priority_epsilon", Group::replay, {0, 1}, "1e-6",
         "added to every error, so that no transition is forgotten")
        .only_with(prioritized),
    word("epsilon_schedule", Group::exploration, "linear exponential constant per_actor", "linear",
         "how the probability of a random action falls; per_actor: each environment has its own"),
    real("epsilon", Group::exploration, {0, 1}, "1",
         "probability of a random action at the start; per_actor: of the first environment")
        .changeable(),
    real("epsilon_end", Group::exploration, {0, 1}, "0.05", "the same at the end").changeable(),
    real("epsilon_share", Group::exploration, {1e-6, 1}, "0.2",
         "share of the budget in which it falls"),
    whole("epsilon_frames", Group::exploration, {0, 1e9}, "0",
          "frames in which it falls; 0: by epsilon_share"),
    real("epsilon_spread", Group::exploration, {0, 100}, "7",
         "exponent by which the last environment explores less")
        .only_with("epsilon_schedule=per_actor"),
    reward_clip,
    grad_clip.changeable(),
    optimizer.by_default("adam").one_of("adam rmsprop rmsprop_centered"),
    adam_beta1,
    adam_beta2,
    adam_epsilon.changeable().only_with("optimizer=adam"),
    rmsprop_decay.by_default("0.95")
        .described("decay of RMSProp's mean square, and of its mean if centered")
        .only_with(rmsprop),
    rmsprop_epsilon.by_default("0.01").only_with(rmsprop),
    envs,
    network.described(
        "layers before the hidden ones: none (mlp), a 3x3 convolution (minatar), or two "
        "convolutions (conv); auto: by the observations"),
    hidden,
    layers,
    activation,
    sticky,
    checkpoint_replay,
    backend,
    presets,
};

constexpr std::array dqn_only{
    word("mode", Group::run, "corrected parity", "corrected",
         "parity takes the settings published for DQN (Mnih et al., 2015) where none is given"),
    observation_scale,
    whole("average_updates", Group::learning, {0, 1e9}, "0",
          "updates over which the weights of the finished model are averaged; training plays by "
          "the last ones; 0: not averaged")
        .changeable(),
};
constexpr auto dqn_settings = joined(q_core, dqn_only);

// The settings of the actors, which apex and gorila have.
constexpr std::array actors{
    whole("actors", Group::actors, {1, 256}, "2", "actor threads, besides that of the learner"),
    whole("actor_steps", Group::actors, {1, 10000}, "8",
          "steps of its environments that an actor hands over together; it fetches the weights "
          "before each"),
    whole("slots", Group::actors, {1, 64}, "2",
          "such parts of an actor that may wait for the learner while it plays the next"),
    deterministic.described("one actor that waits for the learner: two runs of one seed are equal"),
    processes,
};
constexpr std::array apex_rows{
    n_step.by_default("3"),
    of(q_core, "replay").by_default("proportional"),
    of(q_core, "epsilon_schedule").by_default("per_actor"),
    of(q_core, "epsilon").by_default("0.4"),
    envs.described("environments each actor owns"),
};
constexpr auto apex_settings = joined(changed(q_core, apex_rows), actors);

constexpr std::array nodes{
    of(actors, "actors")
        .described("nodes: threads of an actor, a learner and a replay memory each"),
    of(actors, "actor_steps")
        .described("the most steps of its environments that a node plays by the same weights"),
    whole("shards", Group::actors, {1, 1024}, "4", "shards of the parameter server").changeable(),
    whole("staleness", Group::actors, {0, 1e9}, "20",
          "a shard drops gradients of parameters that are more updates old")
        .changeable(),
    real("outlier_deviations", Group::learning, {0, 1000}, "5",
         "a learner drops gradients whose loss exceeds the running mean by more standard "
         "deviations; 0: none")
        .changeable(),
    deterministic.described("one node: two runs of one seed are equal"),
    processes,
};
constexpr std::array gorila_rows{
    of(q_core, "target_every")
        .described("updates of the parameter server between two moves of the target networks"),
    replay_size.described("frames that the replay memories of all nodes keep"),
    of(q_core, "optimizer")
        .one_of("adam rmsprop rmsprop_centered adagrad")
        .described("optimizer of the parameter server; adagrad is the published one"),
    of(q_core, "rmsprop_epsilon")
        .described("epsilon of RMSProp and AdaGrad, under the root")
        .only_with("optimizer=rmsprop,rmsprop_centered,adagrad"),
    envs.described("environments each node owns"),
};
constexpr auto gorila_settings = joined(changed(q_core, gorila_rows), nodes);

}  // namespace
}  // namespace setting_rows

TrainerInfo dqn_info() {
  return {.summary = "deep Q-network (Mnih et al., 2015): double, dueling, n-step, prioritized",
          .unit = "frames",
          .objectives = "return",
          .settings = setting_rows::dqn_settings,
          .budget = "50k",
          .dataset = dataset_of_env,
          .actions = Actions::discrete};
}

TrainerInfo apex_info() {
  return {
      .summary = "Ape-X: actors that explore differently, one DQN learner (Horgan et al., 2018)",
      .unit = "frames",
      .objectives = "return",
      .settings = setting_rows::apex_settings,
      .budget = "50k",
      .dataset = dataset_of_env,
      .actions = Actions::discrete};
}

TrainerInfo gorila_info() {
  return {.summary = "Gorila: DQN with several learners and a parameter server (Nair et al., 2015)",
          .unit = "frames",
          .objectives = "return",
          .settings = setting_rows::gorila_settings,
          .budget = "50k",
          .dataset = dataset_of_env,
          .actions = Actions::discrete};
}

}  // namespace hone
