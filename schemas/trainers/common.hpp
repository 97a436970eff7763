// The settings that trainers of several families have. A family states what differs.
#pragma once

#include "schemas/trainers/environments.hpp"
#include "schemas/trainers/presets.hpp"
#include "schemas/trainers/setting.hpp"

namespace hone::setting_rows {

#define HONE_WORD(name, place, function, actions) name " "
inline constexpr std::string_view builtin_environments = HONE_ENVIRONMENTS(HONE_WORD, HONE_WORD);
inline constexpr auto env =
    word("env", Group::task, HONE_ENVIRONMENTS(HONE_WORD, HONE_WORD) "gym:* atari:*", "CartPole-v1",
         "environment to learn");
inline constexpr auto vector_env =
    word("env", Group::task, HONE_ENVIRONMENTS(HONE_WORD, HONE_WORD) "gym:*", "Pendulum-v1",
         "environment to learn, with continuous actions");
#undef HONE_WORD
inline constexpr auto sticky =
    real("sticky", Group::task, {0, 1}, "0.1",
         "probability that the last action is repeated instead of the new one, in environments "
         "with sticky actions; default: as published");

inline constexpr auto gamma =
    real("gamma", Group::learning, {0, 1}, "0.99", "discount").changeable();
inline constexpr auto reward_clip =
    real("reward_clip", Group::learning, {0, 1e9}, "0",
         "rewards are clipped to [-reward_clip, reward_clip]; 0: not clipped");
inline constexpr auto observation_scale =
    word("observation_scale", Group::learning, "yes no", "no",
         "scale each number of an observation to mean 0 and deviation 1 over all observations so "
         "far; not for planes");
inline constexpr auto n_step =
    whole("n_step", Group::learning, {1, 100}, "1",
          "rewards that a target sums before it takes a predicted value");
inline constexpr auto batch =
    whole("batch", Group::learning, {1, 65536}, "64", "transitions of an update").changeable();
inline constexpr auto train_every =
    whole("train_every", Group::learning, {1, 1000000}, "4", "frames between two trainings")
        .changeable();
inline constexpr auto updates =
    whole("updates", Group::learning, {1, 10000}, "1", "updates of each training").changeable();
inline constexpr auto learning_starts = whole("learning_starts", Group::learning, {0, 1e9}, "1000",
                                              "frames of random actions before the first training");

inline constexpr auto replay_size =
    whole("replay_size", Group::replay, {64, 1e8}, "100000", "frames that the replay memory keeps");
inline constexpr auto checkpoint_replay =
    word("checkpoint_replay", Group::replay, "auto yes no", "auto",
         "keep the replay memory in checkpoints: a resumed run then continues to the byte, else it "
         "fills its memory again; auto: up to 128 MiB");

inline constexpr auto learning_rate =
    real("learning_rate", Group::optimizer, {0, 1}, "0.0005", "step size at the start")
        .changeable();
inline constexpr auto learning_rate_end =
    real("learning_rate_end", Group::optimizer, {0, 1}, "0",
         "step size at the end of the budget (annealed linearly)")
        .changeable();
inline constexpr auto grad_clip = real("grad_clip", Group::optimizer, {0, 1e9}, "10",
                                       "bound of the global gradient norm; 0: no bound");
inline constexpr auto optimizer =
    word("optimizer", Group::optimizer, "rmsprop adam", "rmsprop", "optimizer of the weights");
inline constexpr auto adam_beta1 =
    real("adam_beta1", Group::optimizer, {0, 0.9999}, "0.9", "decay of Adam's mean")
        .changeable()
        .only_with("optimizer=adam");
inline constexpr auto adam_beta2 =
    real("adam_beta2", Group::optimizer, {0, 0.999999}, "0.999", "decay of Adam's mean square")
        .changeable()
        .only_with("optimizer=adam");
inline constexpr auto adam_epsilon =
    real("adam_epsilon", Group::optimizer, {0, 1}, "1e-5", "epsilon of Adam");
inline constexpr auto rmsprop_decay =
    real("rmsprop_decay", Group::optimizer, {0, 1}, "0.99", "decay of RMSProp's mean square")
        .changeable();
inline constexpr auto rmsprop_epsilon =
    real("rmsprop_epsilon", Group::optimizer, {0, 1}, "1e-5", "epsilon of RMSProp, under the root")
        .changeable();

inline constexpr auto network =
    word("network", Group::network, "auto mlp minatar conv", "auto",
         "layers before the hidden ones: none (mlp), a 3x3 convolution (minatar), or the two "
         "published convolutions (conv); auto: by the observations");
inline constexpr auto hidden =
    whole("hidden", Group::network, {1, 4096}, "128", "width of each hidden layer");
inline constexpr auto layers = whole("layers", Group::network, {1, 8}, "2", "hidden layers");
inline constexpr auto activation =
    word("activation", Group::network, "relu tanh", "relu", "activation of the hidden layers");

inline constexpr auto envs = whole("envs", Group::actors, {1, 4096}, "1", "environments");
inline constexpr auto processes =
    word("processes", Group::actors, "no yes", "no",
         "yes: each actor is a process, and one that ends is replaced");
inline constexpr auto backend =
    word("backend", Group::run, "own torch cuda", "own",
         "what computes the network: kernels of hone, libtorch, or libtorch on a GPU");
inline constexpr auto presets = whole(
    "presets", Group::run, {0, trainers::newest_presets}, "2",
    "generation of the presets, which give values to settings that have none; 0: no preset. A "
    "sweep keeps that of its submission");
inline constexpr auto deterministic =
    word("deterministic", Group::run, "no yes", "no",
         "refuse settings with which two runs of one seed could differ");

}  // namespace hone::setting_rows
