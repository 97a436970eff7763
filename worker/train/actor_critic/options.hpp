// The settings of ga3c, a3c and a2c as numbers with types, and what the two modes make of them.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/result.hpp"
#include "worker/train/actor_critic/agents/agent.hpp"
#include "worker/train/actor_critic/learning/learner.hpp"
#include "worker/train/actor_critic/staff.hpp"
#include "worker/train/envs/table.hpp"
#include "worker/train/nn/network.hpp"
#include "worker/train/run/trainer.hpp"

namespace hone::ga3c {

enum class Scheme { ga3c, a3c, a2c };

struct Options {
  Scheme scheme = Scheme::ga3c;
  envs::Env env;
  std::optional<double> sticky{};  // instead of the environment's own
  bool parity = false;
  bool scale_observations = false;
  std::uint64_t seed = 0;
  int envs_per_agent = 16;
  Staff staff;  // at the start
  Staff most;   // that ever work
  bool dynamic = false;
  std::chrono::milliseconds dynamic_wait{0};
  int predict_rows_max = 1024;
  int train_samples_max = 128;
  NetShape net;
  NetworkMaker networks;
  WeightStart weight_start = WeightStart::scaled;
  double deviation = 1;  // of a Gaussian policy at first
  AgentRule agent;
  LearningRule learning;

  // Roll-outs of one agent that may wait in parity mode: 100 of all agents, as published.
  [[nodiscard]] int parity_slots() const { return std::max(1, 100 / staff.agents); }
  // Rows that one prediction can come to: of an agent its states, and the last ones of episodes.
  [[nodiscard]] int predict_rows_needed() const {
    const int each = 2 * envs_per_agent;
    return std::max(each, std::min(predict_rows_max, most.agents * each));
  }
  // Samples that one batch can come to.
  [[nodiscard]] int train_samples_needed() const {
    return std::max(train_samples_max, agent.t_max);
  }
};

// Refuses what is not in the tables and settings that contradict each other.
Result<Options> options_of(Scheme scheme, const trainers::TrainingJob& job);

}  // namespace hone::ga3c
