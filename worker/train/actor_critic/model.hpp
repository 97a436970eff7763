// The model file of ga3c, a3c and a2c: the network, and all state that a training needs to continue
// exactly.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "worker/train/actor_critic/agents/env_group.hpp"
#include "worker/train/actor_critic/experience/episodes.hpp"
#include "worker/train/actor_critic/experience/observation_scale.hpp"
#include "worker/train/actor_critic/experience/reward_scale.hpp"
#include "worker/train/actor_critic/learning/learner.hpp"
#include "worker/train/actor_critic/worker_counts.hpp"
#include "worker/train/nn/network.hpp"

namespace hone::ga3c {

struct Model {
  std::string env;
  NetShape net;
  std::int64_t frames = 0;  // played
  OptimizerKind optimizer = OptimizerKind::rmsprop;
  ParameterServer::State parameters;
  EpisodeLog::State episodes;
  RewardScale::State scale;
  ObservationScale::State observations;  // empty: not scaled
  WorkerCountTuner::State counts;
  std::vector<EnvGroup::State> groups;  // one for each agent
};

Status write_model(const std::filesystem::path& path, const Model& model);
// Refuses a file that is not a model, or whose contents are damaged, with one sentence.
Result<Model> read_model(const std::filesystem::path& path);

}  // namespace hone::ga3c
