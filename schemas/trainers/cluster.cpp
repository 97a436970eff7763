// What the trainer `harmony` accepts.
#include <array>

#include "schemas/trainers/common.hpp"
#include "schemas/trainers/trainers.hpp"

namespace hone {
namespace setting_rows {
namespace {

constexpr std::array harmony_settings{
    whole("servers", Group::task, {1, 1000}, "6", "servers of the cluster"),
    whole("gpus", Group::task, {1, 64}, "2", "of a server: slots of workers"),
    whole("cpus", Group::task, {1, 64}, "8", "of a server: slots of tasks"),
    whole("episode_jobs", Group::task, {1, 10000}, "40", "jobs of an episode"),
    real("arrivals", Group::task, {0.01, 1000}, "1",
         "jobs that arrive in an interval of 300 s, on average"),
    real("loads", Group::task, {0, 100}, "1.5",
         "scale of the loads by which jobs slow each other down"),
    real("network_mb_s", Group::task, {0.001, 1e9}, "3000", "of a server"),
    word("speeds", Group::task, "predicted true", "predicted",
         "what rewards in training: the reward model's speeds, or the simulator's own"),
    word("reward", Group::learning, "speed progress", "speed",
         "sum of the jobs' relative speeds, or of the shares of their work"),
    whole("samples", Group::task, {10, 1000000}, "5000",
          "intervals with measured speeds that the reward model learns from"),
    real("noise", Group::task, {0, 1}, "0", "relative error of a measured speed"),
    whole("reward_epochs", Group::learning, {1, 10000}, "30", "passes over the samples, at most"),
    real("reward_learning_rate", Group::optimizer, {0, 1}, "0.003",
         "step size of Adam for the reward model"),
    whole("hidden", Group::network, {1, 512}, "48", "width of both hidden layers of each network"),
    real("learning_rate", Group::optimizer, {0, 1}, "0.001",
         "step size of Adam for actor and critic"),
    whole("batch", Group::learning, {1, 10000}, "256", "decisions of an update"),
    whole("updates", Group::learning, {1, 10000}, "8", "updates after each episode"),
    whole("replay", Group::replay, {0, 100000}, "4096",
          "decisions that are kept; 0: those of the last episode"),
    real("exploration", Group::exploration, {0, 1}, "0.4",
         "initial probability of a decision by load balancing or packing"),
    real("exploration_end", Group::exploration, {0, 1}, "0.05",
         "the same at half of the budget and later"),
    word("baseline", Group::learning, "value none", "value",
         "subtract the value network from rewards, or nothing but their mean"),
    real("entropy", Group::exploration, {0, 10}, "0.01", "weight of the entropy bonus"),
    whole("validation", Group::task, {1, 1000}, "10",
          "held-out arrivals on which the objective is measured"),
};

}  // namespace
}  // namespace setting_rows

namespace {

DatasetInfo simulated_cluster(const Params&, const Space&) {
  return {"cluster:interference", builtin_dataset_version, ""};
}

}  // namespace

TrainerInfo harmony_info() {
  return {.summary = "learns on which servers jobs interfere least (Harmony, 2019), simulated",
          .unit = "jobs",
          .objectives = "of_load_balancing",
          .settings = setting_rows::harmony_settings,
          .budget = "6k",
          .dataset = simulated_cluster};
}

}  // namespace hone
