// The settings of ga3c, a3c, a2c, ppo and impala in typed form, with the defaults of the mode
// filled in.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "worker/train/actor_critic/agents/agent.hpp"
#include "worker/train/actor_critic/learning/learner.hpp"
#include "worker/train/actor_critic/learning/vtrace.hpp"
#include "worker/train/actor_critic/worker_counts.hpp"
#include "worker/train/envs/table.hpp"
#include "worker/train/nn/network.hpp"
#include "worker/train/run/trainer.hpp"

namespace hone::ac {

enum class Scheme { ga3c, a3c, a2c, ppo, impala };

struct Options {
  Scheme scheme = Scheme::ga3c;
  envs::Env env;
  std::optional<double> sticky{};  // replaces that of the environment
  bool parity = false;
  bool scale_observations = false;
  std::uint64_t seed = 0;
  int envs_per_agent = 16;
  rl::WorkerCounts counts;      // at the start
  rl::WorkerCounts counts_max;  // upper bounds of `dynamic`
  bool dynamic = false;
  std::chrono::milliseconds dynamic_wait{0};
  int predict_rows_max = 1024;
  int train_samples_max = 128;
  nn::NetShape net;
  nn::NetworkMaker networks;
  // Of ga3c and impala: an actor that waits serves the queues itself. On a GPU it does not: each
  // network takes memory there, and predictors and trainers keep it busy.
  bool actors_serve = true;
  nn::WeightStart weight_start = nn::WeightStart::scaled;
  double deviation = 1;  // initial, of a Gaussian policy
  AgentRule agent;
  LearningRule learning;
  VtraceRule vtrace;       // of impala
  int impala_slots = 2;    // rollouts of one agent that may wait to be trained
  bool processes = false;  // of impala: actors are processes

  // Rollouts of one agent that may wait in parity mode: 100 of all agents, as published.
  [[nodiscard]] int parity_slots() const { return std::max(1, 100 / counts.agents); }
  // Most rows of one prediction. An agent requests its states and the last ones of its episodes.
  [[nodiscard]] int predict_rows_needed() const {
    const int each = 2 * envs_per_agent;
    return std::max(each, std::min(predict_rows_max, counts_max.agents * each));
  }
  // Samples of a rollout of all environments of an agent.
  [[nodiscard]] int rollout_samples() const { return envs_per_agent * agent.t_max; }
  // Most samples of one batch.
  [[nodiscard]] int train_samples_needed() const {
    return std::max(train_samples_max, agent.t_max);
  }
};

// Refuses an unknown environment, settings that contradict each other or the environment, and a
// backend that is not available here.
Result<Options> options_of(Scheme scheme, const trainers::TrainingJob& job);

}  // namespace hone::ac
