// What the trainer sac accepts.
#include <array>

#include "schemas/trainers/common.hpp"
#include "schemas/trainers/trainers.hpp"

namespace hone {
namespace setting_rows {
namespace {

// What a run may not change: networks, environments and replay memory are those of the checkpoint.
constexpr std::array sac_settings{
    vector_env,
    learning_rate.by_default("0.0003").described(
        "step size of the policy, the critics and the temperature at the start"),
    learning_rate_end.by_default("0.0003").described(
        "step size at the end of the budget (annealed linearly); default: as learning_rate"),
    gamma,
    n_step,
    batch.by_default("256"),
    train_every.by_default("1"),
    updates,
    learning_starts,
    whole("random_hold", Group::exploration, {1, 10000}, "1",
          "steps for which a random action before the first training is kept"),
    real("target_rate", Group::learning, {1e-6, 1}, "0.005",
         "how far the target critics move to the critics after each update (Polyak)")
        .changeable(),
    word("automatic", Group::exploration, "yes no", "yes",
         "learn the temperature, so that the policy keeps the target entropy"),
    real("temperature", Group::exploration, {1e-6, 1000}, "1",
         "weight of the entropy; automatic: at the start"),
    real("target_entropy", Group::exploration, {-10000, 10000}, "-1",
         "entropy that the policy keeps, in nats; default: minus the numbers of an action")
        .only_with("automatic=yes"),
    real("reward_scale", Group::learning, {1e-6, 1e6}, "1",
         "factor of the rewards that are learned"),
    replay_size.by_default("1000000"),
    grad_clip.by_default("0"),
    adam_epsilon.by_default("1e-8"),
    envs,
    hidden.by_default("256"),
    layers,
    activation,
    checkpoint_replay,
    presets,
};

}  // namespace
}  // namespace setting_rows

TrainerInfo sac_info() {
  return {.summary = "soft actor-critic (Haarnoja et al., 2018) for continuous actions",
          .unit = "frames",
          .objectives = "return",
          .settings = setting_rows::sac_settings,
          .budget = "20k",
          .dataset = dataset_of_env,
          .actions = Actions::continuous};
}

}  // namespace hone
