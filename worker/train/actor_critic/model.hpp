// The model file of ga3c: the network, and all that a training needs to go on exactly where it
// stood.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "worker/train/actor_critic/agents/group.hpp"
#include "worker/train/actor_critic/experience/episodes.hpp"
#include "worker/train/actor_critic/experience/observation_scale.hpp"
#include "worker/train/actor_critic/experience/reward_scale.hpp"
#include "worker/train/actor_critic/learning/learner.hpp"
#include "worker/train/actor_critic/staff.hpp"
#include "worker/train/nn/network.hpp"

namespace hone::ga3c {

struct Model {
  std::string env;
  NetShape net;
  std::int64_t frames = 0;  // played
  OptimizerKind optimizer = OptimizerKind::rmsprop;
  Master::State master;
  EpisodeBook::State episodes;
  RewardScale::State scale;
  ObservationScale::State observations;  // empty: it sees them as they are
  StaffTuner::State staff;
  std::vector<Group::State> groups;  // one for each agent
};

Status write_model(const std::filesystem::path& path, const Model& model);
Result<Model> read_model(const std::filesystem::path& path);

}  // namespace hone::ga3c
