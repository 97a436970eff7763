// Harmony's three networks and the policies that use them. Training is in worker/train/cluster.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"
#include "server/cluster/harmony/mlp.hpp"
#include "server/cluster/harmony/state.hpp"
#include "server/cluster/simulate.hpp"

namespace hone::cluster {

// The format of a model's file, which is also the trainer's checkpoint.
inline constexpr std::string_view harmony_format = "hone-harmony-1";
inline constexpr int harmony_hidden_max = 512;
// Of a model's file, for all that write or read one: its text takes some 25 times as much to parse.
inline constexpr std::size_t harmony_bytes_max = 64U << 20U;

// Predicts the relative speed of every job: the least over its servers of what a network gives for
// the server. Harmony's reward-prediction network.
class RewardModel {
 public:
  RewardModel(std::size_t types, int hidden)
      : net_({speed_inputs(types), std::size_t(hidden), std::size_t(hidden)}) {}
  // As normalized_speeds().
  [[nodiscard]] std::vector<double> speeds(const ClusterSetup& setup,
                                           std::span<const Placed> running) const;
  // Adds the gradient of the mean over the jobs of (speed - truth)^2 / 2. Returns the mean absolute
  // error.
  double add_gradient(const ClusterSetup& setup, std::span<const Placed> running,
                      std::span<const double> truth, std::span<double> gradient) const;

  [[nodiscard]] const Mlp& net() const { return net_; }
  std::vector<double>& weights() { return weights_; }
  [[nodiscard]] const std::vector<double>& weights() const { return weights_; }

 private:
  Mlp net_;
  std::vector<double> weights_;
};

// The open actions of a job's next task, and what the policy makes of them.
struct Decision {
  std::vector<Action> open;
  std::vector<std::vector<double>> inputs;  // of each
};
Decision decision_of(const ClusterSetup& setup, const Occupancy& occupancy, const Partial& partial);

class ActorCritic {
 public:
  ActorCritic(std::size_t types, int hidden)
      : actor_({action_inputs(types), std::size_t(hidden), std::size_t(hidden)}),
        critic_({value_inputs(types), std::size_t(hidden), std::size_t(hidden)}) {}
  // Probabilities of the open actions: masked actions have none. Precondition: one is open.
  [[nodiscard]] std::vector<double> probabilities(
      const std::vector<std::vector<double>>& inputs) const;

  [[nodiscard]] const Mlp& actor() const { return actor_; }
  [[nodiscard]] const Mlp& critic() const { return critic_; }
  std::vector<double> actor_weights, critic_weights;

 private:
  Mlp actor_, critic_;
};

// The most probable action.
std::size_t most_probable(std::span<const double> probabilities);

struct HarmonyModel {
  std::vector<std::string> types;  // names, by index
  int hidden = 0;
  RewardModel reward;
  ActorCritic agent;
};

HarmonyModel empty_harmony(const ClusterSetup& setup, int hidden);
// The networks as members of a checkpoint.
Json json_of(const HarmonyModel& model);
// Refuses what is no model, is damaged, or was trained for other job types than the setup has.
Result<HarmonyModel> read_harmony(const Json& document, const ClusterSetup& setup);

// Places each job by the most probable actions. `model` must outlive the result.
Place harmony_place(const HarmonyModel& model);
// Places each job by best_of_candidates(), by the sum of the predicted speeds.
Place learned_search(const HarmonyModel& model);
// The scheduler of a row of learned_table().
Scheduler scheduler_of(const LearnedRow& row, const HarmonyModel& model);

}  // namespace hone::cluster
