// What the trainers dqn, apex and gorila accept.
#include <array>

#include "worker/train/settings/environments.hpp"
#include "worker/train/settings/rows.hpp"
#include "worker/train/settings/trainers.hpp"

namespace hone {
namespace {

#define HONE_WORD(name, place, function) name " "
constexpr std::array dqn_rows{
    SettingInfo{"env", SettingKind::word, 0, 0,
                HONE_ENVIRONMENTS(HONE_WORD, HONE_WORD) "gym:* atari:*", "CartPole-v1",
                "environment to learn, with discrete actions"},
    SettingInfo{"learning_rate", SettingKind::real, 0, 1, "", "0.0005", "step size at the start"},
    SettingInfo{"learning_rate_end", SettingKind::real, 0, 1, "", "0.0005",
                "step size at the end of the budget (annealed linearly); default: as "
                "learning_rate"},
    SettingInfo{"gamma", SettingKind::real, 0, 1, "", "0.99", "discount"},
    SettingInfo{"n_step", SettingKind::integer, 1, 100, "", "1",
                "rewards that a target sums before it takes a predicted value"},
    SettingInfo{"batch", SettingKind::integer, 1, 65536, "", "64", "transitions of an update"},
    SettingInfo{"train_every", SettingKind::integer, 1, 1000000, "", "4",
                "frames between two trainings"},
    SettingInfo{"updates", SettingKind::integer, 1, 10000, "", "1", "updates of each training"},
    SettingInfo{"learning_starts", SettingKind::integer, 0, 1e9, "", "1000",
                "frames of random actions before the first training"},
    SettingInfo{"double", SettingKind::word, 0, 0, "yes no", "yes",
                "choose the next action by the online network, and value it by the target network"},
    SettingInfo{"dueling", SettingKind::word, 0, 0, "yes no", "yes",
                "predict a value and advantages instead of the value of each action"},
    SettingInfo{"huber", SettingKind::real, 0, 1e9, "", "1",
                "error from which the loss grows linearly; 0: squared errors"},
    SettingInfo{"target_every", SettingKind::integer, 1, 1e9, "", "500",
                "updates between two moves of the target network"},
    SettingInfo{"target_rate", SettingKind::real, 1e-6, 1, "", "1",
                "how far the target network moves to the online one (Polyak); 1: a copy"},
    SettingInfo{"replay", SettingKind::word, 0, 0, "uniform proportional rank", "uniform",
                "draw transitions all alike, by their error, or by the rank of their error"},
    SettingInfo{"replay_size", SettingKind::integer, 64, 1e8, "", "100000",
                "frames that the replay memory keeps"},
    SettingInfo{"priority_alpha", SettingKind::real, 0, 1, "", "0.6",
                "how much the error counts in a prioritized draw; 0: not at all"},
    SettingInfo{"priority_beta", SettingKind::real, 0, 1, "", "0.4",
                "how far weights correct for prioritized draws at the start; 1: fully"},
    SettingInfo{"priority_beta_end", SettingKind::real, 0, 1, "", "1",
                "the same at the end of the budget"},
    SettingInfo{"priority_epsilon", SettingKind::real, 0, 1, "", "1e-6",
                "added to every error, so that no transition is forgotten"},
    SettingInfo{"epsilon_schedule", SettingKind::word, 0, 0,
                "linear exponential constant per_actor", "linear",
                "how the probability of a random action falls; per_actor: each environment has "
                "its own"},
    SettingInfo{"epsilon", SettingKind::real, 0, 1, "", "1",
                "probability of a random action at the start; per_actor: of the first "
                "environment"},
    SettingInfo{"epsilon_end", SettingKind::real, 0, 1, "", "0.05", "the same at the end"},
    SettingInfo{"epsilon_share", SettingKind::real, 1e-6, 1, "", "0.2",
                "share of the budget in which it falls"},
    SettingInfo{"epsilon_frames", SettingKind::integer, 0, 1e9, "", "0",
                "frames in which it falls; 0: by epsilon_share"},
    SettingInfo{"epsilon_spread", SettingKind::real, 0, 100, "", "7",
                "per_actor: exponent by which the last environment explores less"},
    SettingInfo{"reward_clip", SettingKind::real, 0, 1e9, "", "0",
                "rewards are clipped to [-reward_clip, reward_clip]; 0: not clipped"},
    SettingInfo{"grad_clip", SettingKind::real, 0, 1e9, "", "10",
                "bound of the global gradient norm; 0: no bound"},
    SettingInfo{"optimizer", SettingKind::word, 0, 0, "adam rmsprop rmsprop_centered", "adam",
                "optimizer of the weights"},
    SettingInfo{"adam_beta1", SettingKind::real, 0, 0.9999, "", "0.9", "decay of Adam's mean"},
    SettingInfo{"adam_beta2", SettingKind::real, 0, 0.999999, "", "0.999",
                "decay of Adam's mean square"},
    SettingInfo{"adam_epsilon", SettingKind::real, 0, 1, "", "1e-5", "epsilon of Adam"},
    SettingInfo{"rmsprop_decay", SettingKind::real, 0, 1, "", "0.95",
                "decay of RMSProp's mean square, and of its mean if centered"},
    SettingInfo{"rmsprop_epsilon", SettingKind::real, 0, 1, "", "0.01",
                "epsilon of RMSProp, under the root"},
    SettingInfo{"envs", SettingKind::integer, 1, 4096, "", "1", "environments"},
    SettingInfo{"network", SettingKind::word, 0, 0, "auto mlp minatar conv", "auto",
                "layers before the hidden ones: none (mlp), a 3x3 convolution (minatar), or two "
                "convolutions (conv); auto: by the observations"},
    SettingInfo{"hidden", SettingKind::integer, 1, 4096, "", "128", "width of each hidden layer"},
    SettingInfo{"layers", SettingKind::integer, 1, 8, "", "2", "hidden layers"},
    SettingInfo{"activation", SettingKind::word, 0, 0, "relu tanh", "relu",
                "activation of the hidden layers"},
    SettingInfo{"sticky", SettingKind::real, 0, 1, "", "0.1",
                "probability that the last action is repeated instead of the new one, in "
                "environments with sticky actions; default: as published"},
    SettingInfo{"checkpoint_replay", SettingKind::word, 0, 0, "auto yes no", "auto",
                "keep the replay memory in checkpoints: a resumed run then continues to the byte, "
                "else it fills its memory again; auto: up to 128 MiB"},
    SettingInfo{"backend", SettingKind::word, 0, 0, "own torch cuda", "own",
                "what computes the network: kernels of hone, libtorch, or libtorch on a GPU"},
    SettingInfo{"mode", SettingKind::word, 0, 0, "corrected parity", "corrected",
                "parity takes the settings published for DQN (Mnih et al., 2015) where none is "
                "given"},
};
#undef HONE_WORD

// What a checkpoint does not fix: its network, optimizer, environments and replay memory stay.
constexpr std::array<std::string_view, 19> dqn_may_change{"learning_rate",
                                                          "learning_rate_end",
                                                          "gamma",
                                                          "batch",
                                                          "train_every",
                                                          "updates",
                                                          "huber",
                                                          "target_every",
                                                          "target_rate",
                                                          "priority_beta",
                                                          "epsilon",
                                                          "epsilon_end",
                                                          "grad_clip",
                                                          "adam_beta1",
                                                          "adam_beta2",
                                                          "adam_epsilon",
                                                          "rmsprop_decay",
                                                          "rmsprop_epsilon",
                                                          "priority_beta_end"};

// What only dqn has.
constexpr std::array one_thread_settings{
    SettingInfo{"observation_scale", SettingKind::word, 0, 0, "yes no", "no",
                "scale each number of an observation to mean 0 and deviation 1 over all "
                "observations so far; not for planes"},
    SettingInfo{"average_updates", SettingKind::integer, 0, 1e9, "", "0",
                "updates over which the weights of the finished model are averaged; training "
                "plays by the last ones; 0: not averaged"},
};
constexpr std::array<std::string_view, 1> averages_may_change{"average_updates"};
constexpr auto dqn_settings = changeable(
    changeable(joined(dqn_rows, one_thread_settings), dqn_may_change), averages_may_change);

constexpr std::array apex_rows{
    SettingInfo{"n_step", SettingKind::integer, 1, 100, "", "3",
                "rewards that a target sums before it takes a predicted value"},
    SettingInfo{"replay", SettingKind::word, 0, 0, "uniform proportional rank", "proportional",
                "draw transitions all alike, by their error, or by the rank of their error"},
    SettingInfo{"epsilon_schedule", SettingKind::word, 0, 0,
                "linear exponential constant per_actor", "per_actor",
                "how the probability of a random action falls; per_actor: each environment has "
                "its own"},
    SettingInfo{"epsilon", SettingKind::real, 0, 1, "", "0.4",
                "probability of a random action at the start; per_actor: of the first "
                "environment"},
    SettingInfo{"envs", SettingKind::integer, 1, 4096, "", "1", "environments each actor owns"},
};

// What only apex has.
constexpr std::array actor_settings{
    SettingInfo{"actors", SettingKind::integer, 1, 256, "", "2",
                "actor threads, besides that of the learner"},
    SettingInfo{"actor_steps", SettingKind::integer, 1, 10000, "", "8",
                "steps of its environments that an actor hands over together; it fetches the "
                "weights before each"},
    SettingInfo{"slots", SettingKind::integer, 1, 64, "", "2",
                "such parts of an actor that may wait for the learner while it plays the next"},
    SettingInfo{"deterministic", SettingKind::word, 0, 0, "no yes", "no",
                "one actor that waits for the learner: two runs of one seed are equal"},
    SettingInfo{"processes", SettingKind::word, 0, 0, "no yes", "no",
                "yes: each actor is a process, and one that ends is replaced"},
};
constexpr auto apex_settings =
    changeable(joined(changed(dqn_rows, apex_rows, "mode"), actor_settings), dqn_may_change);

constexpr std::array gorila_rows{
    SettingInfo{"target_every", SettingKind::integer, 1, 1e9, "", "500",
                "updates of the parameter server between two moves of the target networks"},
    SettingInfo{"replay_size", SettingKind::integer, 64, 1e8, "", "100000",
                "frames that the replay memories of all nodes keep"},
    SettingInfo{"optimizer", SettingKind::word, 0, 0, "adam rmsprop rmsprop_centered adagrad",
                "adam", "optimizer of the parameter server; adagrad is the published one"},
    SettingInfo{"rmsprop_epsilon", SettingKind::real, 0, 1, "", "0.01",
                "epsilon of RMSProp and AdaGrad, under the root"},
    SettingInfo{"envs", SettingKind::integer, 1, 4096, "", "1", "environments each node owns"},
};

// What only gorila has.
constexpr std::array node_settings{
    SettingInfo{"actors", SettingKind::integer, 1, 256, "", "2",
                "nodes: threads of an actor, a learner and a replay memory each"},
    SettingInfo{"actor_steps", SettingKind::integer, 1, 10000, "", "8",
                "the most steps of its environments that a node plays by the same weights"},
    SettingInfo{"shards", SettingKind::integer, 1, 1024, "", "4", "shards of the parameter server"},
    SettingInfo{"staleness", SettingKind::integer, 0, 1e9, "", "20",
                "a shard drops gradients of parameters that are more updates old"},
    SettingInfo{"outlier_deviations", SettingKind::real, 0, 1000, "", "5",
                "a learner drops gradients whose loss exceeds the running mean by more standard "
                "deviations; 0: none"},
    SettingInfo{"deterministic", SettingKind::word, 0, 0, "no yes", "no",
                "one node: two runs of one seed are equal"},
    SettingInfo{"processes", SettingKind::word, 0, 0, "no yes", "no",
                "yes: each actor is a process, and one that ends is replaced"},
};
constexpr std::array<std::string_view, 3> nodes_may_change{"shards", "staleness",
                                                           "outlier_deviations"};
constexpr auto gorila_settings = changeable(
    changeable(joined(changed(dqn_rows, gorila_rows, "mode"), node_settings), dqn_may_change),
    nodes_may_change);

DatasetInfo dqn_environment(const Params& fixed, const Space&) {
  return {fixed_text(fixed, "env"), builtin_dataset_version, ""};
}

}  // namespace

TrainerInfo dqn_info() {
  return {.summary = "deep Q-network (Mnih et al., 2015): double, dueling, n-step, prioritized",
          .unit = "frames",
          .objectives = "return",
          .settings = dqn_settings,
          .budget = "50k",
          .dataset = dqn_environment};
}

TrainerInfo apex_info() {
  return {
      .summary = "Ape-X: actors that explore differently, one DQN learner (Horgan et al., 2018)",
      .unit = "frames",
      .objectives = "return",
      .settings = apex_settings,
      .budget = "50k",
      .dataset = dqn_environment};
}

TrainerInfo gorila_info() {
  return {.summary = "Gorila: DQN with several learners and a parameter server (Nair et al., 2015)",
          .unit = "frames",
          .objectives = "return",
          .settings = gorila_settings,
          .budget = "50k",
          .dataset = dqn_environment};
}

}  // namespace hone
