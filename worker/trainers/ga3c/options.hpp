// The settings of ga3c as numbers with types, and what the two modes make of them.
#pragma once

#include <string>

#include "schemas/types/result.hpp"
#include "worker/envs/table.hpp"
#include "worker/trainers/ga3c/agent.hpp"
#include "worker/trainers/ga3c/learner.hpp"
#include "worker/trainers/ga3c/network.hpp"
#include "worker/trainers/trainer.hpp"

namespace hone::ga3c {

struct Options {
  const envs::EnvRow* env = nullptr;
  bool parity = false;
  std::uint64_t seed = 0;
  int agents = 1;
  int envs_per_agent = 16;
  int predictors = 1;
  int trainers = 1;
  int predict_rows_max = 1024;
  int train_samples_max = 128;
  NetShape net;
  NetworkMaker networks;
  WeightStart weight_start = WeightStart::scaled;
  AgentRule agent;
  LearningRule learning;
};

// Refuses an environment that is not in the table.
Result<Options> options_of(const trainers::TrainingJob& job);

}  // namespace hone::ga3c
