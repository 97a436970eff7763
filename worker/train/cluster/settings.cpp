// What the trainer `harmony` accepts.
#include <array>

#include "worker/train/settings/trainers.hpp"

namespace hone {
namespace {

constexpr std::array harmony_settings{
    SettingInfo{"servers", SettingKind::integer, 1, 1000, "", "6", "servers of the cluster"},
    SettingInfo{"gpus", SettingKind::integer, 1, 64, "", "2", "of a server: slots of workers"},
    SettingInfo{"cpus", SettingKind::integer, 1, 64, "", "8", "of a server: slots of tasks"},
    SettingInfo{"episode_jobs", SettingKind::integer, 1, 10000, "", "40", "jobs of an episode"},
    SettingInfo{"arrivals", SettingKind::real, 0.01, 1000, "", "1",
                "jobs that arrive in an interval of 300 s, on average"},
    SettingInfo{"loads", SettingKind::real, 0, 100, "", "1.5",
                "scale of the loads by which jobs slow each other down"},
    SettingInfo{"network_mb_s", SettingKind::real, 0.001, 1e9, "", "3000", "of a server"},
    SettingInfo{"speeds", SettingKind::word, 0, 0, "predicted true", "predicted",
                "what rewards in training: the reward model's speeds, or the simulator's own"},
    SettingInfo{"reward", SettingKind::word, 0, 0, "speed progress", "speed",
                "sum of the jobs' relative speeds, or of the shares of their work"},
    SettingInfo{"samples", SettingKind::integer, 10, 1000000, "", "5000",
                "intervals with measured speeds that the reward model learns from"},
    SettingInfo{"noise", SettingKind::real, 0, 1, "", "0", "relative error of a measured speed"},
    SettingInfo{"reward_epochs", SettingKind::integer, 1, 10000, "", "30",
                "passes over the samples, at most"},
    SettingInfo{"reward_learning_rate", SettingKind::real, 0, 1, "", "0.003",
                "step size of Adam for the reward model"},
    SettingInfo{"hidden", SettingKind::integer, 1, 512, "", "48",
                "width of both hidden layers of each network"},
    SettingInfo{"learning_rate", SettingKind::real, 0, 1, "", "0.001",
                "step size of Adam for actor and critic"},
    SettingInfo{"batch", SettingKind::integer, 1, 10000, "", "256", "decisions of an update"},
    SettingInfo{"updates", SettingKind::integer, 1, 10000, "", "8", "updates after each episode"},
    SettingInfo{"replay", SettingKind::integer, 0, 100000, "", "4096",
                "decisions that are kept; 0: those of the last episode"},
    SettingInfo{"exploration", SettingKind::real, 0, 1, "", "0.4",
                "initial probability of a decision by load balancing or packing"},
    SettingInfo{"exploration_end", SettingKind::real, 0, 1, "", "0.05",
                "the same at half of the budget and later"},
    SettingInfo{"baseline", SettingKind::word, 0, 0, "value none", "value",
                "subtract the value network from rewards, or nothing but their mean"},
    SettingInfo{"entropy", SettingKind::real, 0, 10, "", "0.01", "weight of the entropy bonus"},
    SettingInfo{"validation", SettingKind::integer, 1, 1000, "", "10",
                "held-out arrivals on which the objective is measured"},
};

DatasetInfo simulated_cluster(const Params&, const Space&) {
  return {"cluster:interference", builtin_dataset_version, ""};
}

}  // namespace

TrainerInfo harmony_info() {
  return {.summary = "learns on which servers jobs interfere least (Harmony, 2019), simulated",
          .unit = "jobs",
          .objectives = "of_load_balancing",
          .settings = harmony_settings,
          .budget = "6k",
          .dataset = simulated_cluster};
}

}  // namespace hone
