// What the trainer sac accepts.
#include <array>

#include "worker/train/settings/environments.hpp"
#include "worker/train/settings/trainers.hpp"

namespace hone {
namespace {

#define HONE_WORD(name, place, function) name " "
constexpr std::array sac_rows{
    SettingInfo{"env", SettingKind::word, 0, 0, HONE_ENVIRONMENTS(HONE_WORD, HONE_WORD) "gym:*",
                "Pendulum-v1", "environment to learn, with continuous actions"},
    SettingInfo{"learning_rate", SettingKind::real, 0, 1, "", "0.0003",
                "step size of the policy, the critics and the temperature at the start"},
    SettingInfo{"learning_rate_end", SettingKind::real, 0, 1, "", "0.0003",
                "step size at the end of the budget (annealed linearly); default: as "
                "learning_rate"},
    SettingInfo{"gamma", SettingKind::real, 0, 1, "", "0.99", "discount"},
    SettingInfo{"n_step", SettingKind::integer, 1, 100, "", "1",
                "rewards that a target sums before it takes a predicted value"},
    SettingInfo{"batch", SettingKind::integer, 1, 65536, "", "256", "transitions of an update"},
    SettingInfo{"train_every", SettingKind::integer, 1, 1000000, "", "1",
                "frames between two trainings"},
    SettingInfo{"updates", SettingKind::integer, 1, 10000, "", "1", "updates of each training"},
    SettingInfo{"learning_starts", SettingKind::integer, 0, 1e9, "", "1000",
                "frames of random actions before the first training"},
    SettingInfo{"random_hold", SettingKind::integer, 1, 10000, "", "1",
                "steps for which such a random action is kept"},
    SettingInfo{"target_rate", SettingKind::real, 1e-6, 1, "", "0.005",
                "how far the target critics move to the critics after each update (Polyak)"},
    SettingInfo{"automatic", SettingKind::word, 0, 0, "yes no", "yes",
                "learn the temperature, so that the policy keeps the target entropy"},
    SettingInfo{"temperature", SettingKind::real, 1e-6, 1000, "", "1",
                "weight of the entropy; automatic: at the start"},
    SettingInfo{"target_entropy", SettingKind::real, -10000, 10000, "", "-1",
                "automatic: entropy that the policy keeps, in nats; default: minus the numbers of "
                "an action"},
    SettingInfo{"reward_scale", SettingKind::real, 1e-6, 1e6, "", "1",
                "factor of the rewards that are learned"},
    SettingInfo{"replay_size", SettingKind::integer, 64, 1e8, "", "1000000",
                "frames that the replay memory keeps"},
    SettingInfo{"grad_clip", SettingKind::real, 0, 1e9, "", "0",
                "bound of the global gradient norm; 0: no bound"},
    SettingInfo{"adam_epsilon", SettingKind::real, 0, 1, "", "1e-8", "epsilon of Adam"},
    SettingInfo{"envs", SettingKind::integer, 1, 4096, "", "1", "environments"},
    SettingInfo{"hidden", SettingKind::integer, 1, 4096, "", "256", "width of each hidden layer"},
    SettingInfo{"layers", SettingKind::integer, 1, 8, "", "2", "hidden layers"},
    SettingInfo{"activation", SettingKind::word, 0, 0, "relu tanh", "relu",
                "activation of the hidden layers"},
    SettingInfo{"checkpoint_replay", SettingKind::word, 0, 0, "auto yes no", "auto",
                "keep the replay memory in checkpoints: a resumed run then continues to the byte, "
                "else it fills its memory again; auto: up to 128 MiB"},
};
#undef HONE_WORD

// What a checkpoint does not fix: its networks, environments and replay memory stay.
constexpr std::array<std::string_view, 7> sac_may_change{
    "learning_rate", "learning_rate_end", "gamma",      "batch",
    "train_every",   "updates",           "target_rate"};
constexpr auto sac_settings = changeable(sac_rows, sac_may_change);

DatasetInfo sac_environment(const Params& fixed, const Space&) {
  return {fixed_text(fixed, "env"), builtin_dataset_version, ""};
}

}  // namespace

TrainerInfo sac_info() {
  return {.summary = "soft actor-critic (Haarnoja et al., 2018) for continuous actions",
          .unit = "frames",
          .objectives = "return",
          .settings = sac_settings,
          .budget = "20k",
          .dataset = sac_environment};
}

}  // namespace hone
